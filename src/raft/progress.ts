/** What the leader knows about one member's log (paper, figure 2: nextIndex, matchIndex). */
import type { Inflights } from './inflights.js';

/**
 * - `probe`: where the follower's log agrees is unknown: one append per heartbeat interval.
 * - `replicate`: it agrees: appends are pipelined, `next` runs ahead optimistically.
 * - `snapshot`: it needs entries that are compacted: nothing is sent until the snapshot has an outcome.
 */
export type ProgressState = 'probe' | 'replicate' | 'snapshot';

export class Progress {
  state: ProgressState = 'probe';
  /** Highest index known to be durable at the member and equal to the leader's. */
  match = 0;
  /** Index of the next entry to send; always above `match`. */
  next: number;
  /** Highest commit index sent; lets the leader skip appends that would tell nothing new. */
  sentCommit = 0;
  /** Index of the snapshot being sent, in state `snapshot`; else 0. */
  pendingSnapshot = 0;
  /** Heard from since the last quorum check (dissertation, section 6.2). */
  recentActive = false;
  /** Appends wait for an acknowledgement or the next heartbeat response. */
  flowPaused = false;
  isLearner = false;
  readonly inflights: Inflights;

  constructor(next: number, inflights: Inflights) {
    this.next = next;
    this.inflights = inflights;
  }

  becomeProbe(): void {
    const afterSnapshot = this.state === 'snapshot' ? this.pendingSnapshot + 1 : 0;
    this.#enter('probe');
    this.next = Math.max(this.match + 1, afterSnapshot);
    this.#capSentCommit();
  }

  becomeReplicate(): void {
    this.#enter('replicate');
    this.next = this.match + 1;
    this.#capSentCommit();
  }

  becomeSnapshot(index: number): void {
    this.#enter('snapshot');
    this.pendingSnapshot = index;
    this.next = index + 1;
    this.sentCommit = index;
  }

  #enter(state: ProgressState): void {
    this.state = state;
    this.flowPaused = false;
    this.pendingSnapshot = 0;
    this.inflights.clear();
  }

  /** What may have been sent beyond `next - 1` is no longer assumed to have arrived. */
  #capSentCommit(): void {
    this.sentCommit = Math.min(this.sentCommit, this.next - 1);
  }

  /** Takes note of an append of `entryCount` entries with `bytes` of data. */
  sentEntries(entryCount: number, bytes: number): void {
    if (this.state === 'replicate') {
      if (entryCount > 0) {
        this.next += entryCount;
        this.inflights.add(this.next - 1, bytes);
      }
      this.flowPaused = this.inflights.isFull();
    } else if (entryCount > 0) {
      this.flowPaused = true;
    }
  }

  /** Would telling `commit` be news that the member can use? */
  canBumpCommit(commit: number): boolean {
    return commit > this.sentCommit && this.sentCommit < this.next - 1;
  }

  /** The member has everything up to `index`. Says whether that was news. */
  maybeUpdate(index: number): boolean {
    if (index <= this.match) return false;
    this.match = index;
    this.next = Math.max(this.next, index + 1);
    this.flowPaused = false;
    return true;
  }

  /**
   * The member refused an append after `rejected` and may agree at `hint`. Says whether `next` was
   * moved back; a refusal that cannot belong to what was last sent is stale and moves nothing.
   */
  maybeDecreaseTo(rejected: number, hint: number): boolean {
    if (this.state === 'replicate') {
      if (rejected <= this.match) return false;
      this.next = this.match + 1;
    } else {
      if (this.next - 1 !== rejected) return false;
      this.next = Math.max(Math.min(rejected, hint + 1), this.match + 1);
      this.flowPaused = false;
    }
    this.#capSentCommit();
    return true;
  }

  isPaused(): boolean {
    return this.state === 'snapshot' || this.flowPaused;
  }
}
