/** A keyspace with its whole past: which pairs there were at each revision. Never compacted. */
import { assert, type Event, type KeyValue } from '../../api/index.js';

/** Half-open interval of keys, see endOfRange in src/mvcc. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

export class Timeline {
  /** Events of each revision, in order; those of revision 2 come first. */
  readonly #events: (readonly Event[])[] = [];
  /** Changes of each key, oldest first. */
  readonly #changes = new Map<string, Event[]>();
  #sortedKeys: string[] | undefined;

  /** 1 for an empty keyspace. */
  get currentRevision(): number {
    return this.#events.length + 1;
  }

  /** Every key that ever was, in byte order. */
  get keys(): readonly string[] {
    this.#sortedKeys ??= [...this.#changes.keys()].sort();
    return this.#sortedKeys;
  }

  /** Adds the next revision: `events` are all its changes, in order, and not empty. */
  append(events: readonly Event[]): void {
    const revision = this.currentRevision + 1;
    assert(events.length > 0, () => `revision ${revision} without a change`);
    for (const event of events) {
      const { key, modRevision } = event.kv;
      assert(modRevision === revision, () => `an event of ${modRevision} in revision ${revision}`);
      const changes = this.#changes.get(key);
      if (changes !== undefined) changes.push(event);
      else {
        this.#changes.set(key, [event]);
        this.#sortedKeys = undefined;
      }
    }
    this.#events.push(events);
  }

  /** Empty for revisions that do not exist. */
  eventsOf(revision: number): readonly Event[] {
    return this.#events[revision - 2] ?? [];
  }

  pairAt(key: string, revision: number): KeyValue | undefined {
    const changes = this.#changes.get(key) ?? [];
    let low = 0;
    let high = changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (changes[middle]!.kv.modRevision <= revision) low = middle + 1;
      else high = middle;
    }
    const last = changes[low - 1];
    return last?.type === 'put' ? last.kv : undefined;
  }

  /** Pairs alive at `revision`, in byte order. */
  pairsAt(revision: number, { from, to }: KeyRange): KeyValue[] {
    const pairs: KeyValue[] = [];
    for (const key of this.keys) {
      if (key < from) continue;
      if (key >= to) break;
      const pair = this.pairAt(key, revision);
      if (pair !== undefined) pairs.push(pair);
    }
    return pairs;
  }
}
