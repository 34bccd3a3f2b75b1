/** Sends what streams have to say as far as windows and the socket allow, and the rest later. */
import {
  ConnectionError,
  DEFAULT_FRAME_BYTES,
  DEFAULT_WINDOW_BYTES,
  ErrorCode,
  Flag,
  FRAME_HEADER_BYTES,
  FrameType,
  LARGEST_WINDOW_BYTES,
} from './frames.js';
import type { Output } from './output.js';
import { BARE, type Piece, PREFIX_BYTES, type Stream } from './stream.js';

export interface SendFlowHooks {
  /** A DATA frame leaves. */
  sending(): void;
  /** The last piece of `stream`, or a piece that ends it, has been sent. */
  ended(stream: Stream): void;
  /** All pieces of `stream` have been sent, and these trailers are due. */
  trailersDue(stream: Stream): void;
}

export class SendFlow {
  /** Of the connection: how much we may send on all streams together. */
  private window = DEFAULT_WINDOW_BYTES;
  /** Streams that wait for the connection's window or the socket; longest first. */
  private readonly blocked = new Set<Stream>();
  private queued = 0;
  private progressAtMs = 0;

  constructor(
    private readonly output: Output,
    private readonly hooks: SendFlowHooks,
  ) {}

  /** Has nothing of what waits, and is more than `bytes`, been taken for `quietMs`? */
  isStuck(bytes: number, quietMs: number): boolean {
    return this.queued > bytes && performance.now() - this.progressAtMs > quietMs;
  }

  send(stream: Stream, prefix: number, bytes: Uint8Array, end: boolean): void {
    const length = prefix === BARE ? bytes.length : PREFIX_BYTES + bytes.length;
    if (this.canSendNow(stream, length)) {
      this.frame(stream, prefix, bytes, 0, length, end);
      if (end) this.hooks.ended(stream);
      return;
    }
    if (this.queued === 0) this.progressAtMs = performance.now();
    stream.pieces.push({ bytes, prefix, end });
    stream.pendingBytes += length;
    this.queued += length;
    this.pump(stream);
  }

  private canSendNow(stream: Stream, length: number): boolean {
    if (stream.pieces.length > 0 || length > DEFAULT_FRAME_BYTES) return false;
    if (length > stream.sendWindow || length > this.window) return false;
    return !this.output.isFull();
  }

  /** One DATA frame: `count` bytes of a piece, its prefix counted, behind the first `sent`. */
  private frame(
    stream: Stream,
    prefix: number,
    bytes: Uint8Array,
    sent: number,
    count: number,
    end: boolean,
  ): void {
    const { output } = this;
    this.hooks.sending();
    output.reserve(FRAME_HEADER_BYTES + PREFIX_BYTES);
    output.header(count, FrameType.data, end ? Flag.endStream : 0, stream.id);
    let from = sent;
    if (prefix !== BARE) {
      const until = sent + count;
      for (; from < PREFIX_BYTES && from < until; from++) {
        const shift = 8 * (PREFIX_BYTES - 1 - from);
        output.bytes[output.at++] = from === 0 ? prefix : bytes.length >>> shift;
      }
      from -= PREFIX_BYTES;
      if (from >= 0) output.copy(bytes, from, until - PREFIX_BYTES);
    } else {
      output.copy(bytes, from, sent + count);
    }
    stream.sendWindow -= count;
    this.window -= count;
  }

  /** Sends what waits on `stream`, as far as it goes. */
  private pump(stream: Stream): void {
    const { pieces } = stream;
    while (pieces.length > 0) {
      const piece = pieces[0]!;
      const rest = lengthOf(piece) - stream.sentOfFirst;
      const count = Math.min(
        rest,
        DEFAULT_FRAME_BYTES,
        Math.max(0, stream.sendWindow),
        this.window,
      );
      if (count < rest && count === 0 && stream.sendWindow <= 0) break;
      if (this.output.isFull() || (count === 0 && rest > 0)) {
        this.blocked.add(stream);
        break;
      }
      const last = count === rest;
      this.frame(stream, piece.prefix, piece.bytes, stream.sentOfFirst, count, last && piece.end);
      this.sent(stream, count, last);
      if (last && piece.end) return this.hooks.ended(stream);
    }
    if (pieces.length === 0 && stream.trailers !== undefined) this.hooks.trailersDue(stream);
    else stream.noteSent();
  }

  private sent(stream: Stream, count: number, last: boolean): void {
    this.queued -= count;
    this.progressAtMs = performance.now();
    stream.pendingBytes -= count;
    stream.sentOfFirst += count;
    if (!last) return;
    stream.pieces.shift();
    stream.sentOfFirst = 0;
  }

  /** The output has room, or the connection's window has grown: everybody that waits gets a turn. */
  resume(): void {
    // One that is blocked again goes to the end, and then the loop ends, too.
    for (const stream of this.blocked) {
      if (this.window <= 0 || this.output.isFull()) return;
      if (this.blocked.delete(stream)) this.pump(stream);
    }
  }

  /** Throws {@link ConnectionError} when the window becomes larger than any may be. */
  growWindow(bytes: number): void {
    this.window += bytes;
    if (this.window > LARGEST_WINDOW_BYTES) {
      throw new ConnectionError(ErrorCode.flowControlError, 'the connection window is too large');
    }
    this.resume();
  }

  /** `bytes` may be negative. False when the window becomes larger than any may be. */
  growStreamWindow(stream: Stream, bytes: number): boolean {
    stream.sendWindow += bytes;
    if (stream.sendWindow > LARGEST_WINDOW_BYTES) return false;
    if (bytes > 0 && stream.pieces.length > 0 && !this.blocked.has(stream)) this.pump(stream);
    return true;
  }

  /** `stream` is over: what it still had to send is dropped. */
  forget(stream: Stream): void {
    this.blocked.delete(stream);
    this.queued -= stream.pendingBytes;
    stream.pendingBytes = 0;
    stream.pieces.length = 0;
    stream.trailers = undefined;
  }
}

function lengthOf({ prefix, bytes }: Piece): number {
  return prefix === BARE ? bytes.length : PREFIX_BYTES + bytes.length;
}
