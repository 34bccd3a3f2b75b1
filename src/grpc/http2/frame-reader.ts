/** Cuts what comes on a connection into frames. */
import { assert } from '../../api/index.js';
import {
  ConnectionError,
  DEFAULT_FRAME_BYTES,
  ErrorCode,
  FRAME_HEADER_BYTES,
  readUint31,
} from './frames.js';

/** Takes a frame whose payload is bytes[start, end); the bytes are the taker's during the call only. */
export type FrameTaker = (
  type: number,
  flags: number,
  streamId: number,
  bytes: Buffer,
  start: number,
  end: number,
) => void;

/**
 * Frames that lie within a chunk are handed on where they are. Of one that a chunk's end cuts in two the
 * bytes are gathered, which never takes more memory than the one frame.
 */
export class FrameReader {
  readonly #take: FrameTaker;
  /** The frame that has begun to come; its header first, and its full length once that is known. */
  #begun: Buffer = Buffer.alloc(0);
  #have = 0;
  #stopped = false;

  constructor(take: FrameTaker) {
    this.#take = take;
  }

  /** No frame is handed on any more, not even of the chunk in work. */
  stop(): void {
    this.#stopped = true;
    this.#begun = Buffer.alloc(0);
  }

  /** Throws {@link ConnectionError} when a frame is larger than we take, and what the taker throws. */
  push(chunk: Buffer): void {
    let at = this.#have > 0 ? this.#finishBegun(chunk) : 0;
    while (!this.#stopped && chunk.length - at >= FRAME_HEADER_BYTES) {
      const end = at + FRAME_HEADER_BYTES + payloadBytesOf(chunk, at);
      if (end > chunk.length) break;
      this.#hand(chunk, at, end);
      at = end;
    }
    if (!this.#stopped && at < chunk.length) this.#begin(chunk, at);
  }

  #hand(bytes: Buffer, at: number, end: number): void {
    const type = bytes[at + 3]!;
    this.#take(
      type,
      bytes[at + 4]!,
      readUint31(bytes, at + 5),
      bytes,
      at + FRAME_HEADER_BYTES,
      end,
    );
  }

  #begin(chunk: Buffer, at: number): void {
    assert(this.#have === 0, () => `${this.#have} bytes of another frame are held`);
    const whole = chunk.length - at >= FRAME_HEADER_BYTES;
    this.#begun = Buffer.allocUnsafe(
      whole ? FRAME_HEADER_BYTES + payloadBytesOf(chunk, at) : FRAME_HEADER_BYTES,
    );
    this.#fill(chunk, at);
  }

  /** Copies what `chunk` has of the begun frame; returns where that ends. */
  #fill(chunk: Buffer, at: number): number {
    const count = chunk.copy(this.#begun, this.#have, at);
    this.#have += count;
    return at + count;
  }

  /** Returns where the next frame begins in `chunk`. */
  #finishBegun(chunk: Buffer): number {
    let at = this.#fill(chunk, 0);
    if (this.#have < this.#begun.length) return at;
    if (this.#begun.length === FRAME_HEADER_BYTES) {
      const payloadBytes = payloadBytesOf(this.#begun, 0);
      if (payloadBytes > 0) {
        this.#begun = Buffer.concat([this.#begun], FRAME_HEADER_BYTES + payloadBytes);
        at = this.#fill(chunk, at);
        if (this.#have < this.#begun.length) return at;
      }
    }
    const frame = this.#begun;
    this.#have = 0;
    this.#hand(frame, 0, frame.length);
    return at;
  }
}

function payloadBytesOf(bytes: Buffer, at: number): number {
  const count = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
  if (count <= DEFAULT_FRAME_BYTES) return count;
  throw new ConnectionError(ErrorCode.frameSizeError, `frame of ${count} bytes`);
}
