/** A clock that stands still until the test moves it. */
import type { Clock, Timer } from '../../src/server/environment.js';

export class ManualClock implements Clock {
  #nowMs = 0;
  #timers: { dueMs: number; action: () => void }[] = [];
  #turns: (() => void)[] = [];

  monotonicMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return 1_700_000_000_000 + this.#nowMs;
  }

  after(delayMs: number, action: () => void): Timer {
    const timer = { dueMs: this.#nowMs + delayMs, action };
    this.#timers.push(timer);
    return { cancel: () => (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  nextTurn(action: () => void): void {
    this.#turns.push(action);
  }

  /** Runs what is due within the next `ms`, in order of time. */
  advance(ms: number): void {
    const until = this.#nowMs + ms;
    this.runTurns();
    for (;;) {
      this.#timers.sort((a, b) => a.dueMs - b.dueMs);
      const timer = this.#timers[0];
      if (timer === undefined || timer.dueMs > until) break;
      this.#timers.shift();
      this.#nowMs = timer.dueMs;
      timer.action();
      this.runTurns();
    }
    this.#nowMs = until;
  }

  runTurns(): void {
    while (this.#turns.length > 0) this.#turns.shift()!();
  }
}
