/** Endpoints, members and what is known of a snapshot as rows of text, for the simple and the table format. */
import { hexId, latin1FromUtf8 } from '../../bytes/index.js';
import type { Member } from '../../api/index.js';
import type { SnapshotStatus } from '../../bolt/index.js';
import { humanizeBytes } from '../go-text/sizes.js';
import type { EndpointHash, EndpointHealth, EndpointStatus, SnapshotHash } from '../output.js';

/** A header and the cells below it. */
export interface Rows {
  header: readonly string[];
  rows: string[][];
}

export function memberRows(members: readonly Member[]): Rows {
  return {
    header: ['ID', 'Status', 'Name', 'Peer Addrs', 'Client Addrs', 'Is Learner'],
    rows: members.map((member) => [
      hexId(member.id),
      member.name === '' ? 'unstarted' : 'started',
      latin1FromUtf8(member.name),
      latin1FromUtf8(member.peerUrls.join(',')),
      latin1FromUtf8(member.clientUrls.join(',')),
      String(member.isLearner),
    ]),
  };
}

const STATUS_HEADER = [
  'endpoint',
  'ID',
  'version',
  'storage version',
  'db size',
  'in use',
  'percentage not in use',
  'quota',
  'is leader',
  'is learner',
  'raft term',
  'raft index',
  'raft applied index',
  'errors',
  'downgrade target version',
  'downgrade enabled',
];

export function statusRows(list: readonly EndpointStatus[]): Rows {
  return { header: STATUS_HEADER, rows: list.map(statusRow) };
}

function statusRow({ endpoint, status }: EndpointStatus): string[] {
  return [
    endpoint,
    hexId(status.header?.memberId ?? 0n),
    latin1FromUtf8(status.version),
    latin1FromUtf8(status.storageVersion),
    humanizeBytes(status.dbSize),
    humanizeBytes(status.dbSizeInUse),
    `${percentNotInUse(status.dbSize, status.dbSizeInUse)}%`,
    humanizeBytes(status.dbSizeQuota),
    String(status.leader === (status.header?.memberId ?? 0n)),
    String(status.isLearner),
    String(status.raftTerm),
    String(status.raftIndex),
    String(status.raftAppliedIndex),
    latin1FromUtf8(status.errors.join(', ')),
    latin1FromUtf8(status.downgradeInfo.targetVersion),
    String(status.downgradeInfo.enabled),
  ];
}

/** Integer arithmetic as in etcdctl, which panics where the size is 0; here that is 0%. */
function percentNotInUse(size: number, inUse: number): number {
  return size === 0 ? 0 : 100 - Math.floor((inUse * 100) / size);
}

export function hashKvRows(list: readonly EndpointHash[]): Rows {
  return {
    header: ['endpoint', 'hash', 'hash_revision'],
    rows: list.map(({ endpoint, hash }) => [
      endpoint,
      String(hash.hash),
      String(hash.hashRevision),
    ]),
  };
}

export function healthRows(list: readonly EndpointHealth[]): Rows {
  return {
    header: ['endpoint', 'health', 'took', 'error'],
    rows: list.map(({ endpoint, healthy, took, error }) => [
      endpoint,
      String(healthy),
      took,
      latin1FromUtf8(error),
    ]),
  };
}

export function snapshotStatusRows(status: SnapshotStatus): Rows {
  return {
    header: ['hash', 'revision', 'total keys', 'total size', 'version'],
    rows: [
      [
        status.hash.toString(16),
        String(status.revision),
        String(status.totalKey),
        humanizeBytes(status.totalSize),
        status.version,
      ],
    ],
  };
}

export function snapshotHashRows({ hash, hashRevision, compactRevision }: SnapshotHash): Rows {
  return {
    header: ['hash', 'hash revision', 'compact revision'],
    rows: [[String(hash), String(hashRevision), String(compactRevision)]],
  };
}
