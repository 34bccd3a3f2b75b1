/** What a raft log knows without looking at its entries; both implementations keep it alike. */
import assert from 'node:assert/strict';
import type { ConfState, Entry, HardState, Snapshot, SnapshotMetadata } from '../raft/index.js';
import type { LogIdentity } from './raft-log.js';
import { TermRuns } from './term-runs.js';

const NOBODY: ConfState = {
  voters: [],
  learners: [],
  votersOutgoing: [],
  learnersNext: [],
  autoLeave: false,
};
const NO_DATA = new Uint8Array(0);

/** Where the log begins: everything up to `index` is compacted or was never here. */
export interface LogStart {
  index: number;
  /** Term of the entry at `index`. */
  term: number;
}

export class LogState {
  hardState: HardState = { term: 0, vote: 0n, commit: 0 };
  /** What saveConfState or install wrote last. */
  metadata: SnapshotMetadata = { confState: NOBODY, index: 0, term: 0 };
  identity: LogIdentity | undefined;
  readonly terms: TermRuns;

  constructor(start: LogStart = { index: 0, term: 0 }) {
    this.terms = new TermRuns(start);
  }

  get firstIndex(): number {
    return this.terms.start.index + 1;
  }

  get lastIndex(): number {
    return this.terms.lastIndex;
  }

  snapshot(): Snapshot {
    return { metadata: this.metadata, data: NO_DATA };
  }

  /** `entries` must continue the log or replace its end. */
  append(entries: readonly Entry[]): void {
    this.terms.truncateFrom(entries[0]!.index);
    for (const { index, term } of entries) this.terms.append(index, term);
  }

  install(metadata: SnapshotMetadata, hardState: HardState): void {
    this.terms.reset({ index: metadata.index, term: metadata.term });
    this.metadata = metadata;
    this.hardState = hardState;
  }

  /** `[low, high)` must lie in the log: anything else is a bug of the caller. */
  checkRange(low: number, high: number): void {
    if (low < this.firstIndex || low > high || high > this.lastIndex + 1) {
      assert.fail(`[${low}, ${high}) is not within ${this.firstIndex} to ${this.lastIndex}`);
    }
  }
}

/** `[low, high)` of a log, by etcd's rule: the first one, and more while their data fits. */
export function takeEntries(
  low: number,
  high: number,
  maxBytes: number,
  entryAt: (index: number) => Entry,
): Entry[] {
  const entries: Entry[] = [];
  let bytes = 0;
  for (let index = low; index < high; index++) {
    const entry = entryAt(index);
    bytes += entry.data.length;
    if (entries.length > 0 && bytes > maxBytes) break;
    entries.push(entry);
  }
  return entries;
}
