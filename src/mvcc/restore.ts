/** Rebuilding the index from bucket `key`: at start, and after a snapshot took the bucket's place. */
import { MetaKey } from '../backend/index.js';
import { KeyIndex } from './key-index.js';
import { ABOVE_ALL_KEYS } from './key-range.js';
import type { Keyspace } from './keyspace.js';
import { decodeRecordWithoutValue } from './record.js';
import { isRecordKey, isTombstoneKey, mainOfRecordKey, subOfRecordKey } from './revision.js';
import { scanRecords, type YieldTurn } from './scan.js';

/** Keys attached per turn. */
const ATTACH_SLICE = 5000;
/**
 * New keys put into the tree together, in order: neighbours go where the last one went, several times as
 * fast as key by key; and not too many for one turn.
 */
const TREE_BATCH = 50_000;

/**
 * Fills `keyspace`, which must be clear, by one scan in revision order, and attaches every live key to
 * its lease. Values stay where they are until they are asked for. Throws MalformedRecordError.
 */
export async function restoreKeyspace(keyspace: Keyspace, yieldTurn: YieldTurn): Promise<void> {
  const fresh = new Set<KeyIndex>();
  for await (const slice of scanRecords(keyspace.backend, '', undefined)) {
    for (const [name, bytes] of slice) restoreRecord(keyspace, fresh, name, bytes);
    if (fresh.size >= TREE_BATCH) putIntoTree(keyspace, fresh);
    await yieldTurn();
  }
  putIntoTree(keyspace, fresh);
  const scheduled = readMetaRevision(keyspace, MetaKey.scheduledCompactRev);
  const finished = readMetaRevision(keyspace, MetaKey.finishedCompactRev);
  keyspace.compactRevision = Math.max(-1, scheduled ?? -1, finished ?? -1);
  keyspace.currentRevision = Math.max(keyspace.currentRevision, keyspace.compactRevision);
  await attachLeases(keyspace, yieldTurn);
}

/** A compaction revision kept in bucket `meta`, as a record key. */
export function readMetaRevision(keyspace: Keyspace, key: string): number | undefined {
  const bytes = keyspace.backend.get('meta', key);
  if (bytes === undefined) return undefined;
  const text = String.fromCharCode(...bytes);
  return isRecordKey(text) ? mainOfRecordKey(text) : undefined;
}

function putIntoTree(keyspace: Keyspace, fresh: Set<KeyIndex>): void {
  keyspace.tree.insertKnown([...fresh]);
  fresh.clear();
}

/** A key seen for the first time waits in `fresh` to be put into the tree. */
function restoreRecord(
  keyspace: Keyspace,
  fresh: Set<KeyIndex>,
  name: string,
  bytes: Uint8Array,
): void {
  const main = mainOfRecordKey(name);
  const sub = subOfRecordKey(name);
  const tombstone = isTombstoneKey(name);
  const record = decodeRecordWithoutValue(bytes, name);
  const known = keyspace.tree.get(record.key);
  if (known === undefined) {
    const created = KeyIndex.restored(record, main, sub, tombstone);
    keyspace.tree.know(created);
    fresh.add(created);
  } else {
    const wasAlive = known.alive;
    known.restore(record, main, sub, tombstone);
    const changed = known.alive !== wasAlive;
    if (changed && !fresh.has(known)) keyspace.tree.countLife(known, known.alive ? 1 : -1);
  }
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
