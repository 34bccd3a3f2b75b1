/** Watchers by what they watch. */
import { IntervalMap } from './interval-map.js';
import type { Watcher } from './watcher.js';

/** Single keys stand in a hash map, ranges in an interval map: an event asks both. */
export class WatcherGroup {
  readonly #byKey = new Map<string, Set<Watcher>>();
  readonly #byRange = new IntervalMap<Watcher>();
  readonly #all = new Set<Watcher>();

  get size(): number {
    return this.#all.size;
  }

  /** In the order of adding. Watchers may be deleted while this is walked. */
  values(): IterableIterator<Watcher> {
    return this.#all.values();
  }

  add(watcher: Watcher): void {
    if (this.#all.has(watcher)) return;
    this.#all.add(watcher);
    if (watcher.rangeEnd !== '') this.#byRange.add(watcher.key, watcher.end, watcher);
    else this.#addToKey(watcher);
  }

  #addToKey(watcher: Watcher): void {
    const set = this.#byKey.get(watcher.key);
    if (set === undefined) this.#byKey.set(watcher.key, new Set([watcher]));
    else set.add(watcher);
  }

  /** False when it was not in the group. */
  delete(watcher: Watcher): boolean {
    if (!this.#all.delete(watcher)) return false;
    if (watcher.rangeEnd !== '') this.#byRange.delete(watcher.key, watcher.end, watcher);
    else this.#deleteFromKey(watcher);
    return true;
  }

  #deleteFromKey(watcher: Watcher): void {
    const set = this.#byKey.get(watcher.key);
    if (set?.delete(watcher) === true && set.size === 0) this.#byKey.delete(watcher.key);
  }

  /** Puts `watcher` last in the order of {@link WatcherGroup.values}. */
  moveToEnd(watcher: Watcher): void {
    if (this.#all.delete(watcher)) this.#all.add(watcher);
  }

  /** Visits the watchers of `key`. `visit` must not change the group. */
  match(key: string, visit: (watcher: Watcher) => void): void {
    const set = this.#byKey.get(key);
    if (set !== undefined) for (const watcher of set) visit(watcher);
    this.#byRange.visitContaining(key, visit);
  }
}
