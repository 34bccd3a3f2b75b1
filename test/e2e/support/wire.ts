/**
 * The part of etcd's v3 wire format that these tests speak, written down a second time on purpose:
 * a number that is wrong in proto/ must not be wrong here as well.
 */
import protobuf from 'protobufjs';

const source = `
syntax = "proto3";
message Header { uint64 cluster_id = 1; uint64 member_id = 2; int64 revision = 3; uint64 raft_term = 4; }
message Empty { }
message KeyValue {
  bytes key = 1; int64 create_revision = 2; int64 mod_revision = 3; int64 version = 4;
  bytes value = 5; int64 lease = 6;
}
message RangeRequest {
  bytes key = 1; bytes range_end = 2; int64 limit = 3; int64 revision = 4;
  int32 sort_order = 5; int32 sort_target = 6;
  bool serializable = 7; bool keys_only = 8; bool count_only = 9;
}
message RangeResponse { Header header = 1; repeated KeyValue kvs = 2; bool more = 3; int64 count = 4; }
message PutRequest { bytes key = 1; bytes value = 2; int64 lease = 3; bool prev_kv = 4; }
message PutResponse { Header header = 1; KeyValue prev_kv = 2; }
message DeleteRangeRequest { bytes key = 1; bytes range_end = 2; bool prev_kv = 3; }
message DeleteRangeResponse { Header header = 1; int64 deleted = 2; }
message RequestOp {
  oneof request {
    RangeRequest request_range = 1; PutRequest request_put = 2;
    DeleteRangeRequest request_delete_range = 3; TxnRequest request_txn = 4;
  }
}
message ResponseOp {
  oneof response {
    RangeResponse response_range = 1; PutResponse response_put = 2;
    DeleteRangeResponse response_delete_range = 3; TxnResponse response_txn = 4;
  }
}
message Compare {
  int32 result = 1; int32 target = 2; bytes key = 3;
  oneof target_union {
    int64 version = 4; int64 create_revision = 5; int64 mod_revision = 6; bytes value = 7;
    int64 lease = 8;
  }
  bytes range_end = 64;
}
message TxnRequest { repeated Compare compare = 1; repeated RequestOp success = 2; repeated RequestOp failure = 3; }
message TxnResponse { Header header = 1; bool succeeded = 2; repeated ResponseOp responses = 3; }
message WatchCreateRequest {
  bytes key = 1; bytes range_end = 2; int64 start_revision = 3; bool progress_notify = 4;
  bool prev_kv = 6; int64 watch_id = 7; bool fragment = 8;
}
message WatchRequest { oneof request_union { WatchCreateRequest create_request = 1; } }
message Event { int32 type = 1; KeyValue kv = 2; KeyValue prev_kv = 3; }
message WatchResponse {
  Header header = 1; int64 watch_id = 2; bool created = 3; bool canceled = 4;
  int64 compact_revision = 5; string cancel_reason = 6; bool fragment = 7; repeated Event events = 11;
}
message CompactionRequest { int64 revision = 1; bool physical = 2; }
message CompactionResponse { Header header = 1; }
message HashKVRequest { int64 revision = 1; }
message HashKVResponse { Header header = 1; uint32 hash = 2; int64 compact_revision = 3; }
message LeaseGrantRequest { int64 TTL = 1; int64 ID = 2; }
message LeaseGrantResponse { Header header = 1; int64 ID = 2; int64 TTL = 3; string error = 4; }
message LeaseRevokeRequest { int64 ID = 1; }
message LeaseRevokeResponse { Header header = 1; }
message LeaseTimeToLiveRequest { int64 ID = 1; bool keys = 2; }
message LeaseTimeToLiveResponse { Header header = 1; int64 ID = 2; int64 TTL = 3; int64 grantedTTL = 4; repeated bytes keys = 5; }
message LeaseLeasesRequest { }
message LeaseStatus { int64 ID = 1; }
message LeaseLeasesResponse { Header header = 1; repeated LeaseStatus leases = 2; }
message StatusRequest { }
message StatusResponse {
  Header header = 1; string version = 2; int64 dbSize = 3; uint64 leader = 4; uint64 raftIndex = 5;
  uint64 raftTerm = 6; uint64 raftAppliedIndex = 7; repeated string errors = 8;
}
message AlarmMember { uint64 memberID = 1; int32 alarm = 2; }
message AlarmRequest { int32 action = 1; uint64 memberID = 2; int32 alarm = 3; }
message AlarmResponse { Header header = 1; repeated AlarmMember alarms = 2; }
message Member { uint64 ID = 1; string name = 2; repeated string peerURLs = 3; repeated string clientURLs = 4; bool isLearner = 5; }
message MemberAddRequest { repeated string peerURLs = 1; bool isLearner = 2; }
message MemberAddResponse { Header header = 1; Member member = 2; repeated Member members = 3; }
message MemberUpdateRequest { uint64 ID = 1; repeated string peerURLs = 2; }
message MemberUpdateResponse { Header header = 1; repeated Member members = 2; }
message MemberPromoteRequest { uint64 ID = 1; }
message MemberPromoteResponse { Header header = 1; repeated Member members = 2; }
message MemberListRequest { bool linearizable = 1; }
message MemberListResponse { Header header = 1; repeated Member members = 2; }
message MemberRemoveRequest { uint64 ID = 1; }
message MemberRemoveResponse { Header header = 1; }
message MoveLeaderRequest { uint64 targetID = 1; }
message MoveLeaderResponse { Header header = 1; }
`;

const types = protobuf.parse(source, { keepCase: true }).root;

/** Bytes of a message given as a plain object; 64-bit numbers may be strings. */
export function encode(type: string, fields: Record<string, unknown>): Buffer {
  const message = types.lookupType(type);
  return Buffer.from(message.encode(message.fromObject(fields)).finish());
}

/** The message as a plain object with every field present; 64-bit numbers are strings. */
export function decode(type: string, bytes: Buffer): any {
  const message = types.lookupType(type);
  return message.toObject(message.decode(bytes), { longs: String, defaults: true });
}
