/**
 * Where log lines go: a file descriptor, written behind and bounded.
 *
 * Node's own stderr is synchronous on a pipe: a reader that stops would stop the member, cost it its
 * leadership and never be noticed. So writes happen on another thread, one at a time, and lines that
 * find too much waiting are dropped and counted; the count is a line of its own once there is room.
 */
import { write } from 'node:fs';
import type { LogSink } from './server-log.js';

/** node:fs's write, or a test's. */
export type WriteBytes = (
  fd: number,
  bytes: Uint8Array,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

export interface FdSinkOptions {
  /** Bytes that may wait, beside those being written. */
  maxPendingBytes?: number;
  /** The line that says how many were dropped, with its newline. */
  droppedLine(count: number): string;
  writeBytes?: WriteBytes;
}

const MAX_PENDING_BYTES = 1024 * 1024;
/** A descriptor that another process made non-blocking is asked again after so long. */
const RETRY_MS = 10;

export class FdSink implements LogSink {
  /** Lines that were dropped since the start. */
  droppedTotal = 0;
  private pending: string[] = [];
  private pendingBytes = 0;
  private dropped = 0;
  private writing = false;
  private broken = false;
  private waiters: (() => void)[] = [];
  private readonly maxPendingBytes: number;
  private readonly writeBytes: WriteBytes;

  constructor(
    private readonly fd: number,
    private readonly options: FdSinkOptions,
  ) {
    this.maxPendingBytes = options.maxPendingBytes ?? MAX_PENDING_BYTES;
    this.writeBytes = options.writeBytes ?? ((to, bytes, done) => write(to, bytes, done));
  }

  write(line: string): void {
    if (this.broken) return;
    if (this.pendingBytes + line.length > this.maxPendingBytes) {
      this.dropped++;
      this.droppedTotal++;
      return;
    }
    this.pending.push(line);
    this.pendingBytes += line.length;
    if (!this.writing) this.writeNext();
  }

  /** Resolves when everything is written, or with false after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<boolean> {
    if (!this.writing) return true;
    return new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      this.waiters.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  /** Everything that waits goes out as one write. */
  private writeNext(): void {
    if (this.dropped > 0) {
      this.pending.push(this.options.droppedLine(this.dropped));
      this.dropped = 0;
    }
    if (this.pending.length === 0) return this.idle();
    const bytes = Buffer.from(this.pending.join(''), 'utf8');
    this.pending = [];
    this.pendingBytes = 0;
    this.writing = true;
    this.writeAll(bytes);
  }

  private writeAll(bytes: Uint8Array): void {
    this.writeBytes(this.fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(() => this.writeAll(bytes), RETRY_MS);
      } else if (error !== null) {
        this.giveUp();
      } else if (written < bytes.length) {
        this.writeAll(bytes.subarray(written));
      } else {
        this.writeNext();
      }
    });
  }

  /** Nobody can read the log any more (EPIPE, disk full): that must not end the member. */
  private giveUp(): void {
    this.broken = true;
    this.pending = [];
    this.idle();
  }

  private idle(): void {
    this.writing = false;
    const waiters = this.waiters;
    this.waiters = [];
    for (const resolve of waiters) resolve();
  }
}
