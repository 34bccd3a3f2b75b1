/**
 * Runs a frame grammar over bytes that arrive in any portions, and the pieces all grammars share.
 */
import { ByteQueue } from './byte-queue.js';

/** A peer sent what no peer may send; its stream cannot be read on. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** etcd's limit for one message. Memory is taken only for what has arrived. */
export const MAX_MESSAGE_BYTES = 512 * 1024 * 1024;

/**
 * A grammar asks for a number of bytes and gets them when they are there. It may end, if only one
 * frame is expected.
 */
export type Grammar = Generator<number, void, Uint8Array>;

export class FrameParser {
  private readonly queue = new ByteQueue();
  private needed: number | undefined;

  constructor(private readonly grammar: Grammar) {
    this.ask(grammar.next());
  }

  /** Throws what the grammar throws: FrameError, DecodeError. */
  push(chunk: Uint8Array): void {
    this.queue.push(chunk);
    while (this.needed !== undefined && this.queue.length >= this.needed) {
      this.ask(this.grammar.next(this.queue.take(this.needed)));
    }
  }

  private ask(step: IteratorResult<number, void>): void {
    this.needed = step.done ? undefined : step.value;
  }

  /** Has the grammar ended? */
  get done(): boolean {
    return this.needed === undefined;
  }

  /** Bytes that came after the grammar's end. */
  rest(): Uint8Array[] {
    return this.queue.rest();
  }
}

/** The u64 in 8 bytes, big-endian. */
export function readU64(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
  const value = view.getUint32(0) * 2 ** 32 + view.getUint32(4);
  if (!Number.isSafeInteger(value)) throw new FrameError(`number out of range: ${value}`);
  return value;
}

/** A length of at most `limit` bytes. */
export function readLength(bytes: Uint8Array, limit: number): number {
  const length = readU64(bytes);
  if (length > limit) throw new FrameError(`length ${length} exceeds ${limit} bytes`);
  return length;
}

export function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(value / 2 ** 32));
  view.setUint32(4, value % 2 ** 32);
  return bytes;
}
