/** The keyspace in a snapshot file, read in place: the file is never changed, nothing is restored. */
import { type Int64, type KeyValue, type RangeResponse, etcdError } from '../api/index.js';
import { MetaKey } from '../backend/index.js';
import type { BoltReader } from '../bolt/index.js';
import { latin1FromBytes } from '../bytes/index.js';
import {
  type KeyspaceHash,
  MalformedRecordError,
  Store,
  decodeRecord,
  endOfRange,
  isRecordKey,
  isTombstoneKey,
  mainOfRecordKey,
} from '../mvcc/index.js';
import { SnapshotBackend } from './snapshot-backend.js';

export { MalformedRecordError };

/**
 * HashKV of the snapshot's keyspace at `revision` (0: the last one): equal to the answer of a member
 * that has been restored from it. Takes memory for the index, as a member does. Rejects with the
 * EtcdErrors compacted and futureRev.
 */
export async function hashSnapshot(reader: BoltReader, revision: Int64): Promise<KeyspaceHash> {
  const backend = await SnapshotBackend.open(reader);
  const store = await Store.open(backend, {
    leases: { has: () => false, attach: () => {}, detach: () => {} },
    cacheBytes: 0,
    yieldTurn: () => new Promise((resolve) => setImmediate(resolve)),
  });
  return store.hashKv(revision);
}

/** Keys from `key` to `rangeEnd` as Range means them, at `revision` (0: the last one). */
export interface SnapshotRange {
  key: string;
  rangeEnd: string;
  revision: Int64;
}

/**
 * The pairs in that range, in key order, by one walk over the file: memory is what the pairs take. The
 * header says which revision the snapshot is of, and nothing else. Rejects as {@link hashSnapshot} does.
 */
export async function readSnapshot(
  reader: BoltReader,
  { key, rangeEnd, revision }: SnapshotRange,
): Promise<RangeResponse> {
  const end = endOfRange(key, rangeEnd);
  const found = new Map<string, KeyValue>();
  const compacted = await compactRevisionOf(reader);
  let current = Math.max(1, compacted);
  for await (const chunk of reader.pairs('key')) {
    for (const [name, value] of chunk) {
      const main = mainOf(name);
      current = Math.max(current, main);
      if (revision > 0 && main > revision) continue;
      const pair = decodeRecord(value, name);
      if (pair.key < key || pair.key >= end) continue;
      if (isTombstoneKey(name)) found.delete(pair.key);
      else found.set(pair.key, pair);
    }
  }
  if (revision > current) throw etcdError('futureRev');
  if (revision > 0 && revision < compacted) throw etcdError('compacted');
  const kvs = [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  const header = { clusterId: 0n, memberId: 0n, revision: current, raftTerm: 0 };
  return { header, kvs, more: false, count: kvs.length };
}

function mainOf(name: string): number {
  if (!isRecordKey(name)) throw new MalformedRecordError(name, 'its key is no revision');
  return mainOfRecordKey(name);
}

/** -1 when never compacted. */
async function compactRevisionOf(reader: BoltReader): Promise<number> {
  const value = await reader.get('meta', MetaKey.scheduledCompactRev);
  const name = value === undefined ? '' : latin1FromBytes(value);
  return isRecordKey(name) ? mainOfRecordKey(name) : -1;
}
