/** The raft log of a member that needs no disk: for the library and the simulator. */
import type { ConfState, Entry, HardState, Snapshot, SnapshotMetadata } from '../raft/index.js';
import { LogState, takeEntries } from './log-state.js';
import type { AppendBatch, LogIdentity, RaftLog } from './raft-log.js';

export class MemoryRaftLog implements RaftLog {
  readonly #state = new LogState();
  /** The entry at index i is number i - firstIndex. */
  #entries: Entry[] = [];

  initialState(): { hardState: HardState; confState: ConfState } {
    return { hardState: this.#state.hardState, confState: this.#state.metadata.confState };
  }

  entries(low: number, high: number, maxBytes: number): Entry[] {
    this.#state.checkRange(low, high);
    const first = this.#state.firstIndex;
    return takeEntries(low, high, maxBytes, (index) => this.#entries[index - first]!);
  }

  term(index: number): number | undefined {
    return this.#state.terms.term(index);
  }

  firstIndex(): number {
    return this.#state.firstIndex;
  }

  lastIndex(): number {
    return this.#state.lastIndex;
  }

  snapshot(): Snapshot {
    return this.#state.snapshot();
  }

  identity(): LogIdentity | undefined {
    return this.#state.identity;
  }

  async append({ entries, hardState }: AppendBatch): Promise<void> {
    if (entries.length > 0) {
      this.#state.append(entries);
      this.#entries.splice(entries[0]!.index - this.#state.firstIndex, Infinity, ...entries);
    }
    if (hardState !== undefined) this.#state.hardState = hardState;
  }

  async compact(index: number): Promise<void> {
    if (index < this.#state.firstIndex) return;
    this.#entries = this.#entries.slice(index + 1 - this.#state.firstIndex);
    this.#state.terms.compact(index);
  }

  async install(metadata: SnapshotMetadata, hardState: HardState): Promise<void> {
    this.#state.install(metadata, hardState);
    this.#entries = [];
  }

  async saveConfState(metadata: SnapshotMetadata): Promise<void> {
    this.#state.metadata = metadata;
  }

  async setIdentity(identity: LogIdentity): Promise<void> {
    this.#state.identity = identity;
  }

  async close(): Promise<void> {}
}
