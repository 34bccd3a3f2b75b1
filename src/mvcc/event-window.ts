/** The last changes, in memory: the bridge between reading history and being live. */
import type { Change } from './write-txn.js';

/** All changes of one revision. */
export interface RevisionChanges {
  readonly revision: number;
  readonly changes: readonly Change[];
}

interface Entry {
  readonly changes: RevisionChanges;
  readonly bytes: number;
}

const LARGEST_REVISIONS = 8192;

/** A queue of whole revisions, bounded in bytes and in number; the oldest go first. */
export class EventWindow {
  readonly #limitBytes: number;
  #queue: (Entry | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  /** Every change from this revision on is here. */
  #since = 1;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Forgets everything; changes from `revision` on will be pushed. */
  restart(revision: number): void {
    this.#queue = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#since = revision;
  }

  /** Is everything from `revision` on here? */
  covers(revision: number): boolean {
    return revision >= this.#since;
  }

  push(changes: RevisionChanges): void {
    const bytes = changes.changes.reduce((sum, change) => sum + changeSize(change), 0);
    this.#queue.push({ changes, bytes });
    this.#bytes += bytes;
    while (this.#bytes > this.#limitBytes || this.#length > LARGEST_REVISIONS) this.#dropOldest();
  }

  /** Up to `limit` revisions from `revision` on, which must be covered. */
  from(revision: number, limit: number): RevisionChanges[] {
    let low = this.#head;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#queue[middle]!.changes.revision < revision) low = middle + 1;
      else high = middle;
    }
    return this.#queue.slice(low, low + limit).map((entry) => entry!.changes);
  }

  get #length(): number {
    return this.#queue.length - this.#head;
  }

  #dropOldest(): void {
    const { changes, bytes } = this.#queue[this.#head]!;
    this.#queue[this.#head++] = undefined;
    this.#bytes -= bytes;
    this.#since = changes.revision + 1;
    if (this.#head > this.#queue.length / 2) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }
}

function changeSize({ event, previous }: Change): number {
  const { key, value } = event.kv;
  return 200 + key.length + value.length + (previous?.value.length ?? 0);
}
