/** The raft log on a virtual disk: the contract of storage/raft-log.ts over a {@link LogImage}. */
import { assert } from '../api/index.js';
import type { ConfState, Entry, HardState, Snapshot, SnapshotMetadata } from '../raft/index.js';
import type { AppendBatch, LogIdentity, RaftLog } from '../storage/index.js';
import type { LogImage, LogWrite } from './log-image.js';
import { type Device, WriteQueue } from './write-queue.js';

const NO_DATA = new Uint8Array(0);

export class VirtualRaftLog implements RaftLog {
  /** What reads see: all that is written. */
  readonly readable: LogImage;
  readonly #queue: WriteQueue<LogWrite>;
  readonly #checkRead: () => void;
  /** Last entry once everything handed over so far is written. */
  #submittedLastIndex: number;

  /** `durable` is what the disk keeps; `checkRead` throws when the disk cannot be read. */
  constructor(durable: LogImage, device: Device, checkRead: () => void) {
    this.readable = durable.copy();
    this.#queue = new WriteQueue(device, (write) => durable.apply(write));
    this.#checkRead = checkRead;
    this.#submittedLastIndex = durable.lastIndex;
  }

  initialState(): { hardState: HardState; confState: ConfState } {
    return { hardState: this.readable.hardState, confState: this.readable.metadata.confState };
  }

  entries(low: number, high: number, maxBytes: number): Entry[] {
    const { firstIndex, lastIndex } = this.readable;
    assert(
      low >= firstIndex && low <= high && high <= lastIndex + 1,
      () => `[${low}, ${high}) is not within ${firstIndex} to ${lastIndex}`,
    );
    this.#checkRead();
    const entries: Entry[] = [];
    let bytes = 0;
    for (let index = low; index < high; index++) {
      const entry = this.readable.entryAt(index)!;
      bytes += entry.data.length;
      if (entries.length > 0 && bytes > maxBytes) break;
      entries.push(entry);
    }
    return entries;
  }

  term(index: number): number | undefined {
    return this.readable.termAt(index);
  }

  firstIndex(): number {
    return this.readable.firstIndex;
  }

  lastIndex(): number {
    return this.readable.lastIndex;
  }

  snapshot(): Snapshot {
    return { metadata: this.readable.metadata, data: NO_DATA };
  }

  identity(): LogIdentity | undefined {
    return this.readable.identity;
  }

  async append({ entries, hardState, sync }: AppendBatch): Promise<void> {
    if (entries.length > 0) this.#submittedLastIndex = this.#checkedEnd(entries);
    await this.#write({ kind: 'append', entries, hardState }, sync);
  }

  async compact(index: number): Promise<void> {
    if (index < this.readable.firstIndex) return;
    assert(
      index <= this.readable.lastIndex,
      () => `cannot compact at ${index}: the log ends at ${this.readable.lastIndex}`,
    );
    await this.#write({ kind: 'compact', index }, false);
  }

  install(metadata: SnapshotMetadata, hardState: HardState): Promise<void> {
    this.#submittedLastIndex = metadata.index;
    return this.#write({ kind: 'install', metadata, hardState }, true);
  }

  saveConfState(metadata: SnapshotMetadata): Promise<void> {
    return this.#write({ kind: 'confState', metadata }, false);
  }

  setIdentity(identity: LogIdentity): Promise<void> {
    return this.#write({ kind: 'identity', identity }, true);
  }

  close(): Promise<void> {
    return this.#queue.idle();
  }

  /** See {@link WriteQueue.crash}. */
  crash(inFlightArrives: boolean, keep: (count: number) => number): number {
    return this.#queue.crash(inFlightArrives, keep);
  }

  /** Index of the last entry. A gap must be found before the disk has it. */
  #checkedEnd(entries: readonly Entry[]): number {
    const first = entries[0]!.index;
    assert(
      first >= this.readable.firstIndex && first <= this.#submittedLastIndex + 1,
      () =>
        `entry ${first} does not fit ${this.readable.firstIndex} to ${this.#submittedLastIndex}`,
    );
    return first + entries.length - 1;
  }

  #write(write: LogWrite, sync: boolean): Promise<void> {
    return new Promise((resolve, refused) => {
      const done = () => {
        this.readable.apply(write);
        resolve();
      };
      this.#queue.submit({ write, sync, done, refused });
    });
  }
}
