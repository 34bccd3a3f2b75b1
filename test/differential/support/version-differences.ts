/**
 * Where etcd's own versions differ. Kvorum follows 3.6; what an older one says otherwise is listed here,
 * each with as narrow a test as there is, and counted when it is met.
 */
import { isDeepStrictEqual } from 'node:util';
import { isBefore } from './etcd.js';
import type { Exchange } from './exchange.js';
import type { Answer } from './raw-client.js';
import type { Plain } from './wire.js';

export interface VersionDifference {
  readonly id: string;
  /** Is it there in this version of etcd? */
  readonly versions: (version: string) => boolean;
  readonly versionText: string;
  readonly what: string;
  readonly why: string;
  /** Is this, and nothing else, what differs here? */
  readonly explains: (exchange: Exchange) => boolean;
}

const before = (...lines: readonly [minor: string, fixed: string][]) => {
  return (version: string) =>
    lines.some(([minor, fixed]) => version.startsWith(minor) && isBefore(version, fixed));
};

export const versionDifferences: readonly VersionDifference[] = [
  {
    id: 'hash-revision',
    versions: (version) => isBefore(version, '3.6.0'),
    versionText: 'before 3.6.0',
    what: 'HashKV does not say hash_revision',
    why: 'the field is new in 3.6',
    explains: ({ method, etcd, kvorum }) =>
      method === 'Maintenance/HashKV' && isDeepStrictEqual(etcd, without(kvorum, 'hash_revision')),
  },
  {
    id: 'hash-at-compaction',
    versions: before(['3.4.', '3.4.27'], ['3.5.', '3.5.10']),
    versionText: 'before 3.4.27 and 3.5.10',
    what: 'HashKV at the compact revision is refused as compacted',
    why: 'the check was off by one; the revision can be read',
    explains: ({ method, request, etcd, kvorum, landmarks }) =>
      method === 'Maintenance/HashKV' &&
      Number(request.revision) === landmarks.compacted &&
      isRefusal(etcd, 'etcdserver: mvcc: required revision has been compacted') &&
      kvorum.message !== undefined,
  },
  {
    id: 'stored-hash',
    versions: (version) => isBefore(version, '3.5.5'),
    versionText: 'before 3.5.5',
    what: 'HashKV at a revision that was compacted is refused as compacted, or hashed',
    why: 'since 3.5.5 it answers with the hash that the compaction left, also when asked for 0',
    explains: ({ method, request, kvorum, landmarks }) =>
      method === 'Maintenance/HashKV' &&
      landmarks.compactions.includes(Number(request.revision ?? 0)) &&
      kvorum.message !== undefined,
  },
  {
    id: 'unknown-sort',
    versions: (version) => isBefore(version, '3.6.0'),
    versionText: 'before 3.6.0',
    what: 'a Range with a sort order that the protocol does not have is answered unsorted',
    why: 'refused as an invalid sort option since 3.6',
    explains: ({ method, etcd, kvorum }) =>
      method === 'KV/Range' &&
      isRefusal(kvorum, 'etcdserver: invalid sort option') &&
      etcd.error?.text !== 'etcdserver: key is not provided',
  },
  {
    id: 'txn-check-order',
    versions: (version) => isBefore(version, '3.6.0'),
    versionText: 'before 3.6.0',
    what: 'a Txn refused for a put and for a range is refused for the put; for lease and key, for the lease',
    why: 'it went through all puts first, then all ranges; 3.6 takes the operations in order, key first',
    explains: ({ method, etcd, kvorum }) =>
      method === 'KV/Txn' && isApplyRefusal(etcd) && isApplyRefusal(kvorum),
  },
];

/** Of a transaction that was valid, so that it got as far as the keyspace. */
const APPLY_REFUSALS: ReadonlySet<string | undefined> = new Set([
  'etcdserver: requested lease not found',
  'etcdserver: key not found',
  'etcdserver: mvcc: required revision has been compacted',
  'etcdserver: mvcc: required revision is a future revision',
]);

function isApplyRefusal({ error }: Answer): boolean {
  return APPLY_REFUSALS.has(error?.text);
}

/** What decides which requests are sent: some end the process of an etcd. */
export function traitsOf(version: string): {
  refusesUnknownSort: boolean;
  putBesideDeleteToEnd: boolean;
} {
  return {
    refusesUnknownSort: !isBefore(version, '3.6.0'),
    putBesideDeleteToEnd: before(['3.4.', '3.4.34'], ['3.5.', '3.5.16'])(version),
  };
}

/** Requests that Kvorum answers and an etcd does not survive, so that they cannot be compared. */
export const notSent: readonly Omit<VersionDifference, 'id' | 'explains'>[] = [
  {
    versions: () => true,
    versionText: 'all',
    what: 'a Txn whose put with ignore_value or ignore_lease follows a delete to the end of the keyspace',
    why: 'validation does not see that they meet; etcd ends, Kvorum refuses: key not found',
  },
  {
    versions: (version) => !traitsOf(version).putBesideDeleteToEnd,
    versionText: 'from 3.4.34, 3.5.16, 3.6.0',
    what: 'a Txn that deletes to the end of the keyspace and puts a key there',
    why: 'a compaction at its revision loses the key, and the next read of it ends etcd; Kvorum keeps it',
  },
  {
    versions: (version) => isBefore(version, '3.6.0'),
    versionText: 'before 3.6.0',
    what: 'a Range sorted by a target that the protocol does not have',
    why: 'etcd ends; since 3.6 it is refused as an invalid sort option, and by Kvorum',
  },
];

/** The one entry that explains why the two answers differ. */
export function explanation(exchange: Exchange, version: string): VersionDifference | undefined {
  return versionDifferences.find((entry) => entry.versions(version) && entry.explains(exchange));
}

function isRefusal(answer: Answer, text: string): boolean {
  return answer.error?.text === text;
}

function without(answer: Answer, field: string): Answer {
  if (answer.message === undefined) return answer;
  const message: Plain = { ...answer.message };
  delete message[field];
  return { message };
}
