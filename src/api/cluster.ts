/** Membership and maintenance requests and answers. Member ids are uint64 as bigint. */
import type { Int64 } from './int64.js';
import type { ResponseHeader } from './kv.js';

export interface Member {
  id: bigint;
  /** Empty until the member has started and published itself. */
  name: string;
  peerUrls: string[];
  clientUrls: string[];
  isLearner: boolean;
}
export interface MemberListRequest {
  linearizable: boolean;
}
export interface MemberListResponse {
  header?: ResponseHeader;
  members: Member[];
}
export interface MemberAddRequest {
  peerUrls: string[];
  isLearner: boolean;
}
export interface MemberAddResponse {
  header?: ResponseHeader;
  member: Member;
  members: Member[];
}
export interface MemberIdRequest {
  id: bigint;
}
export interface MemberUpdateRequest {
  id: bigint;
  peerUrls: string[];
}
export interface MembersResponse {
  header?: ResponseHeader;
  members: Member[];
}

export const AlarmType = { none: 0, noSpace: 1, corrupt: 2 } as const;
export const AlarmAction = { get: 0, activate: 1, deactivate: 2 } as const;

export interface AlarmMember {
  memberId: bigint;
  /** An {@link AlarmType} number. */
  alarm: number;
}
export interface AlarmRequest {
  /** An {@link AlarmAction} number. */
  action: number;
  memberId: bigint;
  alarm: number;
}
export interface AlarmResponse {
  header?: ResponseHeader;
  alarms: AlarmMember[];
}
export interface StatusResponse {
  header?: ResponseHeader;
  /** The compatible etcd version, three plain numbers: clients parse it. */
  version: string;
  dbSize: number;
  /** 0n when this member knows no leader. */
  leader: bigint;
  raftIndex: number;
  raftTerm: number;
  raftAppliedIndex: number;
  errors: string[];
  dbSizeInUse: number;
  isLearner: boolean;
  storageVersion: string;
  dbSizeQuota: number;
  downgradeInfo: { enabled: boolean; targetVersion: string };
}
export interface HashKvRequest {
  revision: Int64;
}
export interface HashKvResponse {
  header?: ResponseHeader;
  hash: number;
  /** -1 when never compacted. */
  compactRevision: number;
  /** The revision hashed: as asked, or the current one for 0. */
  hashRevision: Int64;
}
export interface HashResponse {
  header?: ResponseHeader;
  hash: number;
}
export interface SnapshotResponse {
  header?: ResponseHeader;
  remainingBytes: number;
  blob: Uint8Array;
  version: string;
}
export interface MoveLeaderRequest {
  targetId: bigint;
}
/** An answer that carries its header only. */
export interface HeaderResponse {
  header?: ResponseHeader;
}
