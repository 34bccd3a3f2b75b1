/**
 * The data of a normal log entry: etcd's InternalRaftRequest, or the bare v2 request that etcd 3.4
 * and 3.5 use to publish a member's attributes and the cluster's version.
 */
import { assert, type InternalOp, type InternalRequest } from '../api/index.js';
import { encode, writeMessage, writeStrings, type Codec } from './codec.js';
import {
  readCompactionRequest,
  readDeleteRangeRequest,
  readPutRequest,
  readRangeRequest,
  readTxnRequest,
  writeCompactionRequest,
  writeDeleteRangeRequest,
  writePutRequest,
  writeRangeRequest,
  writeTxnRequest,
} from './kv.js';
import {
  readLeaseCheckpoints,
  readLeaseGrantRequest,
  readLeaseId,
  writeLeaseCheckpoints,
  writeLeaseGrantRequest,
  writeLeaseId,
} from './lease.js';
import { readAlarmRequest, writeAlarmRequest } from './maintenance.js';
import { readV2Request, writeV2Request, type V2Request } from './v2-request.js';
import { DecodeError, Reader, type Writer } from './wire.js';

/** Fields of InternalRaftRequest that name no operation, or one written here. */
const Field = {
  id: 1,
  v2: 2,
  range: 3,
  put: 4,
  deleteRange: 5,
  txn: 6,
  compaction: 7,
  leaseGrant: 8,
  leaseRevoke: 9,
  alarm: 10,
  leaseCheckpoint: 11,
  header: 100,
  clusterVersionSet: 1300,
  clusterMemberAttrSet: 1301,
  downgradeInfoSet: 1302,
} as const;

/** Known operations that this build has no room for. */
const unsupportedFields = new Map<number, string>([
  [1000, 'auth_enable'],
  [1011, 'auth_disable'],
  [1012, 'authenticate'],
  [1013, 'auth_status'],
  [1100, 'auth_user_add'],
  [1101, 'auth_user_delete'],
  [1102, 'auth_user_get'],
  [1103, 'auth_user_change_password'],
  [1104, 'auth_user_grant_role'],
  [1105, 'auth_user_revoke_role'],
  [1106, 'auth_user_list'],
  [1107, 'auth_role_list'],
  [1200, 'auth_role_add'],
  [1201, 'auth_role_delete'],
  [1202, 'auth_role_get'],
  [1203, 'auth_role_grant_permission'],
  [1204, 'auth_role_revoke_permission'],
  [9900, 'downgrade_version_test'],
]);

interface Header {
  id: bigint;
  username: string;
  authRevision: number;
  rangesChecked?: boolean;
}

/** Of Kvorum alone: etcd, which does not know the number, passes over it. */
const RANGES_CHECKED = 100;

function writeHeader(w: Writer, header: Header): void {
  w.bool(RANGES_CHECKED, header.rangesChecked ?? false);
  w.integer(3, header.authRevision);
  w.string(2, header.username);
  w.integer(1, header.id);
}

function readHeader(r: Reader): Header {
  const header: Header = { id: 0n, username: '', authRevision: 0 };
  while (r.next()) {
    switch (r.field) {
      case 1:
        header.id = r.uint64Bigint();
        break;
      case 2:
        header.username = r.string();
        break;
      case 3:
        header.authRevision = r.safeUint64();
        break;
      case RANGES_CHECKED:
        if (r.bool()) header.rangesChecked = true;
        break;
      default:
        r.skip();
    }
  }
  return header;
}

type ClusterOp = Extract<
  InternalOp,
  { kind: 'clusterVersionSet' | 'clusterMemberAttrSet' | 'downgradeInfoSet' }
>;
type Kind<K extends InternalOp['kind']> = Extract<InternalOp, { kind: K }>;

/** The header's place is between the operations below and above number 100. */
function writeRequest(w: Writer, request: InternalRequest): void {
  const { op } = request;
  switch (op.kind) {
    case 'clusterVersionSet':
    case 'clusterMemberAttrSet':
    case 'downgradeInfoSet':
      writeClusterOp(w, op);
      writeMessage(w, Field.header, request, writeHeader);
      return;
    default:
      writeMessage(w, Field.header, request, writeHeader);
      writeStoreOp(w, op);
  }
}

function writeStoreOp(w: Writer, op: Exclude<InternalOp, ClusterOp>): void {
  switch (op.kind) {
    case 'range':
      return writeMessage(w, Field.range, op.request, writeRangeRequest);
    case 'put':
      return writeMessage(w, Field.put, op.request, writePutRequest);
    case 'deleteRange':
      return writeMessage(w, Field.deleteRange, op.request, writeDeleteRangeRequest);
    case 'txn':
      return writeMessage(w, Field.txn, op.request, writeTxnRequest);
    case 'compaction':
      return writeMessage(w, Field.compaction, op.request, writeCompactionRequest);
    case 'leaseGrant':
      return writeMessage(w, Field.leaseGrant, op.request, writeLeaseGrantRequest);
    case 'leaseRevoke':
      return writeMessage(w, Field.leaseRevoke, op.request, writeLeaseId);
    case 'leaseCheckpoint':
      return writeMessage(w, Field.leaseCheckpoint, op.checkpoints, writeLeaseCheckpoints);
    case 'alarm':
      return writeMessage(w, Field.alarm, op.request, writeAlarmRequest);
    case 'v2':
    case 'unsupported':
      assert(false, () => `an operation of kind ${op.kind} is not part of InternalRaftRequest`);
  }
}

function writeClusterOp(w: Writer, op: ClusterOp): void {
  switch (op.kind) {
    case 'clusterVersionSet':
      return writeMessage(w, Field.clusterVersionSet, op, writeClusterVersionSet);
    case 'clusterMemberAttrSet':
      return writeMessage(w, Field.clusterMemberAttrSet, op, writeClusterMemberAttrSet);
    case 'downgradeInfoSet':
      return writeMessage(w, Field.downgradeInfoSet, op, writeDowngradeInfoSet);
  }
}

function writeClusterVersionSet(w: Writer, op: Kind<'clusterVersionSet'>): void {
  w.string(1, op.version);
}

function readClusterVersionSet(r: Reader): InternalOp {
  let version = '';
  while (r.next()) {
    if (r.field === 1) version = r.string();
    else r.skip();
  }
  return { kind: 'clusterVersionSet', version };
}

function writeClusterMemberAttrSet(w: Writer, op: Kind<'clusterMemberAttrSet'>): void {
  writeMessage(w, 2, op, writeAttributes);
  w.integer(1, op.memberId);
}

function readClusterMemberAttrSet(r: Reader): InternalOp {
  let memberId = 0n;
  let attributes: Attributes = { name: '', clientUrls: [] };
  while (r.next()) {
    switch (r.field) {
      case 1:
        memberId = r.uint64Bigint();
        break;
      case 2:
        attributes = r.message(readAttributes);
        break;
      default:
        r.skip();
    }
  }
  return { kind: 'clusterMemberAttrSet', memberId, ...attributes };
}

interface Attributes {
  name: string;
  clientUrls: string[];
}

function writeAttributes(w: Writer, attributes: Attributes): void {
  writeStrings(w, 2, attributes.clientUrls);
  w.string(1, attributes.name);
}

function readAttributes(r: Reader): Attributes {
  const attributes: Attributes = { name: '', clientUrls: [] };
  while (r.next()) {
    switch (r.field) {
      case 1:
        attributes.name = r.string();
        break;
      case 2:
        attributes.clientUrls.push(r.string());
        break;
      default:
        r.skip();
    }
  }
  return attributes;
}

function writeDowngradeInfoSet(w: Writer, op: Kind<'downgradeInfoSet'>): void {
  w.string(2, op.version);
  w.bool(1, op.enabled);
}

function readDowngradeInfoSet(r: Reader): InternalOp {
  let enabled = false;
  let version = '';
  while (r.next()) {
    switch (r.field) {
      case 1:
        enabled = r.bool();
        break;
      case 2:
        version = r.string();
        break;
      default:
        r.skip();
    }
  }
  return { kind: 'downgradeInfoSet', enabled, version };
}

function requestFromV2({ id, method, path, value }: V2Request): InternalRequest {
  return { id, username: '', authRevision: 0, op: { kind: 'v2', method, path, value } };
}

/** Throws unless there is an operation, and a header where etcd's apply needs one. */
function readRequest(r: Reader): InternalRequest {
  let id = 0n;
  let header: Header | undefined;
  let v2: V2Request | undefined;
  let op: InternalOp | undefined;
  while (r.next()) {
    switch (r.field) {
      case Field.id:
        id = r.uint64Bigint();
        break;
      case Field.v2:
        v2 = r.message(readV2Request);
        break;
      case Field.header:
        header = r.message(readHeader);
        break;
      default:
        op = readOp(r) ?? op;
    }
  }
  if (v2 !== undefined) return requestFromV2(v2);
  if (op === undefined) throw new DecodeError('a log entry without a known operation');
  if (header === undefined) throw new DecodeError('a log entry without a request header');
  return { ...header, id: id === 0n ? header.id : id, op };
}

function readOp(r: Reader): InternalOp | undefined {
  switch (r.field) {
    case Field.put:
      return { kind: 'put', request: r.message(readPutRequest) };
    case Field.range:
      return { kind: 'range', request: r.message(readRangeRequest) };
    case Field.deleteRange:
      return { kind: 'deleteRange', request: r.message(readDeleteRangeRequest) };
    case Field.txn:
      return { kind: 'txn', request: r.message(readTxnRequest) };
    case Field.compaction:
      return { kind: 'compaction', request: r.message(readCompactionRequest) };
    case Field.leaseGrant:
      return { kind: 'leaseGrant', request: r.message(readLeaseGrantRequest) };
    case Field.leaseRevoke:
      return { kind: 'leaseRevoke', request: r.message(readLeaseId) };
    case Field.leaseCheckpoint:
      return { kind: 'leaseCheckpoint', checkpoints: r.message(readLeaseCheckpoints) };
    case Field.alarm:
      return { kind: 'alarm', request: r.message(readAlarmRequest) };
    default:
      return readClusterOp(r);
  }
}

function readClusterOp(r: Reader): InternalOp | undefined {
  switch (r.field) {
    case Field.clusterVersionSet:
      return r.message(readClusterVersionSet);
    case Field.clusterMemberAttrSet:
      return r.message(readClusterMemberAttrSet);
    case Field.downgradeInfoSet:
      return r.message(readDowngradeInfoSet);
  }
  const field = unsupportedFields.get(r.field);
  r.skip();
  return field === undefined ? undefined : { kind: 'unsupported', field };
}

function decode(bytes: Uint8Array): InternalRequest {
  try {
    return readRequest(new Reader(bytes));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return decodeBareV2(bytes, error);
  }
}

/** Reports the first reading's error when the second fails as well: the first form is the usual one. */
function decodeBareV2(bytes: Uint8Array, firstError: DecodeError): InternalRequest {
  try {
    return requestFromV2(readV2Request(new Reader(bytes)));
  } catch (error) {
    if (error instanceof DecodeError) throw firstError;
    throw error;
  }
}

/**
 * A log entry's data and back, byte for byte as etcd writes it. An operation of kind `v2` is written
 * as the bare v2 request, with zeros; any other as InternalRaftRequest with its header in field 100.
 * Decoding tries InternalRaftRequest first and then the bare form, as etcd 3.4 to 3.6 do; the two
 * cannot be taken for one another, since a v2 request's method is never a valid nested message.
 * Throws DecodeError when neither reads, or when no operation is known (real members end there).
 * Encoding an `unsupported` operation is a broken invariant.
 */
export const internalRequest: Codec<InternalRequest> = {
  encode(request) {
    const { id, op } = request;
    if (op.kind !== 'v2') return encode(request, writeRequest);
    return encode({ id, method: op.method, path: op.path, value: op.value }, writeV2Request);
  },
  decode,
};
