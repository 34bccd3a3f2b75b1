/** HEADERS and the CONTINUATIONs behind it, put together (RFC 9113, sections 4.3, 6.2 and 6.10). */
import { ConnectionError, ErrorCode, Flag, readUint31 } from './frames.js';

const PRIORITY_BYTES = 5;

/** A whole header block: bytes[start, end). */
export interface HeaderBlock {
  streamId: number;
  bytes: Buffer;
  start: number;
  end: number;
  endStream: boolean;
  /** The stream claims to depend on itself, which is an error of the stream. */
  selfDependent: boolean;
}

export class HeaderAssembly {
  readonly #maxBlockBytes: number;
  /** Is reused: valid until the next frame. */
  readonly #block: HeaderBlock = {
    streamId: 0,
    bytes: Buffer.alloc(0),
    start: 0,
    end: 0,
    endStream: false,
    selfDependent: false,
  };
  #parts: Buffer[] = [];
  #partBytes = 0;
  #open = false;

  /** A block that takes more than `maxBlockBytes`, or silly many frames, ends the connection. */
  constructor(maxBlockBytes: number) {
    this.#maxBlockBytes = maxBlockBytes;
  }

  /** A block has begun and not ended: nothing but CONTINUATION may come. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Returns the block if this frame ends it. */
  headers(
    flags: number,
    streamId: number,
    bytes: Buffer,
    start: number,
    end: number,
  ): HeaderBlock | undefined {
    if ((flags & Flag.padded) !== 0) {
      const padding = start < end ? bytes[start++]! : 0;
      end -= padding;
    }
    const block = this.#block;
    block.selfDependent = false;
    if ((flags & Flag.priority) !== 0) {
      block.selfDependent = end - start >= 4 && readUint31(bytes, start) === streamId;
      start += PRIORITY_BYTES;
    }
    if (start > end) throw new ConnectionError(ErrorCode.protocolError, 'HEADERS without room');
    block.streamId = streamId;
    block.endStream = (flags & Flag.endStream) !== 0;
    if ((flags & Flag.endHeaders) !== 0) return this.#ended(bytes, start, end);
    this.#open = true;
    this.#keep(bytes, start, end);
    return undefined;
  }

  continuation(
    flags: number,
    streamId: number,
    bytes: Buffer,
    start: number,
    end: number,
  ): HeaderBlock | undefined {
    if (!this.#open || streamId !== this.#block.streamId) {
      throw new ConnectionError(ErrorCode.protocolError, 'CONTINUATION of nothing');
    }
    this.#keep(bytes, start, end);
    if ((flags & Flag.endHeaders) === 0) return undefined;
    this.#open = false;
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#partBytes = 0;
    return this.#ended(whole, 0, whole.length);
  }

  #ended(bytes: Buffer, start: number, end: number): HeaderBlock {
    const block = this.#block;
    block.bytes = bytes;
    block.start = start;
    block.end = end;
    return block;
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    this.#partBytes += end - start;
    // An empty part costs nothing but its frame, and that again and again.
    if (this.#partBytes > this.#maxBlockBytes || this.#parts.length > MAX_PARTS) {
      throw new ConnectionError(ErrorCode.enhanceYourCalm, 'too large a header block');
    }
    this.#parts.push(Buffer.from(bytes.subarray(start, end)));
  }
}

const MAX_PARTS = 100;
