/** Ordered reads of one bucket: what is on disk, merged with what is not there yet. */
import type { AbstractIterator } from 'abstract-level';
import type { Bucket, Pair, ScanOptions } from '../backend/index.js';
import { latin1FromBytes } from '../bytes/index.js';
import { StorageError, diskRefusal } from './errors.js';
import { keyspaceEnd, keyspaceKey } from './keyspace-schema.js';
import type { LevelDb } from './level-db.js';
import { unseal } from './record.js';
import type { Change } from './write-buffer.js';

type DbIterator = AbstractIterator<unknown, Buffer, Buffer>;
type DbSnapshot = ReturnType<LevelDb['snapshot']>;

/** Pairs fetched at a time: two or three milliseconds of this thread. */
const FETCH_PAIRS = 1000;
const FETCH_BYTES = 2 << 20;

/**
 * At most `limit` pairs of the range in ascending order, with `changes` (ascending, in the range) laid
 * over the disk. The disk is seen as of the call, or as of `snapshot`.
 */
export async function scanKeyspace(
  db: LevelDb,
  folder: string,
  bucket: Bucket,
  { from, to, limit }: ScanOptions,
  changes: readonly Change[],
  snapshot?: DbSnapshot,
): Promise<Pair[]> {
  if (limit <= 0 || (to !== undefined && to <= from)) return [];
  const iterator = db.iterator({
    gte: keyspaceKey(bucket, from),
    lt: to === undefined ? keyspaceEnd(bucket) : keyspaceKey(bucket, to),
    highWaterMarkBytes: FETCH_BYTES,
    ...(snapshot === undefined ? {} : { snapshot }),
  });
  const merged = new MergedPairs(changes, limit);
  try {
    let fetched = await fetch(iterator, folder, merged.wanted());
    while (fetched.length > 0) {
      // The next records are read, on another thread, while these are looked at.
      const left = merged.wanted() - fetched.length;
      const next = left > 0 ? fetch(iterator, folder, left) : undefined;
      next?.catch(() => {});
      if (merged.take(openAll(fetched, folder, bucket))) {
        await next;
        return merged.pairs;
      }
      fetched = await (next ?? fetch(iterator, folder, merged.wanted()));
    }
    return merged.finish();
  } finally {
    await iterator.close();
  }
}

function fetch(iterator: DbIterator, folder: string, wanted: number): Promise<[Buffer, Buffer][]> {
  return iterator.nextv(Math.min(FETCH_PAIRS, wanted)).catch((error: unknown) => {
    throw readRefusal(folder, error);
  });
}

function openAll(records: readonly [Buffer, Buffer][], folder: string, bucket: Bucket): Pair[] {
  return records.map(([key, record]) => {
    const value = unseal(key, record);
    const text = latin1FromBytes(key, 1);
    if (value === undefined) throw damaged(folder, bucket, text);
    return [text, value] as const;
  });
}

/** StorageError CORRUPT for a record that fails its checksum. */
export function damaged(folder: string, bucket: Bucket, key: string): StorageError {
  const name = Buffer.from(key, 'latin1').toString('hex');
  return new StorageError('CORRUPT', `${folder} is damaged: bucket ${bucket}, key 0x${name}`);
}

/** What a failed read means: LevelDB's own finding of damage, or a refusal of the disk. */
export function readRefusal(folder: string, error: unknown): StorageError {
  const code = (error as { code?: string }).code;
  if (code !== 'LEVEL_CORRUPTION') return diskRefusal('read', folder, error);
  return new StorageError('CORRUPT', `${folder} is damaged: a table file`, { cause: error });
}

/** Two ascending lists as one, where the changes win and may delete. */
class MergedPairs {
  readonly pairs: Pair[] = [];
  readonly #changes: readonly Change[];
  readonly #limit: number;
  #next = 0;

  constructor(changes: readonly Change[], limit: number) {
    this.#changes = changes;
    this.#limit = limit;
  }

  /** How many pairs of the disk can still matter: each remaining change may hide one. */
  wanted(): number {
    return this.#limit - this.pairs.length + (this.#changes.length - this.#next);
  }

  /** Merges the next pairs of the disk; true when the limit is reached. */
  take(pairs: readonly Pair[]): boolean {
    for (const pair of pairs) {
      const hidden = this.#changesUpTo(pair[0]);
      if (!hidden && !this.#full()) this.pairs.push(pair);
      if (this.#full()) return true;
    }
    return false;
  }

  /** The disk has no more: adds the remaining changes. */
  finish(): Pair[] {
    while (this.#next < this.#changes.length && !this.#full()) this.#addChange();
    return this.pairs;
  }

  /** Adds changes up to `key`; was one of them of that very key? */
  #changesUpTo(key: string): boolean {
    let same = false;
    while (this.#next < this.#changes.length && !this.#full()) {
      const changed = this.#changes[this.#next]![0];
      if (changed > key) break;
      same = changed === key;
      this.#addChange();
    }
    return same;
  }

  #addChange(): void {
    const [key, value] = this.#changes[this.#next++]!;
    if (value !== undefined) this.pairs.push([key, value]);
  }

  #full(): boolean {
    return this.pairs.length >= this.#limit;
  }
}
