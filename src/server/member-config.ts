/** What a member is told at start. Defaults are etcd 3.6's, from its flags. */
import type { AutoCompaction } from './auto-compactor.js';

export interface InitialMember {
  name: string;
  peerUrls: string[];
}

export interface MemberConfig {
  /** Human name; must appear in `initialCluster`. */
  name: string;
  /** This member's peer urls as others reach it (--initial-advertise-peer-urls). */
  peerUrls: string[];
  /** Client urls that the member publishes (--advertise-client-urls). */
  clientUrls: string[];
  /** Founders, or for 'existing' the members as they are. Read at the first start only. */
  initialCluster: InitialMember[];
  initialClusterState: 'new' | 'existing';
  /** Goes into the founders' and the cluster's ids. */
  initialClusterToken: string;
  /** One raft tick. */
  heartbeatMs: number;
  /** A follower that hears nothing for so long (up to twice that) calls an election. */
  electionMs: number;
  preVote: boolean;
  /** Applied entries between compactions of the raft log. */
  snapshotCount: number;
  /** Entries kept behind a compaction for followers that are slow. */
  snapshotCatchupEntries: number;
  /** 0: 2 GiB; below 0: none. */
  quotaBackendBytes: number;
  /** Longest encoded request that is proposed. */
  maxRequestBytes: number;
  /** Operations in one txn, nesting included. */
  maxTxnOps: number;
  maxLearners: number;
  /** Refuse membership changes that endanger the quorum. */
  strictReconfigCheck: boolean;
  /** Longest time and most operations between two flushes of the keyspace. */
  backendBatchIntervalMs: number;
  backendBatchLimit: number;
  /** Between progress notifications of a quiet watch that asked for them. */
  watchProgressNotifyMs: number;
  /** Absent: nobody compacts but clients. */
  autoCompaction?: AutoCompaction | undefined;
  /** Compare with the other members before a restart: what differs does not start. */
  initialCorruptCheck: boolean;
  /** Between comparisons of the current state by the leader; 0: none. */
  corruptCheckMs: number;
  /** Between comparisons of finished compactions by the leader; 0: none. */
  compactHashCheckMs: number;
  /** A request whose apply takes longer is named in the log. */
  warningApplyMs: number;
  /** Bytes of latest values kept in memory. */
  valueCacheBytes: number;
}

export const DEFAULT_CONFIG: MemberConfig = {
  name: 'default',
  peerUrls: ['http://localhost:2380'],
  clientUrls: ['http://localhost:2379'],
  initialCluster: [{ name: 'default', peerUrls: ['http://localhost:2380'] }],
  initialClusterState: 'new',
  initialClusterToken: 'etcd-cluster',
  heartbeatMs: 100,
  electionMs: 1000,
  preVote: true,
  snapshotCount: 10_000,
  snapshotCatchupEntries: 5_000,
  quotaBackendBytes: 0,
  maxRequestBytes: 1.5 * 1024 * 1024,
  maxTxnOps: 128,
  maxLearners: 1,
  strictReconfigCheck: true,
  backendBatchIntervalMs: 100,
  backendBatchLimit: 10_000,
  watchProgressNotifyMs: 10 * 60 * 1000,
  autoCompaction: undefined,
  initialCorruptCheck: false,
  corruptCheckMs: 0,
  compactHashCheckMs: 0,
  warningApplyMs: 100,
  valueCacheBytes: 64 * 1024 * 1024,
};

/** How long a request may take from proposal to answer: 5 s and two elections (etcd's rule). */
export function requestTimeoutMs(config: Pick<MemberConfig, 'electionMs'>): number {
  return 5000 + 2 * config.electionMs;
}

/** Shortest lease in seconds: one and a half elections, rounded up; 2 by default. */
export function minLeaseTtlSeconds(config: Pick<MemberConfig, 'electionMs'>): number {
  return Math.ceil((1.5 * config.electionMs) / 1000);
}

/** A start that cannot go on; `message` is one line for the operator. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
