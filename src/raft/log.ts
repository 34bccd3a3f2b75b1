/** The replicated log of one member: the stable part in storage, then the unstable tail. */
import { assert } from './assert.js';
import { EntryType, type Entry, type Snapshot } from './message.js';
import type { RaftStorage } from './storage.js';
import { Unstable } from './unstable.js';

/** An index with the term of the entry there. */
export interface LogPosition {
  readonly index: number;
  readonly term: number;
}

/** Sum of data lengths: the measure of every limit in bytes. */
export function bytesOf(entries: readonly Entry[]): number {
  let bytes = 0;
  for (const entry of entries) bytes += entry.data.length;
  return bytes;
}

/** Invariant: `applied <= handedOut <= committed <= lastIndex`, and `handedOut` is durable. */
export class Log {
  readonly unstable: Unstable;
  /** Highest index known to be on a quorum (paper, figure 2: commitIndex). */
  committed: number;
  /** Highest index that the application has reported applied. */
  applied: number;
  /** Highest index that a Ready has given to the application to apply. */
  handedOut: number;
  readonly #storage: RaftStorage;

  /** What is applied is committed, even if the commit index was lost in a crash (it is not synced). */
  constructor(storage: RaftStorage, committed: number, applied: number) {
    this.#storage = storage;
    this.unstable = new Unstable(storage.lastIndex() + 1);
    const compacted = storage.firstIndex() - 1;
    this.applied = Math.max(applied, compacted);
    this.handedOut = this.applied;
    this.committed = Math.max(committed, this.applied);
    assert(
      this.committed <= this.lastIndex,
      () => `commit index ${this.committed} is beyond the last entry ${this.lastIndex}`,
    );
  }

  /** First index whose entry can be read; the term of the one before it is known as well. */
  get firstIndex(): number {
    const { snapshot } = this.unstable;
    return snapshot === undefined ? this.#storage.firstIndex() : snapshot.metadata.index + 1;
  }

  get lastIndex(): number {
    return this.unstable.lastIndex;
  }

  get lastTerm(): number {
    return this.knownTerm(this.lastIndex);
  }

  /** The term at `index`; undefined when it is compacted or beyond the end. */
  term(index: number): number | undefined {
    const { unstable } = this;
    if (index >= unstable.offset) return unstable.entries[index - unstable.offset]?.term;
    const { snapshot } = unstable;
    if (snapshot === undefined) return index < 0 ? undefined : this.#storage.term(index);
    return index === snapshot.metadata.index ? snapshot.metadata.term : undefined;
  }

  /** The term at an index that must be in the log. */
  knownTerm(index: number): number {
    const term = this.term(index);
    assert(term !== undefined, () => `no term for index ${index}, log ends at ${this.lastIndex}`);
    return term;
  }

  matches(position: LogPosition): boolean {
    return this.term(position.index) === position.term;
  }

  /** Is a log that ends there at least as up to date as this one (paper, section 5.4.1)? */
  isUpToDate(last: LogPosition): boolean {
    const { lastTerm } = this;
    return last.term > lastTerm || (last.term === lastTerm && last.index >= this.lastIndex);
  }

  /** Appends consecutive entries, replacing what conflicts; never anything committed. */
  append(entries: readonly Entry[]): void {
    const first = entries[0]?.index;
    if (first === undefined) return;
    assert(first > this.committed, () => `entry ${first} would replace a committed one`);
    this.unstable.append(entries);
  }

  /**
   * What a follower does with an append (paper, figure 2): false when the log does not hold `previous`;
   * else appends what is new. Entries that are there already are left alone: the message may be old.
   */
  maybeAppend(previous: LogPosition, entries: readonly Entry[]): boolean {
    if (!this.matches(previous)) return false;
    const from = this.#firstNew(entries);
    if (from < entries.length) this.append(from === 0 ? entries : entries.slice(from));
    return true;
  }

  #firstNew(entries: readonly Entry[]): number {
    const { lastIndex } = this;
    let i = 0;
    while (i < entries.length && entries[i]!.index <= lastIndex && this.matches(entries[i]!)) i++;
    return i;
  }

  /** The last position at or before `index` whose term is not above `term`: the logs may agree there. */
  lastNotAbove(index: number, term: number): LogPosition {
    for (let i = index; i > 0; i--) {
      const own = this.term(i);
      if (own === undefined || own <= term) return { index: i, term: own ?? 0 };
    }
    return { index: 0, term: 0 };
  }

  /** Commit indexes never go back; one beyond the log means that acknowledged entries are gone. */
  commitTo(index: number): boolean {
    if (index <= this.committed) return false;
    assert(
      index <= this.lastIndex,
      () => `commit index ${index} is beyond the last entry ${this.lastIndex}: was the log lost?`,
    );
    this.committed = index;
    return true;
  }

  /** Entries `[low, high)`, as many from the front as fit in `maxBytes` but at least one. */
  slice(low: number, high: number, maxBytes: number): Entry[] {
    const { offset } = this.unstable;
    if (low >= high) return [];
    const stableEnd = Math.min(high, offset);
    const stable = low < stableEnd ? this.#storage.entries(low, stableEnd, maxBytes) : [];
    if (low + stable.length < stableEnd || high <= offset) return stable;
    const from = Math.max(low, offset);
    const room = stable.length === 0 ? maxBytes : maxBytes - bytesOf(stable);
    const tail = this.unstable.slice(from, this.#fitting(from, high, room, stable.length === 0));
    return stable.length === 0 ? tail : stable.concat(tail);
  }

  /** End of the unstable entries from `from` that fit in `room`. */
  #fitting(from: number, high: number, room: number, atLeastOne: boolean): number {
    const { offset, entries } = this.unstable;
    let bytes = 0;
    for (let index = from; index < high; index++) {
      bytes += entries[index - offset]!.data.length;
      if (bytes > room) return index === from && atLeastOne ? from + 1 : index;
    }
    return high;
  }

  /** Entries from `low` to the end, within `maxBytes`; undefined when `low` is compacted. */
  entriesFrom(low: number, maxBytes: number): Entry[] | undefined {
    if (low < this.firstIndex) return undefined;
    return this.slice(low, this.lastIndex + 1, maxBytes);
  }

  /**
   * Only what is durable here may be applied, although a leader may see its entries committed by others
   * first: else a restart could find a state that is ahead of the log.
   */
  get #appliable(): number {
    return Math.min(this.committed, this.unstable.durableIndex);
  }

  hasToApply(): boolean {
    return this.#appliable > this.handedOut;
  }

  /** The next committed entries to apply, at least one if there is any. */
  handOutCommitted(maxBytes: number): Entry[] {
    if (!this.hasToApply()) return [];
    const entries = this.slice(this.handedOut + 1, this.#appliable + 1, maxBytes);
    this.handedOut += entries.length;
    return entries;
  }

  appliedTo(index: number): void {
    assert(index <= this.committed, () => `applied ${index} is not committed: ${this.committed}`);
    this.applied = Math.max(this.applied, index);
    this.handedOut = Math.max(this.handedOut, index);
  }

  /** Is a configuration change committed but not applied? */
  hasUnappliedConfChange(): boolean {
    for (let low = this.applied + 1; low <= this.committed;) {
      const page = this.slice(low, this.committed + 1, SCAN_PAGE_BYTES);
      if (page.some((entry) => entry.type !== EntryType.normal)) return true;
      low += page.length;
    }
    return false;
  }

  /** Replaces everything by a snapshot, which is committed by nature. */
  restore(snapshot: Snapshot): void {
    this.committed = snapshot.metadata.index;
    this.unstable.restore(snapshot);
  }

  storedSnapshot(): Snapshot {
    return this.unstable.snapshot ?? this.#storage.snapshot();
  }

  /** All writes up to this number are durable. A snapshot now installed is returned, and applied. */
  written(number: number): Snapshot | undefined {
    const installed = this.unstable.written(number);
    if (installed !== undefined) this.appliedTo(installed.metadata.index);
    return installed;
  }
}

const SCAN_PAGE_BYTES = 1 << 20;
