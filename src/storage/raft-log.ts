/**
 * The durable raft log: entries, hard state and the snapshot point. The contract; level-raft-log.ts
 * and memory-raft-log.ts keep it, and test/storage/raft-log-contract.ts checks both.
 */
import type { Entry, HardState, RaftStorage, SnapshotMetadata } from '../raft/index.js';

export interface AppendBatch {
  /** Consecutive; entries already stored at or after the first one's index are replaced. */
  entries: readonly Entry[];
  hardState?: HardState;
  /** Wait for fsync. Needed when entries exist or term or vote changed; a commit index alone is not. */
  sync: boolean;
}

export interface RaftLog extends RaftStorage {
  /**
   * One atomic write, with one fsync if asked. Calls are written in the order in which they are made,
   * and calls made while one is being written share the next write (group commit). The entries become
   * readable through {@link RaftStorage} when the promise resolves, in call order. A rejection means
   * that the disk refused: nothing of this or later calls counts as written, and the log must not be
   * used again in this process.
   */
  append(batch: AppendBatch): Promise<void>;
  /** Forgets entries up to and including `index`; `index` must be applied and durably in the backend. */
  compact(index: number): Promise<void>;
  /**
   * After a snapshot was installed: the log becomes empty behind `metadata.index`, atomically with
   * `hardState`, with fsync.
   */
  install(metadata: SnapshotMetadata, hardState: HardState): Promise<void>;
  /** The configuration to report from initialState at the next start; durable with the next sync. */
  saveConfState(metadata: SnapshotMetadata): Promise<void>;
  /** Who this log belongs to; undefined until {@link RaftLog.setIdentity}, which is durable. */
  identity(): LogIdentity | undefined;
  setIdentity(identity: LogIdentity): Promise<void>;
  close(): Promise<void>;
}

/** Written once, when the member is born. A data dir of another cluster is refused by it. */
export interface LogIdentity {
  memberId: bigint;
  clusterId: bigint;
}
