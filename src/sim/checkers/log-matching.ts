/**
 * Log matching by induction: if every entry (index, term) that was ever seen has one content and one
 * predecessor, whoever holds it, then logs that share an entry are equal up to it. So only entries that
 * are new in a log have to be looked at.
 */
import type { Entry } from '../../raft/index.js';
import { sameEntry } from './committed-log.js';
import { ViolationError } from './violation.js';
import type { NodeView } from './world-view.js';

interface Known {
  readonly entry: Entry;
  /** Of the entry before it; undefined where nobody could say, being below a snapshot. */
  previousTerm: number | undefined;
}

/** All entries ever seen in any log. */
export class LogMatching {
  /** By index, then by term. */
  readonly #known = new Map<number, Map<number, Known>>();

  /** Takes up the log of `node` from index `from` on. Throws {@link ViolationError}. */
  take(node: NodeView, from: number): void {
    for (let index = from; index <= node.lastIndex; index++) {
      const entry = node.entryAt(index);
      if (entry !== undefined) this.#takeEntry(node, entry, node.entryAt(index - 1)?.term);
    }
  }

  #takeEntry(node: NodeView, entry: Entry, previousTerm: number | undefined): void {
    const { index, term } = entry;
    const terms = this.#known.get(index) ?? new Map<number, Known>();
    this.#known.set(index, terms);
    const known = terms.get(term);
    if (known === undefined) {
      terms.set(term, { entry, previousTerm });
      return;
    }
    if (!sameEntry(known.entry, entry)) {
      throw violation(`node ${node.id} holds another entry ${index} of term ${term} than others`);
    }
    known.previousTerm ??= previousTerm;
    if (previousTerm !== undefined && previousTerm !== known.previousTerm) {
      const terms = `${previousTerm} instead of ${known.previousTerm}`;
      throw violation(`before entry ${index} of term ${term} node ${node.id} has term ${terms}`);
    }
  }
}

function violation(explanation: string): ViolationError {
  return new ViolationError({ promise: 'log-matching', explanation });
}

/** The terms of one running node's log as they were after the last step. */
export class NodeLog {
  /** The last vote seen in the node's present term; 0n for none. */
  vote = 0n;
  #lastIndex = 0;
  /** By index; forgotten ones below a snapshot stay. */
  readonly #terms: number[] = [];

  /**
   * From where on the log is not what it was, and how many known entries that has cost; undefined if
   * nothing changed. Reads back from the end no further than the change.
   */
  compare(node: NodeView): { from: number; dropped: number } | undefined {
    const shared = Math.min(this.#lastIndex, node.lastIndex);
    let from = shared + 1;
    while (from > node.firstIndex && this.#terms[from - 1] !== node.entryAt(from - 1)?.term) from--;
    from = Math.max(from, node.firstIndex);
    if (from > node.lastIndex && node.lastIndex === this.#lastIndex) return undefined;
    // What a snapshot has put behind the log is not dropped.
    const dropped = Math.max(0, this.#lastIndex - from + 1);
    return { from, dropped };
  }

  take(node: NodeView, from: number): void {
    for (let index = from; index <= node.lastIndex; index++) {
      this.#terms[index] = node.entryAt(index)?.term ?? 0;
    }
    this.#lastIndex = node.lastIndex;
  }

  /** Next time the whole log is new. */
  forget(): void {
    this.#lastIndex = 0;
  }
}
