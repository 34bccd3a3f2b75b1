/** Every codec with its message's name and a generator of its values. */
import type fc from 'fast-check';
import * as codecs from '../../src/codec/index.js';
import type { Codec } from '../../src/codec/index.js';
import * as arbitrary from './arbitraries.js';

export interface Case {
  /** Of the codec, for titles. */
  name: string;
  /** In the .proto files. */
  message: string;
  codec: Codec<any>;
  values: fc.Arbitrary<any>;
}

function of<T>(
  name: keyof typeof codecs,
  message: string,
  codec: Codec<T>,
  values: fc.Arbitrary<T>,
): Case {
  return { name, message, codec, values };
}

const pb = 'etcdserverpb';

export const everyCodec: readonly Case[] = [
  of('keyValue', 'mvccpb.KeyValue', codecs.keyValue, arbitrary.keyValue),
  of('rangeRequest', `${pb}.RangeRequest`, codecs.rangeRequest, arbitrary.rangeRequest),
  of('rangeResponse', `${pb}.RangeResponse`, codecs.rangeResponse, arbitrary.rangeResponse),
  of('putRequest', `${pb}.PutRequest`, codecs.putRequest, arbitrary.putRequest),
  of('putResponse', `${pb}.PutResponse`, codecs.putResponse, arbitrary.putResponse),
  of(
    'deleteRangeRequest',
    `${pb}.DeleteRangeRequest`,
    codecs.deleteRangeRequest,
    arbitrary.deleteRangeRequest,
  ),
  of(
    'deleteRangeResponse',
    `${pb}.DeleteRangeResponse`,
    codecs.deleteRangeResponse,
    arbitrary.deleteRangeResponse,
  ),
  of('txnRequest', `${pb}.TxnRequest`, codecs.txnRequest, arbitrary.txnRequest),
  of('txnResponse', `${pb}.TxnResponse`, codecs.txnResponse, arbitrary.txnResponse),
  of(
    'compactionRequest',
    `${pb}.CompactionRequest`,
    codecs.compactionRequest,
    arbitrary.compactionRequest,
  ),
  of(
    'compactionResponse',
    `${pb}.CompactionResponse`,
    codecs.compactionResponse,
    arbitrary.headerResponse,
  ),
  of('watchRequest', `${pb}.WatchRequest`, codecs.watchRequest, arbitrary.watchRequest),
  of('watchResponse', `${pb}.WatchResponse`, codecs.watchResponse, arbitrary.watchResponse),
  of(
    'leaseGrantRequest',
    `${pb}.LeaseGrantRequest`,
    codecs.leaseGrantRequest,
    arbitrary.leaseGrantRequest,
  ),
  of(
    'leaseGrantResponse',
    `${pb}.LeaseGrantResponse`,
    codecs.leaseGrantResponse,
    arbitrary.leaseGrantResponse,
  ),
  of(
    'leaseRevokeRequest',
    `${pb}.LeaseRevokeRequest`,
    codecs.leaseRevokeRequest,
    arbitrary.leaseId,
  ),
  of(
    'leaseRevokeResponse',
    `${pb}.LeaseRevokeResponse`,
    codecs.leaseRevokeResponse,
    arbitrary.headerResponse,
  ),
  of(
    'leaseKeepAliveRequest',
    `${pb}.LeaseKeepAliveRequest`,
    codecs.leaseKeepAliveRequest,
    arbitrary.leaseId,
  ),
  of(
    'leaseKeepAliveResponse',
    `${pb}.LeaseKeepAliveResponse`,
    codecs.leaseKeepAliveResponse,
    arbitrary.leaseKeepAliveResponse,
  ),
  of(
    'leaseTimeToLiveRequest',
    `${pb}.LeaseTimeToLiveRequest`,
    codecs.leaseTimeToLiveRequest,
    arbitrary.leaseTimeToLiveRequest,
  ),
  of(
    'leaseTimeToLiveResponse',
    `${pb}.LeaseTimeToLiveResponse`,
    codecs.leaseTimeToLiveResponse,
    arbitrary.leaseTimeToLiveResponse,
  ),
  of(
    'leaseLeasesResponse',
    `${pb}.LeaseLeasesResponse`,
    codecs.leaseLeasesResponse,
    arbitrary.leaseLeasesResponse,
  ),
  of(
    'memberAddRequest',
    `${pb}.MemberAddRequest`,
    codecs.memberAddRequest,
    arbitrary.memberAddRequest,
  ),
  of(
    'memberAddResponse',
    `${pb}.MemberAddResponse`,
    codecs.memberAddResponse,
    arbitrary.memberAddResponse,
  ),
  of(
    'memberRemoveRequest',
    `${pb}.MemberRemoveRequest`,
    codecs.memberRemoveRequest,
    arbitrary.memberId,
  ),
  of(
    'memberRemoveResponse',
    `${pb}.MemberRemoveResponse`,
    codecs.memberRemoveResponse,
    arbitrary.membersResponse,
  ),
  of(
    'memberUpdateRequest',
    `${pb}.MemberUpdateRequest`,
    codecs.memberUpdateRequest,
    arbitrary.memberUpdateRequest,
  ),
  of(
    'memberUpdateResponse',
    `${pb}.MemberUpdateResponse`,
    codecs.memberUpdateResponse,
    arbitrary.membersResponse,
  ),
  of(
    'memberListRequest',
    `${pb}.MemberListRequest`,
    codecs.memberListRequest,
    arbitrary.memberListRequest,
  ),
  of(
    'memberListResponse',
    `${pb}.MemberListResponse`,
    codecs.memberListResponse,
    arbitrary.membersResponse,
  ),
  of(
    'memberPromoteRequest',
    `${pb}.MemberPromoteRequest`,
    codecs.memberPromoteRequest,
    arbitrary.memberId,
  ),
  of(
    'memberPromoteResponse',
    `${pb}.MemberPromoteResponse`,
    codecs.memberPromoteResponse,
    arbitrary.membersResponse,
  ),
  of('alarmRequest', `${pb}.AlarmRequest`, codecs.alarmRequest, arbitrary.alarmRequest),
  of('alarmMember', `${pb}.AlarmMember`, codecs.alarmMember, arbitrary.alarmMember),
  of('alarmResponse', `${pb}.AlarmResponse`, codecs.alarmResponse, arbitrary.alarmResponse),
  of('statusResponse', `${pb}.StatusResponse`, codecs.statusResponse, arbitrary.statusResponse),
  of(
    'defragmentResponse',
    `${pb}.DefragmentResponse`,
    codecs.defragmentResponse,
    arbitrary.headerResponse,
  ),
  of('hashResponse', `${pb}.HashResponse`, codecs.hashResponse, arbitrary.hashResponse),
  of('hashKvRequest', `${pb}.HashKVRequest`, codecs.hashKvRequest, arbitrary.hashKvRequest),
  of('hashKvResponse', `${pb}.HashKVResponse`, codecs.hashKvResponse, arbitrary.hashKvResponse),
  of(
    'snapshotResponse',
    `${pb}.SnapshotResponse`,
    codecs.snapshotResponse,
    arbitrary.snapshotResponse,
  ),
  of(
    'moveLeaderRequest',
    `${pb}.MoveLeaderRequest`,
    codecs.moveLeaderRequest,
    arbitrary.moveLeaderRequest,
  ),
  of(
    'moveLeaderResponse',
    `${pb}.MoveLeaderResponse`,
    codecs.moveLeaderResponse,
    arbitrary.headerResponse,
  ),
  of(
    'healthCheckRequest',
    'grpc.health.v1.HealthCheckRequest',
    codecs.healthCheckRequest,
    arbitrary.healthCheckRequest,
  ),
  of(
    'healthCheckResponse',
    'grpc.health.v1.HealthCheckResponse',
    codecs.healthCheckResponse,
    arbitrary.healthCheckResponse,
  ),
  of(
    'internalRequest',
    `${pb}.InternalRaftRequest`,
    codecs.internalRequest,
    arbitrary.internalRequest,
  ),
  of('entry', 'raftpb.Entry', codecs.entry, arbitrary.entry),
  of('message', 'raftpb.Message', codecs.message, arbitrary.message),
  of('snapshot', 'raftpb.Snapshot', codecs.snapshot, arbitrary.snapshot),
  of('hardState', 'raftpb.HardState', codecs.hardState, arbitrary.hardState),
  of('confState', 'raftpb.ConfState', codecs.confState, arbitrary.confState),
  of('confChange', 'raftpb.ConfChange', codecs.confChange, arbitrary.confChange),
  of('confChangeV2', 'raftpb.ConfChangeV2', codecs.confChangeV2, arbitrary.confChangeV2),
];
