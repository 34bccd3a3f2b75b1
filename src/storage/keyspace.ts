/** One generation of the keyspace: an open LevelDB that knows its sizes and who still reads it. */
import { rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BUCKETS, type Bucket, type Pair, type ScanOptions } from '../backend/index.js';
import { latin1FromBytes } from '../bytes/index.js';
import { StorageError, diskRefusal } from './errors.js';
import { folderBytes } from './files.js';
import {
  END_KEY,
  TALLY_KEY,
  decodeTally,
  encodeTally,
  keyspaceEnd,
  keyspaceKey,
} from './keyspace-schema.js';
import { damaged, readRefusal, scanKeyspace } from './keyspace-scan.js';
import { type LevelDb, openLevel, reopenLevel } from './level-db.js';
import { type LevelBatch, LevelWriter, RECORD_OVERHEAD_BYTES } from './level-writer.js';
import { sealed, unseal } from './record.js';
import { type Change, WriteBuffer } from './write-buffer.js';

type DbSnapshot = ReturnType<LevelDb['snapshot']>;

/** Operations put into a batch before other work gets a turn. */
const SLICE_OPS = 1000;
/** How stale the measured size of the folder may get, in milliseconds and in bytes written since. */
const MEASURE_AFTER_MS = 1000;
const MEASURE_AFTER_BYTES = 64 << 20;
/** When a new generation is filled, bytes a batch. */
const FILL_BYTES = 1 << 20;

export class Keyspace {
  readonly #db: LevelDb;
  readonly #folder: string;
  readonly #writer: LevelWriter;
  #liveBytes: number;
  /**
   * Greatest key of each bucket, ever. A put behind it cannot replace anything, so its predecessor need
   * not be looked up to keep {@link liveBytes} exact: the case of nearly every put (revisions ascend).
   */
  readonly #greatest: Map<Bucket, string>;
  #measuredBytes: number;
  #measuredAtMs = performance.now();
  #bytesSinceMeasured = 0;
  /** Scans and snapshots that still read; the database closes when it is retired and they are done. */
  #readers = 0;
  #retired = false;
  #removed = false;
  #closed: Promise<void> | undefined;

  private constructor(
    db: LevelDb,
    folder: string,
    liveBytes: number,
    greatest: Map<Bucket, string>,
    measuredBytes: number,
  ) {
    this.#db = db;
    this.#folder = folder;
    this.#writer = new LevelWriter(db, folder);
    this.#liveBytes = liveBytes;
    this.#greatest = greatest;
    this.#measuredBytes = measuredBytes;
  }

  static async open(folder: string, cacheBytes: number): Promise<Keyspace> {
    const db = await openLevel(folder, { cacheBytes });
    try {
      const liveBytes = readTally(db, folder);
      const greatest = await greatestKeys(db, folder);
      return new Keyspace(db, folder, liveBytes, greatest, await folderBytes(folder));
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  /** Bytes of all keys and values on disk that are live. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** Bytes of the files when last measured, and what has been written since; never 0. */
  diskBytes(): number {
    return this.#measuredBytes + this.#bytesSinceMeasured;
  }

  get(bucket: Bucket, key: string): Uint8Array | undefined {
    const dbKey = keyspaceKey(bucket, key);
    let record: Buffer | undefined;
    try {
      record = this.#db.getSync(dbKey);
    } catch (error) {
      throw readRefusal(this.#folder, error);
    }
    if (record === undefined) return undefined;
    const value = unseal(dbKey, record);
    if (value === undefined) throw damaged(this.#folder, bucket, key);
    return value;
  }

  /** Sees the disk as of the call (or as of `view`) with `changes` laid over it. */
  async scan(
    bucket: Bucket,
    options: ScanOptions,
    changes: readonly Change[],
    view?: DbSnapshot,
  ): Promise<Pair[]> {
    this.#readers++;
    try {
      return await scanKeyspace(this.#db, this.#folder, bucket, options, changes, view);
    } finally {
      await this.#leave();
    }
  }

  /** A view that later writes do not change. */
  freeze(): { view: DbSnapshot; close(): Promise<void> } {
    const view = this.#db.snapshot();
    this.#readers++;
    let closed: Promise<void> | undefined;
    const close = async () => {
      await view.close();
      await this.#leave();
    };
    return { view, close: () => (closed ??= close()) };
  }

  /** Writes all of `buffer` in one atomic batch. */
  write(buffer: WriteBuffer, sync: boolean): Promise<void> {
    return this.#write(buffer, { sync, tally: true });
  }

  async #write(
    buffer: WriteBuffer,
    { sync, tally }: { sync: boolean; tally: boolean },
  ): Promise<void> {
    if (this.#writer.failure !== undefined) throw this.#writer.failure;
    const replacedBytes = await this.#replacedBytes(buffer);
    const liveBytes = this.#liveBytes + buffer.putBytes - replacedBytes;
    const batch = this.#writer.batch();
    let ops = 0;
    for (const [bucket, change] of buffer.all()) {
      addChange(batch, bucket, change);
      if (++ops % SLICE_OPS === 0) await nextTurn();
    }
    if (tally) batch.put(TALLY_KEY, sealed(TALLY_KEY, encodeTally(liveBytes)));
    await this.#writer.write(batch, buffer.bytes + RECORD_OVERHEAD_BYTES * buffer.ops, sync);
    this.#written(buffer, liveBytes);
    await this.#measureIfStale();
  }

  /**
   * Puts `pairs` into an empty keyspace; durable when it resolves. The tally comes last, alone of the keys
   * that are always rewritten: tables that hold ascending keys and nothing else need never be merged. And
   * while one is being written nothing more is gathered, so that memory stays bounded on a slow disk.
   */
  async fill(pairs: AsyncIterable<readonly [Bucket, Pair]>): Promise<void> {
    let buffer = new WriteBuffer();
    for await (const [bucket, [key, value]] of pairs) {
      buffer.set(bucket, key, value);
      if (buffer.bytes < FILL_BYTES) continue;
      await this.#write(buffer, { sync: false, tally: false });
      await this.#writer.settle();
      buffer = new WriteBuffer();
    }
    await this.write(buffer, true);
    await this.#writer.settle();
    await this.#measure();
  }

  /**
   * Rewrites the files without what was deleted. LevelDB leaves a level alone when nothing lies above
   * it; so a pair of records is written first that spans all keys and has to be merged down through
   * every level. Twice: the first time, all may still have been in the journal.
   */
  async defragment(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      const batch = this.#writer.batch();
      batch.put(TALLY_KEY, sealed(TALLY_KEY, encodeTally(this.#liveBytes)));
      batch.put(END_KEY, sealed(END_KEY, new Uint8Array(0)));
      await this.#writer.write(batch, 0, true);
      await this.#db.compactRange(TALLY_KEY, END_KEY).catch((error: unknown) => {
        throw diskRefusal('defragment', this.#folder, error);
      });
    }
    await this.#measure();
  }

  /** Gives back the mapped pages of its files. Nobody may read or write meanwhile. */
  async releaseMemory(): Promise<void> {
    await this.#writer.settle();
    await reopenLevel(this.#db, this.#folder);
  }

  /** The folder goes too, once the database is closed. */
  removeWhenRetired(): void {
    this.#removed = true;
  }

  /** No more writes: closes as soon as the last reader has left. Resolves at once if one is there. */
  async retire(): Promise<void> {
    this.#retired = true;
    await this.#closeIfUnused();
  }

  async #leave(): Promise<void> {
    this.#readers--;
    await this.#closeIfUnused();
  }

  async #closeIfUnused(): Promise<void> {
    if (this.#retired && this.#readers === 0) await (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#writer.settle();
    await this.#db.close();
    // What cannot be removed now is removed at the next start.
    if (this.#removed) await rm(this.#folder, { recursive: true, force: true }).catch(() => {});
  }

  /** Bytes of the pairs on disk that `buffer` deletes or replaces. */
  async #replacedBytes(buffer: WriteBuffer): Promise<number> {
    let keys: Buffer[] = [];
    let bytes = 0;
    for (const [bucket, [key]] of buffer.all()) {
      if (key > (this.#greatest.get(bucket) ?? '')) continue;
      keys.push(keyspaceKey(bucket, key));
      if (keys.length < SLICE_OPS) continue;
      bytes += await this.#storedBytes(keys);
      keys = [];
    }
    return bytes + (await this.#storedBytes(keys));
  }

  async #storedBytes(keys: Buffer[]): Promise<number> {
    const records = await this.#db.getMany(keys).catch((error: unknown) => {
      throw readRefusal(this.#folder, error);
    });
    let bytes = 0;
    records.forEach((record, i) => {
      if (record !== undefined) bytes += keys[i]!.length - 1 + record.length - 4;
    });
    return bytes;
  }

  #written(buffer: WriteBuffer, liveBytes: number): void {
    this.#liveBytes = liveBytes;
    this.#bytesSinceMeasured += buffer.bytes;
    for (const [bucket, [key, value]] of buffer.all()) {
      if (value !== undefined && key > (this.#greatest.get(bucket) ?? '')) {
        this.#greatest.set(bucket, key);
      }
    }
  }

  async #measureIfStale(): Promise<void> {
    const stale = performance.now() - this.#measuredAtMs > MEASURE_AFTER_MS;
    if (stale || this.#bytesSinceMeasured > MEASURE_AFTER_BYTES) await this.#measure();
  }

  async #measure(): Promise<void> {
    this.#bytesSinceMeasured = 0;
    this.#measuredAtMs = performance.now();
    this.#measuredBytes = Math.max(1, await folderBytes(this.#folder));
  }
}

function addChange(batch: LevelBatch, bucket: Bucket, [key, value]: Change): void {
  const dbKey = keyspaceKey(bucket, key);
  if (value === undefined) batch.del(dbKey);
  else batch.put(dbKey, sealed(dbKey, value));
}

function readTally(db: LevelDb, folder: string): number {
  const record = db.getSync(TALLY_KEY);
  if (record === undefined) return 0;
  const bytes = unseal(TALLY_KEY, record);
  if (bytes === undefined) throw new StorageError('CORRUPT', `${folder} is damaged: its tally`);
  const liveBytes = decodeTally(bytes);
  if (liveBytes === undefined) {
    throw new StorageError('FORMAT', `${folder} was written by a newer version`);
  }
  return liveBytes;
}

async function greatestKeys(db: LevelDb, folder: string): Promise<Map<Bucket, string>> {
  const greatest = new Map<Bucket, string>();
  for (const bucket of BUCKETS) {
    const range = { gte: keyspaceKey(bucket, ''), lt: keyspaceEnd(bucket) };
    const keys = await db
      .keys({ ...range, reverse: true, limit: 1 })
      .all()
      .catch((error: unknown) => {
        throw readRefusal(folder, error);
      });
    if (keys.length > 0) greatest.set(bucket, latin1FromBytes(keys[0]!, 1));
  }
  return greatest;
}
