/**
 * Moves the backend's buffer to disk behind the applier: every interval, or sooner when many operations
 * have gathered. The raft log is what makes writes durable, so a flush needs no fsync.
 */
import type { Backend } from '../backend/index.js';
import type { Clock, Timer } from './environment.js';

/** Above this the applier waits for the disk instead of buffering on. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;

export interface BackendFlusherOptions {
  backend: Backend;
  clock: Clock;
  intervalMs: number;
  /** Operations after which a flush does not wait for the interval. */
  batchLimit: number;
  /** The buffer has room again after {@link BackendFlusher.isBlocked}. */
  drained: () => void;
  fatal: (error: unknown) => void;
}

export class BackendFlusher {
  readonly #options: BackendFlusherOptions;
  #timer: Timer | undefined;
  #flushing = false;
  #blocked = false;
  #stopped = false;

  constructor(options: BackendFlusherOptions) {
    this.#options = options;
  }

  /** Entries were applied: plans a flush, or begins one when enough has gathered. */
  applied(): void {
    const { backend, clock, intervalMs, batchLimit } = this.#options;
    if (this.#stopped || this.#flushing) return;
    if (backend.pendingOps >= batchLimit || backend.pendingBytes >= MAX_PENDING_BYTES)
      this.#flush();
    else this.#timer ??= clock.after(intervalMs, () => this.#flush());
  }

  /** Must the applier wait? Then `drained` follows. */
  isBlocked(): boolean {
    this.#blocked = this.#options.backend.pendingBytes >= MAX_PENDING_BYTES * 2;
    return this.#blocked;
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#flushing || this.#stopped) return;
    this.#flushing = true;
    this.#options.backend.commit().then(
      () => this.#flushed(),
      (error: unknown) => this.#options.fatal(error),
    );
  }

  #flushed(): void {
    this.#flushing = false;
    if (this.#options.backend.pendingOps > 0) this.applied();
    if (this.#blocked && !this.isBlocked()) this.#options.drained();
  }
}
