/** Latencies of a run, exact to about 1 %: counts in buckets that grow by that much. */
const GROWTH = Math.log(1.01);
const FIRST_MS = 0.001;

export class Histogram {
  readonly #counts: number[] = [];
  count = 0;
  /** The longest of all, exact; 0 before the first. */
  longestMs = 0;

  record(ms: number): void {
    const bucket = Math.max(0, Math.ceil(Math.log(Math.max(ms, FIRST_MS) / FIRST_MS) / GROWTH));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.count++;
    if (ms > this.longestMs) this.longestMs = ms;
  }

  /** The latency that a share (0 to 1) of all requests did not exceed, in milliseconds. */
  quantileMs(share: number): number {
    let seen = 0;
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      seen += this.#counts[bucket] ?? 0;
      if (seen >= share * this.count) return FIRST_MS * Math.exp(bucket * GROWTH);
    }
    return NaN;
  }
}
