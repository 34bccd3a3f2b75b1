export { DecodeError } from './wire.js';
export { emptyMessage, type Codec, type EmptyMessage } from './codec.js';
export { headerResponse } from './header.js';
export {
  compactionRequest,
  compactionResponse,
  deleteRangeRequest,
  deleteRangeResponse,
  keyValue,
  putRequest,
  putResponse,
  rangeRequest,
  rangeResponse,
  rangeStreamResponse,
  txnRequest,
  txnResponse,
} from './kv.js';
export { encodeEvents, watchRequest, watchResponse, watchResponseWithEvents } from './watch.js';
export {
  leaseGrantRequest,
  leaseGrantResponse,
  leaseInternalRequest,
  leaseInternalResponse,
  leaseKeepAliveRequest,
  leaseKeepAliveResponse,
  leaseLeasesRequest,
  leaseLeasesResponse,
  leaseRevokeRequest,
  leaseRevokeResponse,
  leaseTimeToLiveRequest,
  leaseTimeToLiveResponse,
} from './lease.js';
export {
  memberAddRequest,
  memberAddResponse,
  memberListRequest,
  memberListResponse,
  memberPromoteRequest,
  memberPromoteResponse,
  memberRemoveRequest,
  memberRemoveResponse,
  memberUpdateRequest,
  memberUpdateResponse,
} from './cluster.js';
export {
  alarmMember,
  alarmRequest,
  alarmResponse,
  defragmentRequest,
  defragmentResponse,
  hashKvRequest,
  hashKvResponse,
  hashRequest,
  hashResponse,
  moveLeaderRequest,
  moveLeaderResponse,
  snapshotRequest,
  snapshotResponse,
  statusRequest,
  statusResponse,
} from './maintenance.js';
export {
  ServingStatus,
  healthCheckRequest,
  healthCheckResponse,
  type HealthCheckRequest,
  type HealthCheckResponse,
} from './health.js';
export { internalRequest } from './internal.js';
export {
  confChange,
  confChangeV2,
  confState,
  entry,
  hardState,
  message,
  snapshot,
} from './raft.js';
export {
  confStateJson,
  downgradeJson,
  memberAttributesJson,
  memberContextJson,
  memberJson,
  membersJson,
  storeV2Json,
  type DowngradeInfo,
  type MemberAttributes,
  type MemberContext,
  type StoreV2,
} from './membership-json.js';
