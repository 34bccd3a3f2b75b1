/**
 * A new cluster from an old keyspace: fills an empty disk from a snapshot's bbolt file. Users' data,
 * leases and alarms are kept; members, their ids and raft's log are new, as etcd's restore makes them.
 */
import type { Member } from '../api/index.js';
import { BUCKETS, type Bucket, MetaKey, type Pair } from '../backend/index.js';
import { type BoltReader, requireSound } from '../bolt/index.js';
import { bytesFromLatin1, hexId, latin1FromBytes } from '../bytes/index.js';
import { memberJson } from '../codec/index.js';
import { decodeRecord, isRecordKey, mainOfRecordKey, recordKey } from '../mvcc/index.js';
import type { SnapshotMetadata } from '../raft/index.js';
import { foundCluster } from './bootstrap.js';
import type { Disk } from './environment.js';
import { compareIds } from './ids.js';
import type { MemberConfig } from './member-config.js';
import { APPLIED_KEYS, appliedRecords } from './snapshot-transfer.js';

/** A file that cannot become a keyspace; `message` is one line, or a line per problem found. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}

export interface RestoreOptions {
  /**
   * Raises the revision by so many and marks everything before as compacted: clients that saw later
   * revisions of the lost cluster learn that their view is void, instead of waiting for ever.
   */
  bumpRevision?: number;
  /** Take a snapshot of a cluster with users and roles, of which nothing here keeps watch. */
  withoutAuth?: boolean;
}

export interface Restored {
  memberId: bigint;
  clusterId: bigint;
}

/**
 * Fills `disk`, which must be new, so that its first start is as one founder of `config`'s cluster. The
 * file is verified before anything is written. Rejects with {@link RestoreError}, with a BoltError for
 * a damaged file, with MalformedRecordError, or with StartError for flags that contradict each other.
 *
 * The log begins behind a snapshot that covers the founders' entries. Were they in the log itself, a
 * member added later would be sent them, and not the keyspace, which no entry holds.
 */
export async function restoreSnapshot(
  disk: Pick<Disk, 'log' | 'backend'>,
  reader: BoltReader,
  config: MemberConfig,
  options: RestoreOptions = {},
): Promise<Restored> {
  const { memberId, clusterId, peers } = foundCluster(config);
  await refuseForeign(reader);
  if (options.withoutAuth !== true) await refuseAuth(reader);
  const founders = [...peers, selfOf(config, memberId)].sort((a, b) => compareIds(a.id, b.id));
  const metadata = metadataOf(founders);
  const pairs = restoredPairs(reader, founders, metadata, options.bumpRevision ?? 0);
  await disk.backend.replace(pairs);
  await disk.log.install(metadata, { term: 1, vote: 0n, commit: metadata.index });
  await disk.log.setIdentity({ memberId, clusterId });
  return { memberId, clusterId };
}

async function refuseForeign(reader: BoltReader): Promise<void> {
  const names = reader.buckets();
  const missing = ['key', 'meta'].find((name) => !names.includes(name));
  if (missing !== undefined) {
    throw new RestoreError(`the file is not a snapshot of etcd: it has no bucket "${missing}"`);
  }
  const strange = names.find((name) => !(BUCKETS as readonly string[]).includes(name));
  if (strange !== undefined) {
    throw new RestoreError(`the snapshot has a bucket "${strange}", which is not known here`);
  }
  await requireSound(reader);
}

async function refuseAuth(reader: BoltReader): Promise<void> {
  if ((await reader.get('auth', 'authEnabled'))?.[0] !== 1) return;
  throw new RestoreError(
    'the snapshot has authentication enabled, but there are no users and roles here:' +
      ' everybody could read and write what is restored (--without-auth restores it nevertheless)',
  );
}

function selfOf(config: MemberConfig, id: bigint): Member {
  const peerUrls = [...config.peerUrls].sort();
  return { id, name: config.name, peerUrls, clientUrls: [], isLearner: false };
}

/** The state after one entry for each founder, in the first term. */
function metadataOf(founders: readonly Member[]): SnapshotMetadata {
  const confState = {
    voters: founders.map((founder) => founder.id),
    learners: [],
    votersOutgoing: [],
    learnersNext: [],
    autoLeave: false,
  };
  return { index: founders.length, term: 1, confState };
}

async function* restoredPairs(
  reader: BoltReader,
  founders: readonly Member[],
  metadata: SnapshotMetadata,
  bumpRevision: number,
): AsyncGenerator<readonly [Bucket, Pair]> {
  let lastMain = await compactedRevision(reader);
  for (const bucket of BUCKETS) {
    if (bucket === 'members' || bucket === 'members_removed') continue;
    for await (const chunk of reader.pairs(bucket)) {
      for (const [key, value] of chunk) {
        if (bucket === 'meta' && APPLIED_KEYS.has(key)) continue;
        if (bucket === 'key') lastMain = Math.max(lastMain, checkedMain(key, value));
        yield [bucket, [key, value.slice()]];
      }
    }
  }
  for (const founder of founders) {
    yield ['members', [hexId(founder.id), memberJson.encode(founder)]];
  }
  for (const [key, value] of appliedRecords(metadata)) yield ['meta', [key, value]];
  if (bumpRevision > 0) yield* bumpPairs(lastMain + bumpRevision);
}

/** Main revision of a record that a start would accept. */
function checkedMain(key: string, value: Uint8Array): number {
  if (!isRecordKey(key)) throw new RestoreError('bucket "key" holds a key that is no revision');
  decodeRecord(value, key);
  return mainOfRecordKey(key);
}

/** The last record may be older than the last change: a compaction removes tombstones. */
async function compactedRevision(reader: BoltReader): Promise<number> {
  let revision = 0;
  for (const name of [MetaKey.scheduledCompactRev, MetaKey.finishedCompactRev]) {
    const value = await reader.get('meta', name);
    const key = value === undefined ? '' : latin1FromBytes(value);
    if (isRecordKey(key)) revision = Math.max(revision, mainOfRecordKey(key));
  }
  return revision;
}

/** etcd's marker: a record without content at the new revision, and a compaction that is due there. */
function* bumpPairs(main: number): Generator<readonly [Bucket, Pair]> {
  if (!Number.isSafeInteger(main)) throw new RestoreError(`revision ${main} is too large`);
  const key = recordKey(main, 0);
  yield ['key', [key, new Uint8Array(0)]];
  yield ['meta', [MetaKey.scheduledCompactRev, bytesFromLatin1(key)]];
}
