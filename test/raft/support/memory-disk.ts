/** A disk that can lose what was not synced, as the core's storage. */
import type {
  ConfState,
  Entry,
  HardState,
  RaftStorage,
  Ready,
  Snapshot,
} from '../../../src/raft/index.js';

export const NO_CONF: ConfState = {
  voters: [],
  learners: [],
  votersOutgoing: [],
  learnersNext: [],
  autoLeave: false,
};

export function confOf(voters: readonly bigint[], learners: readonly bigint[] = []): ConfState {
  return { ...NO_CONF, voters, learners };
}

export class MemoryDisk implements RaftStorage {
  hardState: HardState = { term: 0, vote: 0n, commit: 0 };
  #syncedHardState = this.hardState;
  /** Configuration as of {@link MemoryDisk.appliedIndex}. */
  confState: ConfState;
  /** What the state machine has made durable. */
  appliedIndex = 0;
  #entries: Entry[] = [];
  #compacted = { index: 0, term: 0 };
  #snapshot: Snapshot;

  constructor(confState: ConfState = NO_CONF) {
    this.confState = confState;
    this.#snapshot = { metadata: { confState, index: 0, term: 0 }, data: new Uint8Array(0) };
  }

  /** Makes one Ready's writes. */
  write({ snapshot, entries, hardState, mustSync }: Ready): void {
    if (snapshot !== undefined) this.#install(snapshot);
    this.append(entries);
    this.hardState = hardState ?? this.hardState;
    if (mustSync) this.#syncedHardState = this.hardState;
  }

  /** What a member is born with. */
  found(entries: readonly Entry[], hardState: HardState): void {
    this.append(entries);
    this.hardState = hardState;
    this.#syncedHardState = hardState;
  }

  append(entries: readonly Entry[]): void {
    const first = entries[0]?.index;
    if (first === undefined) return;
    this.#entries.length = first - this.firstIndex();
    for (const entry of entries) this.#entries.push(entry);
  }

  #install(snapshot: Snapshot): void {
    const { index, term, confState } = snapshot.metadata;
    this.#snapshot = snapshot;
    this.#entries = [];
    this.#compacted = { index, term };
    this.saveApplied(index, confState);
  }

  saveApplied(index: number, confState: ConfState): void {
    this.appliedIndex = index;
    this.confState = confState;
  }

  /** Describes the applied state and drops the log behind it, all but the newest `keep` entries. */
  compact(applied: number, confState: ConfState, keep: number): void {
    const term = this.term(applied)!;
    this.saveApplied(applied, confState);
    this.#snapshot = { metadata: { index: applied, term, confState }, data: new Uint8Array(0) };
    const index = applied - keep;
    if (index < this.firstIndex()) return;
    const compacted = { index, term: this.term(index)! };
    this.#entries = this.#entries.slice(index + 1 - this.firstIndex());
    this.#compacted = compacted;
  }

  /** The power fails: a commit index that was not synced may be gone. */
  loseUnsynced(): void {
    this.hardState = this.#syncedHardState;
  }

  initialState(): { hardState: HardState; confState: ConfState } {
    return { hardState: this.hardState, confState: this.confState };
  }

  entries(low: number, high: number, maxBytes: number): Entry[] {
    const found: Entry[] = [];
    let bytes = 0;
    for (let index = low; index < high; index++) {
      const entry = this.#entries[index - this.firstIndex()];
      if (entry === undefined) throw new Error(`entry ${index} is not stored`);
      bytes += entry.data.length;
      if (found.length > 0 && bytes > maxBytes) break;
      found.push(entry);
    }
    return found;
  }

  term(index: number): number | undefined {
    if (index === this.#compacted.index) return this.#compacted.term;
    return this.#entries[index - this.firstIndex()]?.term;
  }

  firstIndex(): number {
    return this.#compacted.index + 1;
  }

  lastIndex(): number {
    return this.#compacted.index + this.#entries.length;
  }

  snapshot(): Snapshot {
    return this.#snapshot;
  }
}
