/** One ordered bucket in memory; the building block of {@link MemoryBackend}. */
import type { Pair, ScanOptions } from './backend.js';

/**
 * A map of latin1 keys to bytes with ordered scans. Keys that arrive in ascending order (records do)
 * are appended; others are inserted in the middle, which is cheap only in small buckets. A deleted
 * key stays in `order` as a hole until half of it is holes.
 */
export class MemoryBucket {
  #values: Map<string, Uint8Array>;
  /** Every key of `values`, ascending, and perhaps some that were deleted. */
  #order: string[];
  #holes: number;
  /** Bytes of all keys and values. */
  bytes: number;

  constructor(values = new Map<string, Uint8Array>(), order: string[] = [], holes = 0, bytes = 0) {
    this.#values = values;
    this.#order = order;
    this.#holes = holes;
    this.bytes = bytes;
  }

  get(key: string): Uint8Array | undefined {
    return this.#values.get(key);
  }

  put(key: string, value: Uint8Array): void {
    const before = this.#values.get(key);
    if (before === undefined) this.#addToOrder(key);
    this.#values.set(key, value);
    this.bytes += value.length - (before === undefined ? -key.length : before.length);
  }

  delete(key: string): void {
    const before = this.#values.get(key);
    if (before === undefined) return;
    this.#values.delete(key);
    this.bytes -= key.length + before.length;
    this.#holes++;
    if (this.#holes > 32 && this.#holes > this.#order.length / 2) this.#fillHoles();
  }

  scan({ from, to, limit }: ScanOptions): Pair[] {
    const pairs: Pair[] = [];
    for (let i = this.#position(from); i < this.#order.length && pairs.length < limit; i++) {
      const key = this.#order[i]!;
      if (to !== undefined && key >= to) break;
      const value = this.#values.get(key);
      if (value !== undefined) pairs.push([key, value]);
    }
    return pairs;
  }

  copy(): MemoryBucket {
    return new MemoryBucket(new Map(this.#values), this.#order.slice(), this.#holes, this.bytes);
  }

  #addToOrder(key: string): void {
    const order = this.#order;
    if (order.length === 0 || order.at(-1)! < key) {
      order.push(key);
      return;
    }
    const position = this.#position(key);
    if (order[position] === key) this.#holes--;
    else order.splice(position, 0, key);
  }

  /** Index of the first key >= `key`. */
  #position(key: string): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#order[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #fillHoles(): void {
    this.#order = this.#order.filter((key) => this.#values.has(key));
    this.#holes = 0;
  }
}
