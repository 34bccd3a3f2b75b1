/** Rebuilding the index from bucket `key`: at start, and after a snapshot took the bucket's place. */
import { MetaKey } from '../backend/index.js';
import { KeyIndex } from './key-index.js';
import { ABOVE_ALL_KEYS } from './key-range.js';
import type { Keyspace } from './keyspace.js';
import { decodeRecordWithoutValue } from './record.js';
import { isRecordKey, isTombstoneKey, mainOfRecordKey, subOfRecordKey } from './revision.js';
import { scanRecords, type YieldTurn } from './scan.js';
import { SortedRuns } from './sorted-runs.js';

/** Keys attached per turn. */
const ATTACH_SLICE = 5000;
/** Keys put into the tree per turn. */
const TREE_SLICE = 10_000;

/** What has been read so far and waits to be put in its place. */
interface Read {
  readonly keys: SortedRuns;
  /** Has any record a lease? */
  leased: boolean;
}

/**
 * Fills `keyspace`, which must be clear, by one scan in revision order, and attaches every live key to
 * its lease. Values stay where they are until they are asked for. Throws MalformedRecordError.
 */
export async function restoreKeyspace(keyspace: Keyspace, yieldTurn: YieldTurn): Promise<void> {
  const read: Read = { keys: new SortedRuns(), leased: false };
  for await (const slice of scanRecords(keyspace.backend, '', undefined)) {
    for (const [name, bytes] of slice) restoreRecord(keyspace, read, name, bytes);
    await yieldTurn();
  }
  await putIntoTree(keyspace, read.keys, yieldTurn);
  const scheduled = readMetaRevision(keyspace, MetaKey.scheduledCompactRev);
  const finished = readMetaRevision(keyspace, MetaKey.finishedCompactRev);
  keyspace.compactRevision = Math.max(-1, scheduled ?? -1, finished ?? -1);
  keyspace.currentRevision = Math.max(keyspace.currentRevision, keyspace.compactRevision);
  if (read.leased) await attachLeases(keyspace, yieldTurn);
}

/** A compaction revision kept in bucket `meta`, as a record key. */
export function readMetaRevision(keyspace: Keyspace, key: string): number | undefined {
  const bytes = keyspace.backend.get('meta', key);
  if (bytes === undefined) return undefined;
  const text = String.fromCharCode(...bytes);
  return isRecordKey(text) ? mainOfRecordKey(text) : undefined;
}

/** In order: several times as fast as key by key as they come, and the tree's nodes are full. */
async function putIntoTree(
  { tree }: Keyspace,
  keys: SortedRuns,
  yieldTurn: YieldTurn,
): Promise<void> {
  let left = TREE_SLICE;
  for (const index of keys.inOrder()) {
    tree.insertKnown(index);
    if (--left > 0) continue;
    left = TREE_SLICE;
    await yieldTurn();
  }
}

/** A key seen for the first time goes into `read.keys`, to be put into the tree when all have been read. */
function restoreRecord(keyspace: Keyspace, read: Read, name: string, bytes: Uint8Array): void {
  const main = mainOfRecordKey(name);
  const sub = subOfRecordKey(name);
  const tombstone = isTombstoneKey(name);
  const record = decodeRecordWithoutValue(bytes, name);
  const known = keyspace.tree.get(record.key);
  if (known === undefined) {
    const created = KeyIndex.restored(record, main, sub, tombstone);
    keyspace.tree.know(created);
    read.keys.add(created);
  } else {
    known.restore(record, main, sub, tombstone);
  }
  if (record.lease !== 0n) read.leased = true;
  if (main > keyspace.currentRevision) keyspace.currentRevision = main;
}

async function attachLeases(keyspace: Keyspace, yieldTurn: YieldTurn): Promise<void> {
  let next: string | undefined = '';
  while (next !== undefined) {
    let left = ATTACH_SLICE;
    const from: string = next;
    next = undefined;
    keyspace.tree.ascend(from, ABOVE_ALL_KEYS, (index) => {
      if (left-- === 0) {
        next = index.key;
        return false;
      }
      if (index.alive && index.lease !== 0n) keyspace.leases.attach(index.lease, index.key);
      return true;
    });
    await yieldTurn();
  }
}
