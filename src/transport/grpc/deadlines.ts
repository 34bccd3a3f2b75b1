/**
 * Deadlines of calls, checked on a coarse clock: thousands of calls a second with a deadline each would
 * keep real timers busy with nothing.
 */

/** A deadline may be noticed so much late; clients keep their own. */
const TICK_MS = 10;

export interface Expiring {
  /** When it expires, on the clock of `performance.now`. */
  readonly deadlineMs: number;
  expire(): void;
}

export class Deadlines {
  private readonly byTick = new Map<number, Set<Expiring>>();
  private timer: NodeJS.Timeout | undefined;
  private checkedTick = 0;

  add(call: Expiring): void {
    const tick = tickOf(call.deadlineMs);
    const calls = this.byTick.get(tick);
    if (calls !== undefined) calls.add(call);
    else this.byTick.set(tick, new Set([call]));
    if (this.timer === undefined) {
      this.checkedTick = tickOf(performance.now()) - 1;
      this.timer = setInterval(this.check, TICK_MS).unref();
    }
    this.checkedTick = Math.min(this.checkedTick, tick - 1);
  }

  delete(call: Expiring): void {
    const tick = tickOf(call.deadlineMs);
    const calls = this.byTick.get(tick);
    if (calls?.delete(call) && calls.size === 0) this.byTick.delete(tick);
  }

  private readonly check = (): void => {
    const now = Math.floor(performance.now() / TICK_MS);
    while (this.checkedTick < now) {
      const tick = ++this.checkedTick;
      const calls = this.byTick.get(tick);
      this.byTick.delete(tick);
      for (const call of calls ?? []) call.expire();
    }
    if (this.byTick.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  };
}

/** The tick at whose end the deadline has passed. */
function tickOf(deadlineMs: number): number {
  return Math.ceil(deadlineMs / TICK_MS);
}
