/**
 * What the store remembers of one key: its newest record, and where its older records are.
 *
 * The life of a key is a row of records, cut into generations by tombstones:
 *
 *     put@2  put@4  del@6   |   put@8  del@9   |   put@12
 *     `-- generation 1 --'      generation 2       generation 3, open
 *
 * The newest record, put@12, lives in this object's own fields, because almost every read wants it.
 * The older ones stand in `past`, oldest first, as a flat row of numbers (main, mark), (main, mark) ...
 * that is only made when there is a second record:
 *
 *     past = [2,0, 4,0, 6,1, 8,0, 9,1]        mark = sub * 2, plus 1 for a tombstone
 *
 * Reading at a revision takes the newest record at or below it; a tombstone there means absent:
 *
 *     revision    1   2   3   4   5   6   7   8   9   10  11  12
 *     finds       -   2   2   4   4   -   -   8   -   -   -   12
 *
 * Compaction at R drops what no read at R or later can find: everything before the newest record at or
 * below R, and that one too if it is a tombstone below R (one exactly at R stays, as in etcd 3.6: a
 * watch from R must see it):
 *
 *     compact(5)    put@4  del@6 | put@8  del@9 | put@12
 *     compact(6)    del@6 | put@8  del@9 | put@12
 *     compact(7)    put@8  del@9 | put@12
 *     compact(11)   put@12
 *
 * A key whose last record goes this way has no index any more.
 */
import { assert, type KeyValue } from '../api/index.js';

/** `position` when there is no such record. */
export const NOWHERE = -1;

export class KeyIndex {
  readonly key: string;
  /** Main revision of the newest record. */
  modRevision: number;
  /** Mark of the newest record, see above. */
  mark: number;
  /** Of the newest record; 0 in a tombstone. */
  createRevision: number;
  /** Of the newest record; 0 in a tombstone. */
  version: number;
  /** Of the newest record; 0n for none and in a tombstone. */
  lease: bigint;
  /** The newest record's value when it is cached (value-cache.ts alone sets it). */
  value: string | undefined;
  /** Older records, oldest first; undefined when there are none. */
  past: number[] | undefined;

  private constructor(key: string, main: number, mark: number) {
    this.key = key;
    this.modRevision = main;
    this.mark = mark;
    this.createRevision = 0;
    this.version = 0;
    this.lease = 0n;
    this.value = undefined;
    this.past = undefined;
  }

  /** The index of a key that is written for the first time. */
  static created(key: string, main: number, sub: number, lease: bigint): KeyIndex {
    const index = new KeyIndex(key, main, sub * 2);
    index.createRevision = main;
    index.version = 1;
    index.lease = lease;
    return index;
  }

  /** The index of a key whose first surviving record is `record` (tombstones may come first). */
  static restored(record: KeyValue, main: number, sub: number, tombstone: boolean): KeyIndex {
    const index = new KeyIndex(record.key, main, markOf(sub, tombstone));
    index.#setNewest(record);
    return index;
  }

  /** Does the key exist now? */
  get alive(): boolean {
    return isLive(this.mark);
  }

  /** Sub revision of the newest record. */
  get sub(): number {
    return subOf(this.mark);
  }

  /** Number of records known; positions run from 0 (oldest) to `length - 1` (newest). */
  get length(): number {
    return (this.past === undefined ? 0 : this.past.length / 2) + 1;
  }

  /** A put at (main, sub), which must be above every record so far. */
  put(main: number, sub: number, lease: bigint): void {
    const alive = this.alive;
    this.#advance(main, sub * 2);
    if (!alive) this.createRevision = main;
    this.version++;
    this.lease = lease;
  }

  /** A tombstone at (main, sub). The key must be alive. */
  delete(main: number, sub: number): void {
    assert(this.alive, () => `delete at ${main}_${sub} of a key that is dead`);
    this.#advance(main, markOf(sub, true));
    this.createRevision = 0;
    this.version = 0;
    this.lease = 0n;
  }

  /** The next record as it was read back from the backend. */
  restore(record: KeyValue, main: number, sub: number, tombstone: boolean): void {
    this.#advance(main, markOf(sub, tombstone));
    this.#setNewest(record);
  }

  /** Position of the newest record at or below main revision `revision`, or {@link NOWHERE}. */
  position(revision: number): number {
    if (this.modRevision <= revision) return this.length - 1;
    const { past } = this;
    if (past === undefined) return NOWHERE;
    let low = 0;
    let high = past.length / 2;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (past[middle * 2]! <= revision) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Position of the live record that a read at `revision` finds, or {@link NOWHERE}. */
  livePosition(revision: number): number {
    const position = this.position(revision);
    return position !== NOWHERE && isLive(this.markAt(position)) ? position : NOWHERE;
  }

  /** Main revision of the record at `position`. */
  mainAt(position: number): number {
    return this.#isNewest(position) ? this.modRevision : this.past![position * 2]!;
  }

  /** Sub revision of the record at `position`. */
  subAt(position: number): number {
    return subOf(this.markAt(position));
  }

  markAt(position: number): number {
    return this.#isNewest(position) ? this.mark : this.past![position * 2 + 1]!;
  }

  /** Is the record (main, sub) still known? */
  has(main: number, sub: number): boolean {
    for (let at = this.position(main); at !== NOWHERE && this.mainAt(at) === main; at--) {
      if (this.subAt(at) === sub) return true;
    }
    return false;
  }

  /**
   * Forgets what a compaction at `revision` drops. True when nothing is left and the key's index has
   * to go. Doing it again changes nothing.
   */
  compact(revision: number): boolean {
    const newest = this.position(revision);
    if (newest === NOWHERE) return false;
    const stays = isLive(this.markAt(newest)) || this.mainAt(newest) === revision;
    const first = stays ? newest : newest + 1;
    if (first >= this.length) return true;
    if (first > 0) {
      this.past = this.#isNewest(first) ? undefined : this.past!.slice(first * 2);
    }
    return false;
  }

  /**
   * Position of this key's entry in etcd's keep-set at `revision`, which HashKV needs bit-exact, or
   * {@link NOWHERE}. etcd looks at the first generation that ends at or after `revision`, and the
   * newest record at or below it in there; when that is the generation's tombstone it counts only
   * `withTombstone`.
   */
  keepPosition(revision: number, withTombstone: boolean): number {
    const newest = this.position(revision);
    if (newest === NOWHERE) return NOWHERE;
    const tombstone = this.#firstTombstoneAt(revision, newest);
    if (tombstone !== NOWHERE) return withTombstone ? tombstone : NOWHERE;
    return isLive(this.markAt(newest)) ? newest : NOWHERE;
  }

  #firstTombstoneAt(main: number, newest: number): number {
    let found = NOWHERE;
    for (let at = newest; at >= 0 && this.mainAt(at) === main; at--) {
      if (!isLive(this.markAt(at))) found = at;
    }
    return found;
  }

  #isNewest(position: number): boolean {
    return position === this.length - 1;
  }

  #advance(main: number, mark: number): void {
    assert(
      main > this.modRevision || (main === this.modRevision && mark > this.mark),
      () => `record ${main}_${subOf(mark)} after ${this.modRevision}_${this.sub} of one key`,
    );
    if (this.past === undefined) this.past = [this.modRevision, this.mark];
    else this.past.push(this.modRevision, this.mark);
    this.modRevision = main;
    this.mark = mark;
  }

  #setNewest(record: KeyValue): void {
    this.createRevision = record.createRevision;
    this.version = record.version;
    this.lease = record.lease;
  }
}

function markOf(sub: number, tombstone: boolean): number {
  return sub * 2 + (tombstone ? 1 : 0);
}

function subOf(mark: number): number {
  return Math.floor(mark / 2);
}

/** Does a record with this mark hold a value, rather than being a tombstone? */
export function isLive(mark: number): boolean {
  return mark % 2 === 0;
}
