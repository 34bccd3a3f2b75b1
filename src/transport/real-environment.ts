/**
 * The process's real time and chance, behind the server's doors (src/server/environment.ts).
 */
import { randomFillSync } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock, Random, Timer } from '../server/environment.js';

/** The longest delay that setTimeout takes; a longer one would fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** A timer that re-arms itself until its time has really come. */
class RealTimer implements Timer {
  private readonly dueMs: number;
  private handle: NodeJS.Timeout | undefined;

  constructor(
    delayMs: number,
    private readonly action: () => void,
  ) {
    this.dueMs = performance.now() + delayMs;
    this.arm(delayMs);
  }

  cancel(): void {
    clearTimeout(this.handle);
  }

  private arm(delayMs: number): void {
    const timeoutMs = Math.min(Math.ceil(delayMs), LONGEST_TIMEOUT_MS);
    this.handle = setTimeout(() => this.fire(), timeoutMs);
  }

  /** Node counts from the start of the turn, so it may be up to a millisecond early. */
  private fire(): void {
    const leftMs = this.dueMs - performance.now();
    if (leftMs > 0) this.arm(leftMs);
    else this.action();
  }
}

/** Time as this process sees it. Its timers keep the process alive until they fire or are cancelled. */
export const realClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (delayMs, action) => new RealTimer(delayMs, action),
  nextTurn: (action) => {
    setImmediate(action);
  },
};

/** Numbers of the system's generator, drawn by the block. */
class RealRandom implements Random {
  private readonly block = new Uint32Array(256);
  private used = this.block.length;

  uint32(): number {
    if (this.used === this.block.length) {
      randomFillSync(this.block);
      this.used = 0;
    }
    return this.block[this.used++]!;
  }
}

/** Unpredictable and unrepeatable: for the process, never for the simulator. */
export const realRandom: Random = new RealRandom();
