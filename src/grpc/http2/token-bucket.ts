/** Bounds how often something may happen: a burst, and a rate from then on. */
export class TokenBucket {
  private tokens: number;
  private filledAtMs = 0;

  constructor(
    private readonly burst: number,
    private readonly perSecond: number,
  ) {
    this.tokens = burst;
  }

  /** False when there have been too many by `nowMs` (of any clock that never goes back). */
  take(nowMs: number): boolean {
    if (this.tokens < 1) {
      const more = ((nowMs - this.filledAtMs) / 1000) * this.perSecond;
      this.tokens = Math.min(this.burst, this.tokens + more);
      this.filledAtMs = nowMs;
      if (this.tokens < 1) return false;
    } else if (this.tokens === this.burst) {
      this.filledAtMs = nowMs;
    }
    this.tokens--;
    return true;
  }
}
