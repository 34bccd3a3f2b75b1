/** Generators of every message, over the full range of each field. */
import fc from 'fast-check';
import {
  int64FromBigint,
  type Compare,
  type Event,
  type InternalOp,
  type InternalRequest,
  type KeyValue,
  type Member,
  type RequestOp,
  type ResponseHeader,
  type ResponseOp,
  type TxnRequest,
  type TxnResponse,
  type WatchRequest,
} from '../../src/api/index.js';
import type { ConfState, Entry, Message, Snapshot } from '../../src/raft/index.js';

/** Small numbers, all lengths of varint, and the ends of the range. */
function integers(min: bigint, max: bigint): fc.Arbitrary<bigint> {
  const edges = [
    0n,
    1n,
    127n,
    128n,
    -1n,
    min,
    max,
    2n ** 31n,
    2n ** 32n,
    2n ** 53n - 1n,
    2n ** 53n,
  ];
  const byLength = fc
    .tuple(fc.bigInt(min, max), fc.integer({ min: 0, max: 63 }))
    .map(([value, shift]) => value >> BigInt(shift));
  const inRange = edges.filter((value) => value >= min && value <= max);
  return fc.oneof(byLength, fc.constantFrom(...inRange));
}

const MAX_SAFE = 2n ** 53n - 1n;
export const int64Bigint = integers(-(2n ** 63n), 2n ** 63n - 1n);
export const uint64Bigint = integers(0n, 2n ** 64n - 1n);
export const int64 = int64Bigint.map(int64FromBigint);
export const safeInt64 = integers(-MAX_SAFE, MAX_SAFE).map(Number);
export const safeUint64 = integers(0n, MAX_SAFE).map(Number);
const int32 = fc.oneof(fc.integer(), fc.nat(5));
const uint32 = fc.oneof(fc.nat(0xffffffff), fc.constant(0xffffffff), fc.constant(0));
const flag = fc.boolean();

/** Bytes as a latin1 string; short ones, and some around the lengths where a length field grows. */
export const latin1: fc.Arbitrary<string> = fc
  .oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(0, 127, 128, 129, 16383, 16384).map((length) => new Uint8Array(length).fill(9)),
  )
  .map((bytes) => Buffer.from(bytes).toString('latin1'));
export const bytes = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(new Uint8Array(0)));
/** Well-formed text: lone surrogates do not survive UTF-8. */
const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const texts = fc.array(text, { maxLength: 3 });

/** A record whose `optional` members are left out half of the time. */
function withOptional<T extends object, O extends object>(
  required: fc.Arbitrary<T>,
  optional: { [K in keyof O]: fc.Arbitrary<O[K]> },
): fc.Arbitrary<T & Partial<O>> {
  return fc
    .tuple(required, fc.record(optional, { requiredKeys: [] }))
    .map(([a, b]) => ({ ...b, ...a }) as T & Partial<O>);
}

export const header: fc.Arbitrary<ResponseHeader> = fc.record({
  clusterId: uint64Bigint,
  memberId: uint64Bigint,
  revision: safeInt64,
  raftTerm: safeUint64,
});

function answer<T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) {
  return withOptional<T, { header: ResponseHeader }>(fc.record(model) as fc.Arbitrary<T>, {
    header,
  });
}

export const keyValue: fc.Arbitrary<KeyValue> = fc.record({
  key: latin1,
  createRevision: safeInt64,
  modRevision: safeInt64,
  version: safeInt64,
  value: latin1,
  lease: int64Bigint,
});
const keyValues = fc.array(keyValue, { maxLength: 3 });

export const rangeRequest = fc.record({
  key: latin1,
  rangeEnd: latin1,
  limit: int64,
  revision: int64,
  sortOrder: int32,
  sortTarget: int32,
  serializable: flag,
  keysOnly: flag,
  countOnly: flag,
  minModRevision: int64,
  maxModRevision: int64,
  minCreateRevision: int64,
  maxCreateRevision: int64,
});
export const rangeResponse = answer({ kvs: keyValues, more: flag, count: safeInt64 });
export const putRequest = fc.record({
  key: latin1,
  value: latin1,
  lease: int64Bigint,
  prevKv: flag,
  ignoreValue: flag,
  ignoreLease: flag,
});
export const putResponse = withOptional(fc.constant({}), { header, prevKv: keyValue });
export const deleteRangeRequest = fc.record({ key: latin1, rangeEnd: latin1, prevKv: flag });
export const deleteRangeResponse = answer({ deleted: safeInt64, prevKvs: keyValues });
export const compactionRequest = fc.record({ revision: int64, physical: flag });
export const headerResponse = answer({});

const operand: fc.Arbitrary<NonNullable<Compare['operand']>> = fc.oneof(
  fc.record({ kind: fc.constantFrom('version', 'create', 'mod'), value: int64 }),
  fc.record({ kind: fc.constant('value'), value: latin1 }),
  fc.record({ kind: fc.constant('lease'), value: int64Bigint }),
);
export const compare: fc.Arbitrary<Compare> = withOptional(
  fc.record({ result: int32, target: int32, key: latin1, rangeEnd: latin1 }),
  { operand },
);

const requests = fc.letrec<{ txn: TxnRequest; op: RequestOp }>((tie) => ({
  txn: fc.record({
    compare: fc.array(compare, { maxLength: 2 }),
    success: fc.array(tie('op'), { maxLength: 2 }),
    failure: fc.array(tie('op'), { maxLength: 2 }),
  }),
  op: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant<RequestOp>({ kind: 'none' }),
    fc.record({ kind: fc.constant('range'), request: rangeRequest }),
    fc.record({ kind: fc.constant('put'), request: putRequest }),
    fc.record({ kind: fc.constant('deleteRange'), request: deleteRangeRequest }),
    fc.record({ kind: fc.constant('txn'), request: tie('txn') }),
  ),
}));
export const txnRequest = requests.txn;

const responses = fc.letrec<{ txn: TxnResponse; op: ResponseOp }>((tie) => ({
  txn: answer({ succeeded: flag, responses: fc.array(tie('op'), { maxLength: 2 }) }),
  op: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ kind: fc.constant('range'), response: rangeResponse }),
    fc.record({ kind: fc.constant('put'), response: putResponse }),
    fc.record({ kind: fc.constant('deleteRange'), response: deleteRangeResponse }),
    fc.record({ kind: fc.constant('txn'), response: tie('txn') }),
  ),
}));
export const txnResponse = responses.txn;

export const watchRequest: fc.Arbitrary<WatchRequest> = fc.oneof(
  fc.record({
    kind: fc.constant('create'),
    request: fc.record({
      key: latin1,
      rangeEnd: latin1,
      startRevision: int64,
      progressNotify: flag,
      filters: fc.array(int32, { maxLength: 4 }),
      prevKv: flag,
      watchId: int64Bigint,
      fragment: flag,
    }),
  }),
  fc.record({ kind: fc.constant('cancel'), watchId: int64Bigint }),
  fc.constant<WatchRequest>({ kind: 'progress' }),
  fc.constant<WatchRequest>({ kind: 'none' }),
);
export const event: fc.Arbitrary<Event> = withOptional(
  fc.record({ type: fc.constantFrom('put', 'delete'), kv: keyValue }),
  { prevKv: keyValue },
);
export const watchHead = answer({
  watchId: int64Bigint,
  created: flag,
  canceled: flag,
  compactRevision: safeInt64,
  cancelReason: text,
  fragment: flag,
});
export const watchResponse = fc
  .tuple(watchHead, fc.array(event, { maxLength: 3 }))
  .map(([head, events]) => ({ ...head, events }));

export const leaseGrantRequest = fc.record({ ttl: int64, id: int64Bigint });
export const leaseGrantResponse = answer({ id: int64Bigint, ttl: safeInt64, error: text });
export const leaseId = fc.record({ id: int64Bigint });
export const leaseKeepAliveResponse = answer({ id: int64Bigint, ttl: safeInt64 });
export const leaseTimeToLiveRequest = fc.record({ id: int64Bigint, keys: flag });
export const leaseTimeToLiveResponse = answer({
  id: int64Bigint,
  ttl: safeInt64,
  grantedTtl: safeInt64,
  keys: fc.array(latin1, { maxLength: 3 }),
});
export const leaseLeasesResponse = answer({ leases: fc.array(leaseId, { maxLength: 3 }) });

export const member: fc.Arbitrary<Member> = fc.record({
  id: uint64Bigint,
  name: text,
  peerUrls: texts,
  clientUrls: texts,
  isLearner: flag,
});
const members = fc.array(member, { maxLength: 3 });
export const memberId = fc.record({ id: uint64Bigint });
export const memberAddRequest = fc.record({ peerUrls: texts, isLearner: flag });
export const memberAddResponse = answer({ member, members });
export const memberUpdateRequest = fc.record({ id: uint64Bigint, peerUrls: texts });
export const memberListRequest = fc.record({ linearizable: flag });
export const membersResponse = answer({ members });

export const alarmRequest = fc.record({ action: int32, memberId: uint64Bigint, alarm: int32 });
export const alarmMember = fc.record({ memberId: uint64Bigint, alarm: int32 });
export const alarmResponse = answer({ alarms: fc.array(alarmMember, { maxLength: 3 }) });
export const statusResponse = answer({
  version: text,
  dbSize: safeInt64,
  leader: uint64Bigint,
  raftIndex: safeUint64,
  raftTerm: safeUint64,
  raftAppliedIndex: safeUint64,
  errors: texts,
  dbSizeInUse: safeInt64,
  isLearner: flag,
  storageVersion: text,
  dbSizeQuota: safeInt64,
  downgradeInfo: fc.record({ enabled: flag, targetVersion: text }),
});
export const hashKvRequest = fc.record({ revision: int64 });
export const hashKvResponse = answer({
  hash: uint32,
  compactRevision: safeInt64,
  hashRevision: safeInt64,
});
export const hashResponse = answer({ hash: uint32 });
export const snapshotResponse = answer({ remainingBytes: safeUint64, blob: bytes, version: text });
export const moveLeaderRequest = fc.record({ targetId: uint64Bigint });
export const healthCheckRequest = fc.record({ service: text });
export const healthCheckResponse = fc.record({ status: int32 });

function op<K extends InternalOp['kind']>(kind: K) {
  return fc.constant(kind);
}

/** Every operation of InternalRaftRequest that may be written. */
export const internalOp: fc.Arbitrary<InternalOp> = fc.oneof(
  fc.record({ kind: op('range'), request: rangeRequest }),
  fc.record({ kind: op('put'), request: putRequest }),
  fc.record({ kind: op('deleteRange'), request: deleteRangeRequest }),
  fc.record({ kind: op('txn'), request: txnRequest }),
  fc.record({ kind: op('compaction'), request: compactionRequest }),
  fc.record({ kind: op('leaseGrant'), request: leaseGrantRequest }),
  fc.record({ kind: op('leaseRevoke'), request: leaseId }),
  fc.record({
    kind: op('leaseCheckpoint'),
    checkpoints: fc.array(fc.record({ id: int64Bigint, remainingTtl: safeInt64 }), {
      maxLength: 3,
    }),
  }),
  fc.record({ kind: op('alarm'), request: alarmRequest }),
  fc.record({ kind: op('clusterVersionSet'), version: text }),
  fc.record({
    kind: op('clusterMemberAttrSet'),
    memberId: uint64Bigint,
    name: text,
    clientUrls: texts,
  }),
  fc.record({ kind: op('downgradeInfoSet'), enabled: flag, version: text }),
);
export const internalRequest: fc.Arbitrary<InternalRequest> = fc.record({
  id: uint64Bigint,
  username: text,
  authRevision: safeUint64,
  op: internalOp,
});
export const v2Op = fc.record({
  kind: op('v2'),
  method: fc.constantFrom('PUT', 'POST', 'DELETE', 'QGET', 'SYNC'),
  path: fc.oneof(fc.constantFrom('/0/version', '/0/members/8e9e05c52164694d/attributes'), text),
  value: text,
});

const ids = fc.array(uint64Bigint, { maxLength: 4 });
export const confState: fc.Arbitrary<ConfState> = fc.record({
  voters: ids,
  learners: ids,
  votersOutgoing: ids,
  learnersNext: ids,
  autoLeave: flag,
});
export const snapshot: fc.Arbitrary<Snapshot> = fc.record({
  metadata: fc.record({ confState, index: safeUint64, term: safeUint64 }),
  data: bytes,
});
export const entry: fc.Arbitrary<Entry> = fc.record({
  type: fc.constantFrom(0, 1, 2),
  term: safeUint64,
  index: safeUint64,
  data: bytes,
});
/** A snapshot of index 0 is none, unless the message is there for it. */
export const message: fc.Arbitrary<Message> = withOptional(
  fc.record({
    type: fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18),
    to: uint64Bigint,
    from: uint64Bigint,
    term: safeUint64,
    logTerm: safeUint64,
    index: safeUint64,
    entries: fc.array(entry, { maxLength: 4 }),
    commit: safeUint64,
    reject: flag,
    rejectHint: safeUint64,
    context: bytes,
  }),
  { snapshot: snapshot.filter(({ metadata }) => metadata.index > 0) },
).filter((made) => made.type !== 7 || made.snapshot !== undefined);
export const hardState = fc.record({ term: safeUint64, vote: uint64Bigint, commit: safeUint64 });
const changeType = fc.constantFrom(0, 1, 2, 3);
export const confChange = fc.record({
  id: uint64Bigint,
  type: changeType,
  nodeId: uint64Bigint,
  context: bytes,
});
export const confChangeV2 = fc.record({
  transition: fc.constantFrom(0, 1, 2),
  changes: fc.array(fc.record({ type: changeType, nodeId: uint64Bigint }), { maxLength: 3 }),
  context: bytes,
});
