/** Keys that deletes take away: single ones and ranges. */
import { IntervalMap } from './interval-map.js';

/** Adding and asking cost O(log n), so that a request full of deletes costs no more than its size. */
export class DeletedKeys {
  readonly #points = new Set<string>();
  readonly #ranges = new IntervalMap<true>();
  /** The ranges once more, for {@link DeletedKeys.addAll}. */
  readonly #bounds: [from: string, to: string][] = [];

  addKey(key: string): void {
    this.#points.add(key);
  }

  /** Adds [from, to); nothing when `to` is not above `from`. */
  addRange(from: string, to: string): void {
    if (from >= to) return;
    this.#ranges.add(from, to, true);
    this.#bounds.push([from, to]);
  }

  addAll(other: DeletedKeys): void {
    for (const key of other.#points) this.#points.add(key);
    for (const [from, to] of other.#bounds) this.addRange(from, to);
  }

  has(key: string): boolean {
    return this.#points.has(key) || this.#ranges.hasContaining(key);
  }
}
