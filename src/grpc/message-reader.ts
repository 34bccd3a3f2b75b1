/**
 * Cuts what comes on a stream into gRPC messages: a flag, a length of four octets, and so many octets.
 * A message that lies within what has come is handed on where it is; only of what cannot be handed on
 * yet a copy is kept, so that a few bytes do not keep a whole chunk of the connection alive.
 */
import { Code, statusError } from '../api/index.js';
import { readUint32 } from './http2/frames.js';
import { PREFIX_BYTES } from './http2/stream.js';

export class MessageReader {
  private bytes: Buffer = NOTHING;
  private start = 0;
  private end = 0;
  private owned = true;
  /** What comes behind. */
  private readonly more: Buffer[] = [];
  private moreBytes = 0;
  /** Is the message that was read last compressed? */
  compressed = false;

  /** A message longer than `maxBytes` is refused as soon as its length is known. */
  constructor(private readonly maxBytes: number) {}

  /** Bytes that have come and are not read. */
  get heldBytes(): number {
    return this.end - this.start + this.moreBytes;
  }

  /** bytes[start, end) have come; they are ours until {@link MessageReader.keep}. */
  push(bytes: Buffer, start: number, end: number): void {
    if (start === end) return;
    if (this.heldBytes > 0) {
      this.more.push(Buffer.from(bytes.subarray(start, end)));
      this.moreBytes += end - start;
      return;
    }
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.owned = false;
  }

  /** Has a whole message come? */
  hasMessage(): boolean {
    if (!this.have(PREFIX_BYTES)) return false;
    return this.heldBytes >= PREFIX_BYTES + readUint32(this.bytes, this.start + 1);
  }

  /** The next message if it is whole; valid until the next call. Throws a status if it is too long. */
  next(): Buffer | undefined {
    if (!this.have(PREFIX_BYTES)) return undefined;
    const length = readUint32(this.bytes, this.start + 1);
    if (length > this.maxBytes) {
      throw statusError(
        Code.resourceExhausted,
        `grpc: received message larger than max (${length} vs. ${this.maxBytes})`,
      );
    }
    if (!this.have(PREFIX_BYTES + length)) return undefined;
    this.compressed = this.bytes[this.start] !== 0;
    const begin = this.start + PREFIX_BYTES;
    this.start = begin + length;
    return this.bytes.subarray(begin, this.start);
  }

  /** Makes `count` bytes lie in a row, if so many have come. */
  private have(count: number): boolean {
    if (this.end - this.start >= count) return true;
    if (this.heldBytes < count) return false;
    const first = this.bytes.subarray(this.start, this.end);
    this.bytes = Buffer.concat([first, ...this.more]);
    this.start = 0;
    this.end = this.bytes.length;
    this.owned = true;
    this.more.length = 0;
    this.moreBytes = 0;
    return true;
  }

  /** What was pushed is no longer ours: copies what is not read. */
  keep(): void {
    if (this.owned) return;
    this.owned = true;
    this.bytes =
      this.start === this.end ? NOTHING : Buffer.from(this.bytes.subarray(this.start, this.end));
    this.start = 0;
    this.end = this.bytes.length;
  }
}

const NOTHING = Buffer.alloc(0);
