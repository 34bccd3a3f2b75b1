/**
 * Very many keys brought into order with little work in any one turn: they are gathered into runs that
 * are sorted one by one, and the runs are merged as they are read.
 */
import type { KeyIndex } from './key-index.js';

/** Keys sorted in one turn: some ten milliseconds. */
const RUN_KEYS = 20_000;

interface Run {
  readonly items: readonly KeyIndex[];
  /** Where it has been read to, and the key there. */
  at: number;
  key: string;
}

export class SortedRuns {
  #gathering: KeyIndex[] = [];
  readonly #runs: Run[] = [];

  /** Adds a key that was not added before; sorts when a run is full. */
  add(index: KeyIndex): void {
    this.#gathering.push(index);
    if (this.#gathering.length >= RUN_KEYS) this.#endRun();
  }

  /** All keys, ascending. To be called once, at the end. */
  *inOrder(): Generator<KeyIndex> {
    this.#endRun();
    const heap = this.#runs;
    for (let i = heap.length >> 1; i >= 0; i--) sink(heap, i);
    for (let first = heap[0]; first !== undefined; first = heap[0]) {
      yield first.items[first.at++]!;
      const next = first.items[first.at];
      if (next !== undefined) first.key = next.key;
      else dropFirst(heap);
      sink(heap, 0);
    }
  }

  #endRun(): void {
    const items = this.#gathering;
    if (items.length === 0) return;
    items.sort((a, b) => (a.key < b.key ? -1 : 1));
    this.#runs.push({ items, at: 0, key: items[0]!.key });
    this.#gathering = [];
  }
}

/** Puts the last run in the place of the first, which has been read to its end. */
function dropFirst(heap: Run[]): void {
  const last = heap.pop()!;
  if (heap.length > 0) heap[0] = last;
}

/** Moves the run at `position` down to where none below it has a smaller key. */
function sink(heap: Run[], position: number): void {
  const run = heap[position];
  if (run === undefined) return;
  let at = position;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1]!.key < heap[child]!.key) child++;
    if (run.key <= heap[child]!.key) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = run;
}
