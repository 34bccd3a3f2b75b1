/** Reads a raft log back at start, believing nothing. */
import type { Entry } from '../raft/index.js';
import { StorageError } from './errors.js';
import { readRefusal } from './keyspace-scan.js';
import type { LevelDb } from './level-db.js';
import {
  LogKey,
  decodeBlock,
  decodeHardState,
  decodeIdentity,
  decodeMetadata,
  decodeStart,
  entryKey,
  indexOfKey,
} from './log-records.js';
import { LogState } from './log-state.js';
import { unseal } from './record.js';

const FETCH_RECORDS = 1000;
const FETCH_BYTES = 4 << 20;

export interface LogReading {
  state: LogState;
  /** Index of the first entry of each block, ascending. */
  blocks: number[];
}

/**
 * The state of the log in `db`. Every block's checksum, the unbroken sequence of indexes and that terms
 * never fall are verified; each entry is handed to `seen`. Throws StorageError CORRUPT otherwise.
 */
export async function readLog(
  db: LevelDb,
  folder: string,
  seen: (entry: Entry) => void,
): Promise<LogReading> {
  const state = readState(db, folder);
  const blocks: number[] = [];
  const iterator = db.iterator({
    gte: await firstBlockKey(db, state.firstIndex),
    lt: LogKey.entriesEnd,
    highWaterMarkBytes: FETCH_BYTES,
  });
  try {
    let records = await iterator.nextv(FETCH_RECORDS);
    while (records.length > 0) {
      // The next records are read, on another thread, while these are looked at.
      const next = iterator.nextv(FETCH_RECORDS);
      next.catch(() => {});
      for (const [key, record] of records) {
        for (const entry of acceptBlock(state, folder, key, record)) seen(entry);
        blocks.push(indexOfKey(key));
      }
      records = await next;
    }
  } catch (error) {
    throw error instanceof StorageError ? error : readRefusal(folder, error);
  } finally {
    await iterator.close();
  }
  checkCommit(state, folder);
  return { state, blocks };
}

/** The block that begins at `index`. Throws StorageError CORRUPT when it is missing or damaged. */
export function readBlock(db: LevelDb, folder: string, index: number): Entry[] {
  const key = entryKey(index);
  let record: Buffer | undefined;
  try {
    record = db.getSync(key);
  } catch (error) {
    throw readRefusal(folder, error);
  }
  if (record === undefined) throw corrupt(folder, `entry ${index} is missing`);
  return openBlock(folder, key, record);
}

/** A block may begin with entries that are compacted: where the one that has `firstIndex` does. */
async function firstBlockKey(db: LevelDb, firstIndex: number): Promise<Buffer> {
  const key = entryKey(firstIndex);
  const [at] = await db.keys({ lte: key, reverse: true, limit: 1 }).all();
  return at ?? key;
}

function readState(db: LevelDb, folder: string): LogState {
  const start = readRecord(db, folder, LogKey.start, decodeStart, 'its start');
  const state = new LogState(start);
  const hardState = readRecord(db, folder, LogKey.hardState, decodeHardState, 'its hard state');
  const metadata = readRecord(db, folder, LogKey.metadata, decodeMetadata, 'its membership');
  state.identity = readRecord(db, folder, LogKey.identity, decodeIdentity, 'its identity');
  if (hardState !== undefined) state.hardState = hardState;
  if (metadata !== undefined) state.metadata = metadata;
  return state;
}

function readRecord<T>(
  db: LevelDb,
  folder: string,
  key: Buffer,
  decode: (bytes: Buffer) => T | undefined,
  what: string,
): T | undefined {
  const record = db.getSync(key);
  if (record === undefined) return undefined;
  const bytes = unseal(key, record);
  if (bytes === undefined) throw corrupt(folder, what);
  const value = decode(bytes);
  if (value === undefined) {
    throw new StorageError('FORMAT', `raft log in ${folder} was written by a newer version`);
  }
  return value;
}

/** The block's entries that are still in the log: none of a block that is compacted as a whole. */
function acceptBlock(state: LogState, folder: string, key: Buffer, record: Buffer): Entry[] {
  const expected = state.lastIndex + 1;
  if (key.length !== 8) throw corrupt(folder, `a key behind entry ${state.lastIndex}`);
  const first = indexOfKey(key);
  const isFirst = expected === state.firstIndex;
  if (isFirst ? first > expected : first !== expected) {
    throw corrupt(folder, `entry ${expected} is missing`);
  }
  const entries = openBlock(folder, key, record).slice(expected - first);
  for (const { index, term } of entries) {
    const before = state.terms.lastTerm;
    if (term < before) {
      throw corrupt(folder, `entry ${index} has term ${term}, the one before ${before}`);
    }
    state.terms.append(index, term);
  }
  return entries;
}

function openBlock(folder: string, key: Buffer, record: Buffer): Entry[] {
  const index = indexOfKey(key);
  const bytes = unseal(key, record);
  const entries = bytes && decodeBlock(index, bytes);
  if (entries === undefined) throw corrupt(folder, `entry ${index} fails its checksum`);
  return entries;
}

/** What was committed was durable before. */
function checkCommit({ hardState, lastIndex }: LogState, folder: string): void {
  if (hardState.commit <= lastIndex) return;
  throw corrupt(folder, `entries ${lastIndex + 1} to ${hardState.commit} are missing`);
}

function corrupt(folder: string, what: string): StorageError {
  return new StorageError('CORRUPT', `raft log in ${folder} is damaged: ${what}`);
}
