/** Chance, one stream a purpose: a draw more in one place changes nothing in another. */
import { type Random, SeededRandom } from '../raft/index.js';

/** A stream of draws with the distributions that the world needs; whole numbers and no logarithms. */
export class Chance implements Random {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  uint32(): number {
    return this.#random.uint32();
  }

  /** Whole number in `[low, high]`, both included; the span is below 2^32. */
  integer(low: number, high: number): number {
    return low + Math.floor((this.uint32() * (high - low + 1)) / 2 ** 32);
  }

  /** True so often: 0 never, 1 always. Draws nothing for those two. */
  happens(probability: number): boolean {
    if (probability <= 0) return false;
    if (probability >= 1) return true;
    return this.uint32() < probability * 2 ** 32;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** Mostly near `low`, seldom near `high`: the smaller of two draws. */
  mostlyLow(low: number, high: number): number {
    return Math.min(this.integer(low, high), this.integer(low, high));
  }

  shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = this.integer(0, i);
      [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
    }
    return shuffled;
  }
}

/** All streams of a seed, by name. */
export class ChanceStreams {
  readonly #seed: number;

  /** `seed` counts modulo 2^32. */
  constructor(seed: number) {
    this.#seed = seed;
  }

  /** The same name gives the same stream from its start. */
  stream(name: string): Chance {
    return new Chance(new SeededRandom(hashOf(name, this.#seed)));
  }
}

/** FNV-1a over the characters of `name`, begun from the seed. */
function hashOf(name: string, seed: number): number {
  let hash = (0x811c9dc5 ^ Math.imul(seed >>> 0, 0x9e3779b1)) >>> 0;
  for (let i = 0; i < name.length; i++) {
    hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193) >>> 0;
  }
  return hash;
}
