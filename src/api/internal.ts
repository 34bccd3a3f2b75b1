/**
 * What a log entry says: etcd's InternalRaftRequest. One client request is one entry, encoded
 * exactly as etcd encodes it (src/codec), so that members of both kinds can share a log.
 */
import type { AlarmRequest } from './cluster.js';
import type {
  CompactionRequest,
  DeleteRangeRequest,
  PutRequest,
  RangeRequest,
  TxnRequest,
} from './kv.js';
import type { LeaseCheckpoint, LeaseGrantRequest, LeaseRevokeRequest } from './lease.js';

export type InternalOp =
  | { kind: 'range'; request: RangeRequest }
  | { kind: 'put'; request: PutRequest }
  | { kind: 'deleteRange'; request: DeleteRangeRequest }
  | { kind: 'txn'; request: TxnRequest }
  | { kind: 'compaction'; request: CompactionRequest }
  | { kind: 'leaseGrant'; request: LeaseGrantRequest }
  | { kind: 'leaseRevoke'; request: LeaseRevokeRequest }
  | { kind: 'leaseCheckpoint'; checkpoints: LeaseCheckpoint[] }
  | { kind: 'alarm'; request: AlarmRequest }
  | { kind: 'clusterVersionSet'; version: string }
  | { kind: 'clusterMemberAttrSet'; memberId: bigint; name: string; clientUrls: string[] }
  | { kind: 'downgradeInfoSet'; enabled: boolean; version: string }
  /** The form of etcd 3.4 and 3.5 for publishing attributes and the cluster version. */
  | { kind: 'v2'; method: string; path: string; value: string }
  /** A request this build decodes but has no room for; applying it ends the member. */
  | { kind: 'unsupported'; field: string };

export interface InternalRequest {
  /** Unique per proposer; names the waiting caller. uint64. */
  id: bigint;
  /** '' while auth is off. */
  username: string;
  authRevision: number;
  /**
   * Every member checks the revisions that the transaction's ranges name. Kvorum sets it on what it proposes.
   * An etcd up to 3.6 checks them only on the member that was asked, and its entries come without the mark:
   * the others leave the ranges out.
   */
  rangesChecked?: boolean;
  op: InternalOp;
}
