/** Past changes, read back from the backend for watchers that are behind. */
import type { Pair } from '../backend/index.js';
import type { RevisionChanges } from './event-window.js';
import type { Keyspace } from './keyspace.js';
import { decodeRecord } from './record.js';
import { firstRecordKey, isTombstoneKey, mainOfRecordKey } from './revision.js';
import { scanRecords } from './scan.js';
import { tombstonePair, type Change } from './write-txn.js';

const ENOUGH_RECORDS = 1000;
/** etcd answers a watcher that catches up with so many revisions at a time. */
const LARGEST_REVISIONS = 1000;
const ENOUGH_BYTES = 4 * 1024 * 1024;

export interface History {
  readonly revisions: readonly RevisionChanges[];
  /** Everything up to here, from where the reading began, is in `revisions`. */
  readonly through: number;
}

/**
 * Reads whole revisions from `from` on: up to a thousand revisions, about a thousand records or four
 * MiB, but never part of a revision. Where a compaction has passed `from` meanwhile, records may be missing.
 */
export async function readHistory(keyspace: Keyspace, from: number): Promise<History> {
  const records: Pair[] = [];
  let bytes = 0;
  let through = keyspace.currentRevision;
  for await (const slice of scanRecords(keyspace.backend, firstRecordKey(from), undefined)) {
    for (const pair of slice) {
      records.push(pair);
      bytes += pair[1].length;
    }
    // The last revision seen may go on in the next slice.
    const whole = mainOfRecordKey(records.at(-1)![0]) - 1;
    const enough = records.length >= ENOUGH_RECORDS || bytes >= ENOUGH_BYTES;
    if (enough && mainOfRecordKey(records[0]![0]) <= whole) {
      through = whole;
      break;
    }
  }
  const revisions = groupByRevision(records, through);
  if (revisions.length <= LARGEST_REVISIONS) return { revisions, through };
  const first = revisions.slice(0, LARGEST_REVISIONS);
  return { revisions: first, through: first.at(-1)!.revision };
}

function groupByRevision(records: readonly Pair[], through: number): RevisionChanges[] {
  const revisions: { revision: number; changes: Change[] }[] = [];
  for (const [name, bytes] of records) {
    const revision = mainOfRecordKey(name);
    if (revision > through) break;
    if (revisions.at(-1)?.revision !== revision) revisions.push({ revision, changes: [] });
    revisions.at(-1)!.changes.push(changeOf(name, bytes, revision));
  }
  return revisions;
}

function changeOf(name: string, bytes: Uint8Array, revision: number): Change {
  const record = decodeRecord(bytes, name);
  return isTombstoneKey(name)
    ? { event: { type: 'delete', kv: tombstonePair(record.key, revision) }, previous: undefined }
    : { event: { type: 'put', kv: record }, previous: undefined };
}
