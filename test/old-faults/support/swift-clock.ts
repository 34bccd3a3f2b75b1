/** A clock that runs ahead of the real one, so that leases of seconds pass in tenths; it may be stalled. */
import type { Clock, Timer } from '../../../src/server/index.js';
import { realClock } from '../../../src/transport/index.js';

export class SwiftClock implements Clock {
  readonly #speed: number;
  /** While stalled: what would have run, in order. */
  #held: (() => void)[] | undefined;

  /** `speed` seconds pass in one of the real clock. */
  constructor(speed: number) {
    this.#speed = speed;
  }

  monotonicMs(): number {
    return realClock.monotonicMs() * this.#speed;
  }

  wallMs(): number {
    return realClock.wallMs();
  }

  after(delayMs: number, action: () => void): Timer {
    let cancelled = false;
    const run = () => {
      if (!cancelled) action();
    };
    const timer = realClock.after(delayMs / this.#speed, () => this.#whenRunning(run));
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  nextTurn(action: () => void): void {
    realClock.nextTurn(() => this.#whenRunning(action));
  }

  /** As if the process were stopped: no timer fires and no turn begins, but time goes on. */
  stall(): void {
    this.#held ??= [];
  }

  /** What was due meanwhile runs at once, in order. */
  wake(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const action of held) action();
  }

  #whenRunning(action: () => void): void {
    if (this.#held === undefined) action();
    else this.#held.push(action);
  }
}
