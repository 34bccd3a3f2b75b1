/** The tail of the log (and perhaps a snapshot) that is not known to be durable. */
import { assert } from './assert.js';
import type { Entry, Snapshot } from './message.js';

/** What one Ready asked to be written and has not been reported durable. */
interface Write {
  readonly number: number;
  /** Its entries up to here are still part of the log; lowered when the log is cut behind it. */
  upTo: number;
  /** Index of the snapshot it installs; 0 for none. */
  readonly snapshotIndex: number;
}

/**
 * Three zones, for example with `offset` 5:
 *
 *     index     1 2 3 4 | 5 6 7 | 8 9
 *               stable  | being | not yet
 *               storage | written | handed out
 *
 * Writes are done in order. When the log is cut at 6 while 5 to 7 are being written, that write vouches
 * for 5 only, even if entries of the same terms come back later: on the disk the cut lies between.
 */
export class Unstable {
  /** Snapshot to be installed before anything else; its index is `offset - 1` or, cut never, below. */
  snapshot: Snapshot | undefined;
  /** Index of `entries[0]`, present or not. Everything below is in the stable log or the snapshot. */
  offset: number;
  entries: Entry[] = [];
  /** First index that no Ready has handed out; within `[offset, offset + entries.length]`. */
  #handOutFrom: number;
  #snapshotHandedOut = false;
  #writes: Write[] = [];

  constructor(offset: number) {
    this.offset = offset;
    this.#handOutFrom = offset;
  }

  get lastIndex(): number {
    return this.offset + this.entries.length - 1;
  }

  /** Last index that survives a crash; 0 while a snapshot is being installed. */
  get durableIndex(): number {
    return this.snapshot === undefined ? this.offset - 1 : 0;
  }

  /** Entries `[low, high)`, all at or above `offset`. */
  slice(low: number, high: number): Entry[] {
    return this.entries.slice(low - this.offset, high - this.offset);
  }

  /** Appends consecutive entries, replacing those at or after the first one's index. */
  append(entries: readonly Entry[]): void {
    const first = entries[0]!.index;
    assert(
      first <= this.lastIndex + 1,
      () => `entry ${first} leaves a gap after ${this.lastIndex}`,
    );
    if (first <= this.lastIndex) this.#cut(first);
    for (const entry of entries) this.entries.push(entry);
  }

  #cut(first: number): void {
    this.entries.length = Math.max(0, first - this.offset);
    this.offset = Math.min(this.offset, first);
    this.#handOutFrom = Math.min(this.#handOutFrom, first);
    for (const write of this.#writes) write.upTo = Math.min(write.upTo, first - 1);
  }

  /** Forgets the whole log in favour of a snapshot. */
  restore(snapshot: Snapshot): void {
    this.snapshot = snapshot;
    this.#snapshotHandedOut = false;
    this.entries = [];
    this.offset = snapshot.metadata.index + 1;
    this.#handOutFrom = this.offset;
    for (const write of this.#writes) write.upTo = 0;
  }

  hasUnwritten(): boolean {
    if (this.snapshot !== undefined && !this.#snapshotHandedOut) return true;
    return this.#handOutFrom <= this.lastIndex;
  }

  /** What is to be written next, as the write with this number (numbers ascend). */
  handOut(number: number): { entries: Entry[]; snapshot: Snapshot | undefined } {
    const entries = this.slice(this.#handOutFrom, this.lastIndex + 1);
    const snapshot = this.#snapshotHandedOut ? undefined : this.snapshot;
    this.#handOutFrom = this.lastIndex + 1;
    this.#snapshotHandedOut = this.snapshot !== undefined;
    if (entries.length > 0 || snapshot !== undefined) {
      const snapshotIndex = snapshot?.metadata.index ?? 0;
      this.#writes.push({ number, upTo: this.lastIndex, snapshotIndex });
    }
    return { entries, snapshot };
  }

  /** All writes up to `number` are durable. Returns the snapshot that is now installed, if any. */
  written(number: number): Snapshot | undefined {
    let installed: Snapshot | undefined;
    while (this.#writes.length > 0 && this.#writes[0]!.number <= number) {
      installed = this.#finish(this.#writes.shift()!) ?? installed;
    }
    return installed;
  }

  #finish(write: Write): Snapshot | undefined {
    const installed = this.#takeInstalled(write.snapshotIndex);
    const stable = write.upTo + 1 - this.offset;
    if (stable > 0) {
      this.entries = this.entries.slice(stable);
      this.offset = write.upTo + 1;
    }
    return installed;
  }

  /** A newer snapshot may have taken its place meanwhile. */
  #takeInstalled(index: number): Snapshot | undefined {
    const { snapshot } = this;
    if (snapshot?.metadata.index !== index || !this.#snapshotHandedOut) return undefined;
    this.snapshot = undefined;
    this.#snapshotHandedOut = false;
    return snapshot;
  }
}
