/** What the core reads of the stable log: entries whose write has been reported done. */
import type { ConfState, Entry, HardState, Snapshot } from './message.js';

/**
 * The stable log. Reads are synchronous and side-effect free. An index below `firstIndex()` (except
 * `firstIndex() - 1` for {@link RaftStorage.term}) is compacted; one above `lastIndex()` unavailable.
 */
export interface RaftStorage {
  /** What was persisted before this start. */
  initialState(): { hardState: HardState; confState: ConfState };
  /**
   * Entries `[low, high)`, at least one even if it alone exceeds `maxBytes` (the sum of data lengths),
   * and otherwise as many from the front as fit. Both ends must lie in the stable log.
   */
  entries(low: number, high: number, maxBytes: number): Entry[];
  /** Term of the entry at `index`, for `firstIndex() - 1 <= index <= lastIndex()`; else undefined. */
  term(index: number): number | undefined;
  /** First entry kept: 1 + the index of the last compaction or installed snapshot. */
  firstIndex(): number;
  /** Last stable entry, or `firstIndex() - 1` when there is none. */
  lastIndex(): number;
  /** The newest snapshot's description (index 0 when there is none). */
  snapshot(): Snapshot;
}
