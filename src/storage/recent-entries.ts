/** The newest entries of the log, in memory: bounded in bytes of data and in number. */
import type { Entry } from '../raft/index.js';

export interface RecentEntriesLimits {
  maxBytes: number;
  maxEntries: number;
}

export class RecentEntries {
  readonly #limits: RecentEntriesLimits;
  /** Consecutive; those before `#head` are forgotten and cut off from time to time. */
  #entries: (Entry | undefined)[] = [];
  #head = 0;
  #first = 1;
  #bytes = 0;

  constructor(limits: RecentEntriesLimits) {
    this.#limits = limits;
  }

  get(index: number): Entry | undefined {
    return index < this.#first ? undefined : this.#entries[this.#head + index - this.#first];
  }

  /** Adds the entry behind the last one; an entry elsewhere makes it start over from there. */
  push(entry: Entry): void {
    if (entry.index !== this.#first + this.#size) this.clear(entry.index);
    this.#entries.push(entry);
    this.#bytes += entry.data.length;
    while (this.#bytes > this.#limits.maxBytes || this.#size > this.#limits.maxEntries) {
      this.#dropFirst();
    }
    this.#cut();
  }

  /** Forgets `index` and all behind it. */
  truncateFrom(index: number): void {
    if (index <= this.#first) return this.clear(index);
    while (this.#first + this.#size > index) this.#bytes -= this.#entries.pop()!.data.length;
  }

  /** Forgets everything up to `index`. */
  dropThrough(index: number): void {
    if (index >= this.#first + this.#size) return this.clear(index + 1);
    while (this.#first <= index) this.#dropFirst();
    this.#cut();
  }

  /** Empty; the next entry is expected at `next`. */
  clear(next: number): void {
    this.#entries = [];
    this.#head = 0;
    this.#first = next;
    this.#bytes = 0;
  }

  get #size(): number {
    return this.#entries.length - this.#head;
  }

  #dropFirst(): void {
    this.#bytes -= this.#entries[this.#head]!.data.length;
    this.#entries[this.#head] = undefined;
    this.#head++;
    this.#first++;
  }

  #cut(): void {
    if (this.#head < 1024 || this.#head * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }
}
