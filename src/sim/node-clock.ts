/**
 * The clock of one node: runs a little fast or slow, and its wall time jumps. It goes on while the node's
 * process is down or paused, as a machine's does.
 */
import type { Clock, Timer } from '../server/index.js';
import type { EventLoop, EventOwner, ScheduledEvent } from './event-loop.js';

/**
 * The most by which a node's monotonic clock may run fast or slow: 2 in 100, a hundred times what real
 * machines show. Elections and reads do not depend on it (ReadIndex asks a quorum). A lease does: its
 * leader may count 1.02 seconds in one true second, so "never early" holds up to this bound.
 */
export const MAX_CLOCK_DRIFT = 0.02;

/** Where wall clocks begin: 2025-01-01, UTC. */
const EPOCH_MS = 1_735_689_600_000;

export class NodeClock {
  readonly #loop: EventLoop;
  /** Node microseconds at `#sinceUs`, and how fast they pass from there. */
  #baseUs: number;
  #sinceUs = 0;
  #rate = 1;
  #wallOffsetMs: number;

  /** `startMs`: where the monotonic clock begins; `wallOffsetMs`: how wrong the wall clock is. */
  constructor(loop: EventLoop, startMs: number, wallOffsetMs: number) {
    this.#loop = loop;
    this.#baseUs = startMs * 1000;
    this.#wallOffsetMs = wallOffsetMs;
  }

  get rate(): number {
    return this.#rate;
  }

  /** From now on, `rate` node seconds pass in a true one. */
  setRate(rate: number): void {
    this.#baseUs = this.nowUs;
    this.#sinceUs = this.#loop.nowUs;
    this.#rate = rate;
  }

  /** The wall clock is set forward, or back. */
  jumpWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** Monotonic. */
  get nowUs(): number {
    return this.#baseUs + (this.#loop.nowUs - this.#sinceUs) * this.#rate;
  }

  get wallMs(): number {
    return Math.floor(EPOCH_MS + this.#wallOffsetMs + this.#loop.nowMs);
  }

  /** The clock as the process `owner` sees it. */
  for(owner: EventOwner): Clock {
    return {
      monotonicMs: () => this.nowUs / 1000,
      wallMs: () => this.wallMs,
      after: (delayMs, action) => new NodeTimer(this, this.#loop, owner, delayMs, action),
      nextTurn: (action) => void this.#loop.schedule(0, owner, action),
    };
  }
}

/** Re-arms itself when the clock has slowed down meanwhile. */
class NodeTimer implements Timer {
  readonly #dueUs: number;
  #event: ScheduledEvent;

  constructor(
    private readonly clock: NodeClock,
    private readonly loop: EventLoop,
    private readonly owner: EventOwner,
    delayMs: number,
    private readonly action: () => void,
  ) {
    this.#dueUs = clock.nowUs + delayMs * 1000;
    this.#event = this.#arm();
  }

  cancel(): void {
    this.#event.cancel();
  }

  #arm(): ScheduledEvent {
    const leftUs = (this.#dueUs - this.clock.nowUs) / this.clock.rate;
    return this.loop.schedule(leftUs, this.owner, () => this.#fire());
  }

  #fire(): void {
    // Rounding may leave it a fraction of a microsecond early.
    if (this.clock.nowUs + 0.01 < this.#dueUs) this.#event = this.#arm();
    else this.action();
  }
}
