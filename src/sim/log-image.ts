/** What a raft log holds at one moment: in memory, on its way, or safely on disk. */
import { assert } from '../api/index.js';
import type { Entry, HardState, SnapshotMetadata } from '../raft/index.js';
import type { LogIdentity } from '../storage/index.js';

/** One atomic write to the log. */
export type LogWrite =
  | {
      readonly kind: 'append';
      readonly entries: readonly Entry[];
      readonly hardState?: HardState | undefined;
    }
  | { readonly kind: 'compact'; readonly index: number }
  | {
      readonly kind: 'install';
      readonly metadata: SnapshotMetadata;
      readonly hardState: HardState;
    }
  | { readonly kind: 'confState'; readonly metadata: SnapshotMetadata }
  | { readonly kind: 'identity'; readonly identity: LogIdentity };

const NOBODY = {
  voters: [],
  learners: [],
  votersOutgoing: [],
  learnersNext: [],
  autoLeave: false,
};

export class LogImage {
  hardState: HardState = { term: 0, vote: 0n, commit: 0 };
  metadata: SnapshotMetadata = { confState: NOBODY, index: 0, term: 0 };
  identity: LogIdentity | undefined;
  /** The entry at `index` is number `index - firstIndex`. */
  #entries: Entry[] = [];
  #firstIndex = 1;
  /** Of the entry before the first. */
  #startTerm = 0;

  get firstIndex(): number {
    return this.#firstIndex;
  }

  get lastIndex(): number {
    return this.#firstIndex + this.#entries.length - 1;
  }

  entryAt(index: number): Entry | undefined {
    return this.#entries[index - this.#firstIndex];
  }

  /** Known for the entry before the first as well. */
  termAt(index: number): number | undefined {
    if (index === this.#firstIndex - 1) return this.#startTerm;
    return this.entryAt(index)?.term;
  }

  apply(write: LogWrite): void {
    switch (write.kind) {
      case 'append':
        if (write.entries.length > 0) this.#append(write.entries);
        if (write.hardState !== undefined) this.hardState = write.hardState;
        break;
      case 'compact':
        this.#compact(write.index);
        break;
      case 'install':
        this.#install(write.metadata, write.hardState);
        break;
      case 'confState':
        this.metadata = write.metadata;
        break;
      case 'identity':
        this.identity = write.identity;
        break;
    }
  }

  copy(): LogImage {
    const copy = new LogImage();
    copy.hardState = this.hardState;
    copy.metadata = this.metadata;
    copy.identity = this.identity;
    copy.#entries = this.#entries.slice();
    copy.#firstIndex = this.#firstIndex;
    copy.#startTerm = this.#startTerm;
    return copy;
  }

  #append(entries: readonly Entry[]): void {
    const first = entries[0]!.index;
    assert(
      first >= this.#firstIndex && first <= this.lastIndex + 1,
      () => `entry ${first} does not fit ${this.#firstIndex} to ${this.lastIndex}`,
    );
    this.#entries.length = first - this.#firstIndex;
    for (const entry of entries) {
      assert(
        entry.index === this.lastIndex + 1 && entry.term >= this.termAt(entry.index - 1)!,
        () => `entry ${entry.index} of term ${entry.term} cannot follow ${this.lastIndex}`,
      );
      this.#entries.push(entry);
    }
  }

  #compact(index: number): void {
    if (index < this.#firstIndex) return;
    const term = this.termAt(index);
    assert(term !== undefined, () => `cannot compact at ${index}: the log ends before`);
    this.#entries = this.#entries.slice(index + 1 - this.#firstIndex);
    this.#firstIndex = index + 1;
    this.#startTerm = term;
  }

  #install(metadata: SnapshotMetadata, hardState: HardState): void {
    this.#entries = [];
    this.#firstIndex = metadata.index + 1;
    this.#startTerm = metadata.term;
    this.metadata = metadata;
    this.hardState = hardState;
  }
}
