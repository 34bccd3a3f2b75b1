/** The format `json`: etcd's messages as Go's encoding/json shows its generated structs, one a line. */
import type {
  AlarmResponse,
  Event,
  HashKvResponse,
  KeyValue,
  LeaseTimeToLiveResponse,
  Member,
  MemberAddResponse,
  MemberListResponse,
  MembersResponse,
  ResponseHeader,
  ResponseOp,
  StatusResponse,
  TxnResponse,
  WatchResponse,
  DeleteRangeResponse,
  PutResponse,
  RangeResponse,
} from '../../api/index.js';
import { hexId, latin1FromUtf8, utf8FromLatin1 } from '../../bytes/index.js';
import type { SnapshotDifferences } from '../../embed/snapshot-diff.js';
import type { SnapshotStatus } from '../../bolt/index.js';
import { reportJson } from '../conformance/report.js';
import type { EndpointHealth, Result, SnapshotHash } from '../output.js';
import {
  jsonBytes,
  jsonList,
  jsonObject,
  jsonString,
  nonZero,
  type JsonText,
} from './json-text.js';

export function printJson(result: Result, hex: boolean): string {
  return resultJson(result, hex) + '\n';
}

function resultJson(result: Result, hex: boolean): JsonText {
  switch (result.kind) {
    case 'get':
      return rangeJson(result.response);
    case 'put':
      return putJson(result.response);
    case 'del':
      return deleteJson(result.response);
    case 'txn':
      return txnJson(result.response);
    case 'watch':
      return watchJson(result.response);
    case 'memberList':
      return membersJson(result.response, hex);
    case 'memberAdd':
      return memberAddJson(result.response);
    case 'memberChange':
      return membersResponseJson(result.response);
    case 'alarms':
      return alarmsJson(result.response);
    case 'moveLeader':
      return jsonObject({ header: headerJson(result.response.header) });
    case 'snapshotStatus':
      return snapshotStatusJson(result.status);
    case 'snapshotDiff':
      return differencesJson(result.differences);
    case 'snapshotHash':
      return snapshotHashJson(result.hash);
    case 'endpointStatus':
      return endpoints(result.list, ({ status }) => ({ Status: statusJson(status) }));
    case 'endpointHashKv':
      return endpoints(result.list, ({ hash }) => ({ HashKV: hashJson(hash) }));
    case 'conformance':
      return latin1FromUtf8(reportJson(result.report));
    case 'endpointHealth':
      return jsonList(result.list.map(healthJson));
    default:
      return leaseJson(result);
  }
}

function leaseJson(result: Extract<Result, { kind: `lease${string}` }>): JsonText {
  switch (result.kind) {
    case 'leaseGrant':
      return jsonObject({
        ...headerMembers(result.response.header),
        ID: `${result.response.id}`,
        TTL: `${result.response.ttl}`,
        Error: jsonString(result.response.error),
      });
    case 'leaseKeepAlive':
      return jsonObject({
        ...headerMembers(result.response.header),
        ID: `${result.response.id}`,
        TTL: `${result.response.ttl}`,
      });
    case 'leaseRevoke':
      return jsonObject({ header: headerJson(result.response.header) });
    case 'leaseTimeToLive':
      return timeToLiveJson(result.response);
    case 'leaseList':
      return jsonObject({
        ...headerMembers(result.response.header),
        leases: jsonList(result.response.leases.map(({ id }) => jsonObject({ id: `${id}` }))),
      });
  }
}

function headerMembers(header: ResponseHeader | undefined): Record<string, JsonText | undefined> {
  if (header === undefined) return {};
  return {
    cluster_id: nonZero.int(header.clusterId),
    member_id: nonZero.int(header.memberId),
    revision: nonZero.int(header.revision),
    raft_term: nonZero.int(header.raftTerm),
  };
}

function headerJson(header: ResponseHeader | undefined): JsonText | undefined {
  return header === undefined ? undefined : jsonObject(headerMembers(header));
}

function pairJson(kv: KeyValue): JsonText {
  return jsonObject({
    key: nonZero.bytes(kv.key),
    create_revision: nonZero.int(kv.createRevision),
    mod_revision: nonZero.int(kv.modRevision),
    version: nonZero.int(kv.version),
    value: nonZero.bytes(kv.value),
    lease: nonZero.int(kv.lease),
  });
}

function optionalPair(kv: KeyValue | undefined): JsonText | undefined {
  return kv === undefined ? undefined : pairJson(kv);
}

function rangeJson(response: RangeResponse): JsonText {
  return jsonObject({
    header: headerJson(response.header),
    kvs: nonZero.list(response.kvs.map(pairJson)),
    more: nonZero.bool(response.more),
    count: nonZero.int(response.count),
  });
}

function putJson(response: PutResponse): JsonText {
  return jsonObject({
    header: headerJson(response.header),
    prev_kv: optionalPair(response.prevKv),
  });
}

function deleteJson(response: DeleteRangeResponse): JsonText {
  return jsonObject({
    header: headerJson(response.header),
    deleted: nonZero.int(response.deleted),
    prev_kvs: nonZero.list(response.prevKvs.map(pairJson)),
  });
}

function txnJson(response: TxnResponse): JsonText {
  return jsonObject({
    header: headerJson(response.header),
    succeeded: nonZero.bool(response.succeeded),
    responses: nonZero.list(response.responses.map((op) => jsonObject({ Response: opJson(op) }))),
  });
}

function opJson(op: ResponseOp): JsonText {
  switch (op.kind) {
    case 'range':
      return jsonObject({ response_range: rangeJson(op.response) });
    case 'put':
      return jsonObject({ response_put: putJson(op.response) });
    case 'deleteRange':
      return jsonObject({ response_delete_range: deleteJson(op.response) });
    case 'txn':
      return jsonObject({ response_txn: txnJson(op.response) });
  }
}

function watchJson(response: WatchResponse): JsonText {
  return jsonObject({
    Header: jsonObject(headerMembers(response.header)),
    Events: jsonList(response.events.map(eventJson)),
    CompactRevision: `${response.compactRevision}`,
    Canceled: `${response.canceled}`,
    Created: `${response.created}`,
  });
}

function eventJson(event: Event): JsonText {
  return jsonObject({
    type: event.type === 'delete' ? '1' : undefined,
    kv: pairJson(event.kv),
    prev_kv: optionalPair(event.prevKv),
  });
}

function timeToLiveJson(response: LeaseTimeToLiveResponse): JsonText {
  return jsonObject({
    ...headerMembers(response.header),
    id: `${response.id}`,
    ttl: `${response.ttl}`,
    'granted-ttl': `${response.grantedTtl}`,
    keys: response.keys.length === 0 ? 'null' : jsonList(response.keys.map(jsonBytes)),
  });
}

/** With --hex, ids become strings of hex digits: of all messages in this one only. */
function membersJson(response: MemberListResponse, hex: boolean): JsonText {
  const { header } = response;
  const shownHeader =
    header && hex
      ? jsonObject({
          ...headerMembers(header),
          cluster_id: jsonString(hexId(header.clusterId)),
          member_id: jsonString(hexId(header.memberId)),
        })
      : headerJson(header);
  const members = response.members.map((member) => memberJson(member, hex));
  return jsonObject({ header: shownHeader, members: nonZero.list(members) });
}

function memberJson(member: Member, hex: boolean): JsonText {
  return jsonObject({
    ID: hex ? jsonString(hexId(member.id)) : nonZero.int(member.id),
    name: nonZero.string(member.name),
    peerURLs: nonZero.list(member.peerUrls.map(jsonString)),
    clientURLs: nonZero.list(member.clientUrls.map(jsonString)),
    isLearner: nonZero.bool(member.isLearner),
  });
}

function memberAddJson({ header, member, members }: MemberAddResponse): JsonText {
  return jsonObject({
    header: headerJson(header),
    member: memberJson(member, false),
    members: nonZero.list(members.map((each) => memberJson(each, false))),
  });
}

function membersResponseJson({ header, members }: MembersResponse): JsonText {
  return jsonObject({
    header: headerJson(header),
    members: nonZero.list(members.map((member) => memberJson(member, false))),
  });
}

function alarmsJson({ header, alarms }: AlarmResponse): JsonText {
  const list = alarms.map(({ memberId, alarm }) =>
    jsonObject({ memberID: nonZero.int(memberId), alarm: nonZero.int(alarm) }),
  );
  return jsonObject({ header: headerJson(header), alarms: nonZero.list(list) });
}

function snapshotStatusJson(status: SnapshotStatus): JsonText {
  return jsonObject({
    hash: `${status.hash}`,
    revision: `${status.revision}`,
    totalKey: `${status.totalKey}`,
    totalSize: `${status.totalSize}`,
    version: jsonString(utf8FromLatin1(status.version)),
  });
}

function snapshotHashJson({ hash, hashRevision, compactRevision }: SnapshotHash): JsonText {
  return jsonObject({
    hash: `${hash}`,
    hashRevision: `${hashRevision}`,
    compactRevision: `${compactRevision}`,
  });
}

function differencesJson({ removed, added, changed }: SnapshotDifferences): JsonText {
  return jsonObject({
    removed: jsonList(removed.map(jsonBytes)),
    added: jsonList(added.map(jsonBytes)),
    changed: jsonList(changed.map(jsonBytes)),
  });
}

/** A list of endpoints; of none, Go's nil slice. */
function endpoints<T extends { endpoint: string }>(
  list: readonly T[],
  members: (entry: T) => Record<string, JsonText>,
): JsonText {
  if (list.length === 0) return 'null';
  return jsonList(
    list.map((entry) => jsonObject({ Endpoint: endpointJson(entry.endpoint), ...members(entry) })),
  );
}

/** Endpoints come from the command line: bytes. */
function endpointJson(endpoint: string): JsonText {
  return jsonString(utf8FromLatin1(endpoint));
}

function statusJson(status: StatusResponse): JsonText {
  return jsonObject({
    header: headerJson(status.header),
    version: nonZero.string(status.version),
    dbSize: nonZero.int(status.dbSize),
    leader: nonZero.int(status.leader),
    raftIndex: nonZero.int(status.raftIndex),
    raftTerm: nonZero.int(status.raftTerm),
    raftAppliedIndex: nonZero.int(status.raftAppliedIndex),
    errors: nonZero.list(status.errors.map(jsonString)),
    dbSizeInUse: nonZero.int(status.dbSizeInUse),
    isLearner: nonZero.bool(status.isLearner),
    storageVersion: nonZero.string(status.storageVersion),
    dbSizeQuota: nonZero.int(status.dbSizeQuota),
    downgradeInfo: jsonObject({
      enabled: nonZero.bool(status.downgradeInfo.enabled),
      targetVersion: nonZero.string(status.downgradeInfo.targetVersion),
    }),
  });
}

function hashJson(hash: HashKvResponse): JsonText {
  return jsonObject({
    header: headerJson(hash.header),
    hash: nonZero.int(hash.hash),
    compact_revision: nonZero.int(hash.compactRevision),
    hash_revision: nonZero.int(hash.hashRevision),
  });
}

function healthJson({ endpoint, healthy, took, error }: EndpointHealth): JsonText {
  return jsonObject({
    endpoint: endpointJson(endpoint),
    health: `${healthy}`,
    took: jsonString(utf8FromLatin1(took)),
    error: nonZero.string(error),
  });
}
