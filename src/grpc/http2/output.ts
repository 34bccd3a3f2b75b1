/**
 * What leaves on a connection. Frames gather in chunks, and all that a turn brings goes to the socket at
 * its end, in one write. Whoever has more to say than the socket takes has to wait.
 */
import type { Duplex } from 'node:stream';
import { giveBackChunk, takeChunk } from './chunk-pool.js';
import { writeFrameHeader } from './frames.js';

/** With so much that the socket has not taken, what can wait must wait. */
const HIGH_WATER_BYTES = 128 * 1024;
const LOW_WATER_BYTES = HIGH_WATER_BYTES / 2;

export class Output {
  /** The chunk in work, for whoever has reserved room in it. */
  bytes: Buffer = NO_CHUNK;
  /** Where it is free. */
  at = 0;
  private readonly filled: Buffer[] = [];
  /** Where each of `filled` ends. */
  private readonly ends: number[] = [];
  private filledBytes = 0;
  /** Bytes that the socket has and the system has not. */
  private writing = 0;
  private flushPlanned = false;
  private stalled = false;
  private closed = false;

  /** `drained` is called when there is room again after {@link Output.isFull} was true. */
  constructor(
    private readonly socket: Duplex,
    private readonly drained: () => void,
  ) {}

  /** Bytes not yet taken by the system. */
  get pendingBytes(): number {
    return this.writing + this.filledBytes + this.at;
  }

  /** True until enough has left, and then `drained` is called. */
  isFull(): boolean {
    if (this.pendingBytes >= HIGH_WATER_BYTES) this.stalled = true;
    return this.stalled;
  }

  /** Makes sure that `count` bytes, at most a chunk, can be written at `at`, and that they will leave. */
  reserve(count: number): void {
    if (this.at + count > this.bytes.length) this.nextChunk();
    if (!this.flushPlanned) this.planFlush();
  }

  /** Writes a frame's header; its payload is to follow at once. Room for both must have been reserved. */
  header(payloadBytes: number, type: number, flags: number, streamId: number): void {
    this.at = writeFrameHeader(this.bytes, this.at, payloadBytes, type, flags, streamId);
  }

  /** Copies source[start, end), which may be longer than a chunk. */
  copy(source: Uint8Array, start: number, end: number): void {
    while (start < end) {
      if (this.at === this.bytes.length) this.nextChunk();
      const count = Math.min(end - start, this.bytes.length - this.at);
      copyBytes(source, start, this.bytes, this.at, count);
      this.at += count;
      start += count;
    }
    if (!this.flushPlanned) this.planFlush();
  }

  private nextChunk(): void {
    if (this.at > 0) this.fillUp();
    this.bytes = takeChunk();
    this.at = 0;
  }

  private fillUp(): void {
    this.filled.push(this.bytes);
    this.ends.push(this.at);
    this.filledBytes += this.at;
    this.bytes = NO_CHUNK;
    this.at = 0;
  }

  /** A tick comes behind all promises that are settled now: their answers leave together. */
  private planFlush(): void {
    this.flushPlanned = true;
    process.nextTick(this.flush);
  }

  private readonly flush = (): void => {
    this.flushPlanned = false;
    if (this.at > 0) this.fillUp();
    if (this.filled.length === 0) return;
    const chunks = this.filled.splice(0);
    const ends = this.ends.splice(0);
    const count = this.filledBytes;
    this.filledBytes = 0;
    if (this.closed) return;
    this.writing += count;
    if (chunks.length > 1) this.socket.cork();
    chunks.forEach((chunk, i) => {
      const last = i === chunks.length - 1;
      const taken = last ? () => this.taken(chunks, count) : undefined;
      this.socket.write(chunk.subarray(0, ends[i]), taken);
    });
    if (chunks.length > 1) this.socket.uncork();
  };

  private taken(chunks: readonly Buffer[], count: number): void {
    this.writing -= count;
    if (this.closed) return; // the socket may still hold them
    for (const chunk of chunks) giveBackChunk(chunk);
    if (!this.stalled || this.pendingBytes > LOW_WATER_BYTES) return;
    this.stalled = false;
    this.drained();
  }

  /** Sends what has gathered, and then the end. */
  end(): void {
    this.flush();
    this.closed = true;
    this.socket.end();
  }

  /** The socket is gone: nothing leaves any more. */
  destroy(): void {
    this.closed = true;
  }
}

const NO_CHUNK = Buffer.alloc(0);

/** Below this a loop is done before a call into the runtime has begun. */
const SHORT_BYTES = 32;

function copyBytes(
  source: Uint8Array,
  start: number,
  target: Buffer,
  at: number,
  count: number,
): void {
  if (count <= SHORT_BYTES) for (let i = 0; i < count; i++) target[at + i] = source[start + i]!;
  else if (start === 0 && count === source.length) target.set(source, at);
  else target.set(source.subarray(start, start + count), at);
}
