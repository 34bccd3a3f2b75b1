/** Seeded chance. KVORUM_E2E_SEED=N repeats the choices of a run (not its timing). */

/** The seed of this run; print it. */
export const seed = Number(process.env.KVORUM_E2E_SEED ?? Date.now() % 1_000_000);

/** Mulberry32: small, and good enough to choose moments and positions. */
export class Random {
  #state: number;

  constructor(start: number) {
    this.#state = start >>> 0;
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }
}
