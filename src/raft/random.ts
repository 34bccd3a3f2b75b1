/** Chance, as the core takes it in: only election timeouts draw from it. */
export interface Random {
  /** Uniform in 0 to 2^32 - 1. */
  uint32(): number;
}

/** xoshiro128** by Blackman and Vigna: small, fast, and the same sequence for a seed everywhere. */
export class SeededRandom implements Random {
  readonly #state = new Uint32Array(4);

  /** `seed` counts modulo 2^32. */
  constructor(seed: number) {
    let mixed = seed >>> 0;
    for (let i = 0; i < 4; i++) {
      mixed = (mixed + 0x9e3779b9) >>> 0;
      this.#state[i] = avalanche(mixed);
    }
  }

  uint32(): number {
    const s = this.#state;
    const [a = 0, b = 0, c = 0, d = 0] = s;
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const mixedC = c ^ a;
    const mixedD = d ^ b;
    s[1] = b ^ mixedC;
    s[0] = a ^ mixedD;
    s[2] = mixedC ^ (b << 9);
    s[3] = rotateLeft(mixedD, 11);
    return result;
  }
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** Spreads a seed's bits over the whole word (murmur3's finalizer), so that near seeds differ. */
function avalanche(value: number): number {
  let x = value ^ (value >>> 16);
  x = Math.imul(x, 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/** An election timeout, uniform in `[base, 2 * base - 1]` ticks (paper, section 5.2). */
export function randomTimeoutTicks(random: Random, base: number): number {
  return base + (random.uint32() % base);
}
