/** The one log that all nodes agree on, put together as they commit and apply it. */
import type { Entry } from '../../raft/index.js';
import type { NodeView } from './world-view.js';

interface Committed {
  readonly entry: Entry;
  /** Term of the first node that was seen to know it as committed. */
  readonly inTerm: number;
}

export class CommittedLog {
  /** By index. */
  readonly #entries = new Map<number, Committed>();
  /** Entries 1 to n, without a gap. */
  readonly #applied: Entry[] = [];
  /** When each of them was first applied. */
  readonly #appliedAtMs: number[] = [];
  #lastIndex = 0;

  get lastIndex(): number {
    return this.#lastIndex;
  }

  appliedEntries(): readonly Entry[] {
    return this.#applied;
  }

  /** When any node first applied `index`, in true virtual milliseconds; undefined if none has. */
  appliedAtMs(index: number): number | undefined {
    return this.#appliedAtMs[index - 1];
  }

  /**
   * Takes up what `node` has committed from index `from` on. The result is an index at which it differs
   * from what was committed before, if there is one.
   */
  commit(node: NodeView, from: number): number | undefined {
    const first = Math.max(from, node.firstIndex);
    for (let index = first; index <= node.commitIndex; index++) {
      const entry = node.entryAt(index);
      if (entry === undefined) continue; // a snapshot's index, ahead of the log
      const known = this.#entries.get(index);
      if (known !== undefined && !sameEntry(known.entry, entry)) return index;
      if (known === undefined) this.#entries.set(index, { entry, inTerm: node.term });
    }
    this.#lastIndex = Math.max(this.#lastIndex, node.commitIndex);
    return undefined;
  }

  /** The same for what `node` has applied. */
  apply(node: NodeView, from: number, nowMs: number): number | undefined {
    const first = Math.max(from, node.firstIndex);
    for (let index = first; index <= node.appliedIndex; index++) {
      const entry = node.entryAt(index);
      const known = this.#entries.get(index);
      if (entry === undefined) continue;
      if (known === undefined || !sameEntry(known.entry, entry)) return index;
    }
    while (this.#applied.length < node.appliedIndex) {
      const next = this.#entries.get(this.#applied.length + 1);
      if (next === undefined) break;
      this.#applied.push(next.entry);
      this.#appliedAtMs.push(nowMs);
    }
    return undefined;
  }

  /** First entry that a term before `leader`'s has committed and `leader` lacks; undefined if it has all. */
  firstMissing(leader: NodeView): number | undefined {
    for (let index = leader.firstIndex; index <= this.#lastIndex; index++) {
      const known = this.#entries.get(index);
      if (known === undefined || known.inTerm >= leader.term) continue;
      const held = leader.entryAt(index);
      if (held === undefined || !sameEntry(held, known.entry)) return index;
    }
    return undefined;
  }
}

/** Equal in every part; cheap when both are the same object. */
export function sameEntry(a: Entry, b: Entry): boolean {
  if (a === b) return true;
  if (a.index !== b.index || a.term !== b.term || a.type !== b.type) return false;
  return sameBytes(a.data, b.data);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
