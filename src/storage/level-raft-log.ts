/** The raft log on LevelDB. The contract is raft-log.ts. */
import assert from 'node:assert/strict';
import type { ConfState, Entry, HardState, Snapshot, SnapshotMetadata } from '../raft/index.js';
import { GroupCommit, type WrittenBatch } from './group-commit.js';
import { type LevelDb, createLevel, openLevel, reopenLevel } from './level-db.js';
import { type LevelBatch, LevelWriter, RECORD_OVERHEAD_BYTES } from './level-writer.js';
import { LogBlocks, cutIntoBlocks } from './log-blocks.js';
import {
  LogKey,
  encodeBlock,
  encodeHardState,
  encodeIdentity,
  encodeMetadata,
  encodeStart,
  entryKey,
} from './log-records.js';
import { type LogState, takeEntries } from './log-state.js';
import type { AppendBatch, LogIdentity, RaftLog } from './raft-log.js';
import { type LogReading, readBlock, readLog } from './read-log.js';
import { RecentEntries, type RecentEntriesLimits } from './recent-entries.js';

/** The limits say how much of the log's end is kept in memory: 64 MiB, 100,000 entries unless said. */
export interface LevelRaftLogOptions extends Partial<RecentEntriesLimits> {
  /** Never wait for fsync: fast, and a power cut may lose what was acknowledged. */
  unsafeNoSync?: boolean;
  /** Hears of every batch that was written. */
  written?: (batch: WrittenBatch) => void;
}

const DEFAULT_LIMITS: RecentEntriesLimits = { maxBytes: 32 << 20, maxEntries: 100_000 };
/** Only entries behind the cache are read back, and each once or twice. */
const CACHE_BYTES = 8 << 20;
/** Blocks removed in one batch after a compaction, so that appends get their turn in between. */
const REMOVE_BLOCKS = 1000;

export class LevelRaftLog implements RaftLog {
  readonly #db: LevelDb;
  readonly #folder: string;
  readonly #commits: GroupCommit;
  readonly #state: LogState;
  readonly #recent: RecentEntries;
  readonly #blocks: LogBlocks;
  /** The block that was read back last: who reads one old entry reads its neighbours next. */
  #readBack: readonly Entry[] = [];
  /** Last entry on disk once everything encoded so far is written. */
  #encodedLastIndex: number;

  private constructor(
    db: LevelDb,
    folder: string,
    { state, blocks }: LogReading,
    recent: RecentEntries,
    unsafeNoSync: boolean,
    written: LevelRaftLogOptions['written'],
  ) {
    this.#db = db;
    this.#folder = folder;
    this.#commits = new GroupCommit(new LevelWriter(db, folder), unsafeNoSync, written);
    this.#state = state;
    this.#recent = recent;
    this.#blocks = new LogBlocks(blocks);
    this.#encodedLastIndex = state.lastIndex;
  }

  /** Makes an empty log in `folder`, which must not exist (its parent must). */
  static async create(folder: string): Promise<void> {
    await createLevel(folder);
  }

  /**
   * Opens what {@link LevelRaftLog.create} made, verifying every record, that no index is missing and
   * that terms never fall. Throws StorageError; nothing is ever cut off.
   */
  static async open(folder: string, options: LevelRaftLogOptions = {}): Promise<LevelRaftLog> {
    const db = await openLevel(folder, { cacheBytes: CACHE_BYTES });
    try {
      const { unsafeNoSync = false, written, ...limits } = options;
      const recent = new RecentEntries({ ...DEFAULT_LIMITS, ...limits });
      const reading = await readLog(db, folder, (entry) => recent.push(entry));
      // A crash may have come between a compaction and the removal of what it covers.
      await db.clear({ lt: entryKey(reading.blocks[0] ?? reading.state.firstIndex) });
      await reopenLevel(db, folder);
      return new LevelRaftLog(db, folder, reading, recent, unsafeNoSync, written);
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  initialState(): { hardState: HardState; confState: ConfState } {
    return { hardState: this.#state.hardState, confState: this.#state.metadata.confState };
  }

  entries(low: number, high: number, maxBytes: number): Entry[] {
    this.#state.checkRange(low, high);
    return takeEntries(low, high, maxBytes, (index) => this.#entry(index));
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

  append({ entries, hardState, sync }: AppendBatch): Promise<void> {
    let blocks = 0;
    return this.#commits.submit({
      sync,
      encode: (batch) => {
        const before = this.#blocks.added;
        const bytes = this.#encodeEntries(batch, entries) + putHardState(batch, hardState);
        blocks = this.#blocks.added - before;
        return bytes;
      },
      apply: () => {
        this.#blocks.written(blocks);
        if (entries.length > 0) this.#applyEntries(entries);
        if (hardState !== undefined) this.#state.hardState = hardState;
      },
    });
  }

  async compact(index: number): Promise<void> {
    if (index < this.#state.firstIndex) return;
    await this.#commits.submit({
      sync: false,
      encode: (batch) => {
        batch.put(LogKey.start, encodeStart({ index, term: this.#termAt(index) }));
        return RECORD_OVERHEAD_BYTES;
      },
      apply: () => {
        if (index < this.#state.firstIndex) return;
        this.#state.terms.compact(index);
        this.#recent.dropThrough(index);
      },
    });
    await this.#removeThrough(index);
  }

  async install(metadata: SnapshotMetadata, hardState: HardState): Promise<void> {
    await this.#commits.submit({
      sync: true,
      encode: (batch) => {
        batch.put(LogKey.start, encodeStart(metadata));
        batch.put(LogKey.metadata, encodeMetadata(metadata));
        for (const first of this.#blocks.takeFrom(metadata.index + 1)) batch.del(entryKey(first));
        this.#encodedLastIndex = metadata.index;
        return RECORD_OVERHEAD_BYTES * 4 + putHardState(batch, hardState);
      },
      apply: () => {
        this.#state.install(metadata, hardState);
        this.#recent.clear(metadata.index + 1);
        this.#readBack = [];
      },
    });
    await this.#removeThrough(metadata.index);
  }

  saveConfState(metadata: SnapshotMetadata): Promise<void> {
    return this.#putRecord(LogKey.metadata, encodeMetadata(metadata), false, () => {
      this.#state.metadata = metadata;
    });
  }

  setIdentity(identity: LogIdentity): Promise<void> {
    return this.#putRecord(LogKey.identity, encodeIdentity(identity), true, () => {
      this.#state.identity = identity;
    });
  }

  async close(): Promise<void> {
    await this.#commits.idle();
    await this.#db.close();
  }

  #entry(index: number): Entry {
    return this.#recent.get(index) ?? this.#oldEntry(index);
  }

  #oldEntry(index: number): Entry {
    const at = (entries: readonly Entry[]) => entries[index - (entries[0]?.index ?? index)];
    const known = at(this.#readBack);
    if (known !== undefined && known.index === index) return known;
    const first = this.#blocks.firstOf(index) ?? assert.fail(`no block has entry ${index}`);
    this.#readBack = readBlock(this.#db, this.#folder, first);
    return at(this.#readBack) ?? assert.fail(`the block at ${first} ends before entry ${index}`);
  }

  #termAt(index: number): number {
    return this.#state.terms.term(index) ?? assert.fail(`the log has no term at ${index}`);
  }

  #encodeEntries(batch: LevelBatch, entries: readonly Entry[]): number {
    if (entries.length === 0) return 0;
    const end = this.#checkedEnd(entries);
    let bytes = this.#cutEncoded(batch, entries[0]!.index);
    for (const block of cutIntoBlocks(entries)) bytes += this.#putBlock(batch, block);
    this.#encodedLastIndex = end;
    return bytes;
  }

  #putBlock(batch: LevelBatch, entries: readonly Entry[]): number {
    const first = entries[0]!.index;
    const key = entryKey(first);
    const record = encodeBlock(key, entries);
    batch.put(key, record);
    this.#blocks.add(first, entries);
    return record.length + RECORD_OVERHEAD_BYTES;
  }

  /** Index of the last entry. A gap must be found before the disk has it. */
  #checkedEnd(entries: readonly Entry[]): number {
    const first = entries[0]!.index;
    if (first < this.#state.firstIndex || first > this.#encodedLastIndex + 1) {
      assert.fail(
        `entry ${first} does not fit ${this.#state.firstIndex} to ${this.#encodedLastIndex}`,
      );
    }
    entries.forEach(({ index }, i) => {
      if (index !== first + i) assert.fail(`entry ${index} stands where ${first + i} belongs`);
    });
    return first + entries.length - 1;
  }

  /**
   * Removes the entries from `index` on, in the same batch as what replaces them. A block that begins
   * before is written anew without them.
   */
  #cutEncoded(batch: LevelBatch, index: number): number {
    if (index > this.#encodedLastIndex) return 0;
    const first = this.#blocks.firstOf(index)!;
    const kept: Entry[] = [];
    for (let i = first; i < index; i++) kept.push(this.#blocks.unwritten(i) ?? this.#entry(i));
    for (const taken of this.#blocks.takeFrom(index)) batch.del(entryKey(taken));
    return kept.length === 0 ? 0 : this.#putBlock(batch, kept);
  }

  #applyEntries(entries: readonly Entry[]): void {
    this.#readBack = [];
    this.#state.append(entries);
    this.#recent.truncateFrom(entries[0]!.index);
    for (const entry of entries) this.#recent.push(entry);
  }

  /** Removes blocks that the start has passed. */
  async #removeThrough(index: number): Promise<void> {
    let removed: number[];
    do {
      removed = [];
      await this.#commits.submit({
        sync: false,
        encode: (batch) => {
          removed = this.#blocks.takeThrough(index, REMOVE_BLOCKS);
          for (const first of removed) batch.del(entryKey(first));
          return removed.length * RECORD_OVERHEAD_BYTES;
        },
        apply: () => {},
      });
    } while (removed.length === REMOVE_BLOCKS);
  }

  #putRecord(key: Buffer, record: Buffer, sync: boolean, apply: () => void): Promise<void> {
    return this.#commits.submit({
      sync,
      encode: (batch) => {
        batch.put(key, record);
        return record.length;
      },
      apply,
    });
  }
}

function putHardState(batch: LevelBatch, hardState: HardState | undefined): number {
  if (hardState !== undefined) batch.put(LogKey.hardState, encodeHardState(hardState));
  return RECORD_OVERHEAD_BYTES;
}
