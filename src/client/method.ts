/** The client's table of RPCs: one line says where a call goes and how it is written. */
import type { Codec } from '../codec/index.js';
import * as codec from '../codec/index.js';

/** One RPC. */
export interface Method<Request, Response> {
  path: string;
  request: Codec<Request>;
  response: Codec<Response>;
  /** May it be sent again after a failure that leaves open whether it was done? */
  repeatable: boolean;
}

function read<Q, R>(path: string, request: Codec<Q>, response: Codec<R>): Method<Q, R> {
  return { path, request, response, repeatable: true };
}

function write<Q, R>(path: string, request: Codec<Q>, response: Codec<R>): Method<Q, R> {
  return { path, request, response, repeatable: false };
}

const kv = '/etcdserverpb.KV/';
const lease = '/etcdserverpb.Lease/';
const cluster = '/etcdserverpb.Cluster/';
const maintenance = '/etcdserverpb.Maintenance/';

export const methods = {
  range: read(`${kv}Range`, codec.rangeRequest, codec.rangeResponse),
  rangeStream: read(`${kv}RangeStream`, codec.rangeRequest, codec.rangeStreamResponse),
  put: write(`${kv}Put`, codec.putRequest, codec.putResponse),
  deleteRange: write(`${kv}DeleteRange`, codec.deleteRangeRequest, codec.deleteRangeResponse),
  txn: write(`${kv}Txn`, codec.txnRequest, codec.txnResponse),
  compact: write(`${kv}Compact`, codec.compactionRequest, codec.compactionResponse),
  watch: read('/etcdserverpb.Watch/Watch', codec.watchRequest, codec.watchResponse),
  leaseGrant: write(`${lease}LeaseGrant`, codec.leaseGrantRequest, codec.leaseGrantResponse),
  leaseRevoke: write(`${lease}LeaseRevoke`, codec.leaseRevokeRequest, codec.leaseRevokeResponse),
  leaseKeepAlive: read(
    `${lease}LeaseKeepAlive`,
    codec.leaseKeepAliveRequest,
    codec.leaseKeepAliveResponse,
  ),
  leaseTimeToLive: read(
    `${lease}LeaseTimeToLive`,
    codec.leaseTimeToLiveRequest,
    codec.leaseTimeToLiveResponse,
  ),
  leaseLeases: read(`${lease}LeaseLeases`, codec.leaseLeasesRequest, codec.leaseLeasesResponse),
  memberAdd: write(`${cluster}MemberAdd`, codec.memberAddRequest, codec.memberAddResponse),
  memberRemove: write(
    `${cluster}MemberRemove`,
    codec.memberRemoveRequest,
    codec.memberRemoveResponse,
  ),
  memberUpdate: write(
    `${cluster}MemberUpdate`,
    codec.memberUpdateRequest,
    codec.memberUpdateResponse,
  ),
  memberPromote: write(
    `${cluster}MemberPromote`,
    codec.memberPromoteRequest,
    codec.memberPromoteResponse,
  ),
  memberList: read(`${cluster}MemberList`, codec.memberListRequest, codec.memberListResponse),
  alarm: write(`${maintenance}Alarm`, codec.alarmRequest, codec.alarmResponse),
  status: read(`${maintenance}Status`, codec.statusRequest, codec.statusResponse),
  defragment: write(`${maintenance}Defragment`, codec.defragmentRequest, codec.defragmentResponse),
  hashKv: read(`${maintenance}HashKV`, codec.hashKvRequest, codec.hashKvResponse),
  snapshot: read(`${maintenance}Snapshot`, codec.snapshotRequest, codec.snapshotResponse),
  moveLeader: write(`${maintenance}MoveLeader`, codec.moveLeaderRequest, codec.moveLeaderResponse),
} as const;
