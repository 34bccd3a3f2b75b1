/** Transactions: choose branches, check every operation on the path, then execute. */
import {
  etcdError,
  type DeleteRangeRequest,
  type DeleteRangeResponse,
  type PutRequest,
  type PutResponse,
  type RangeRequest,
  type RequestOp,
  type ResponseHeader,
  type ResponseOp,
  type TxnRequest,
  type TxnResponse,
} from '../api/index.js';
import { holds } from './compare.js';
import { DeletedKeys } from './deleted-keys.js';
import type { KeyIndex } from './key-index.js';
import { endOfRange } from './key-range.js';
import type { Keyspace } from './keyspace.js';
import { evaluateRange } from './range.js';
import type { WriteTxn } from './write-txn.js';

/** A transaction with its branch chosen; nested ones on that branch as well. */
interface ChosenTxn {
  readonly succeeded: boolean;
  readonly ops: readonly ChosenOp[];
}

type ChosenOp = Exclude<RequestOp, { kind: 'txn' }> | { kind: 'txn'; txn: ChosenTxn };

/**
 * Executes `request` in `write`. All compares, nested ones too, look at the state before the
 * transaction; then everything on the path is checked, and any refusal (futureRev, compacted,
 * leaseNotFound, keyNotFound) comes before the first effect. The caller ends `write` and fills the
 * outermost header.
 */
export function executeTxn(keyspace: Keyspace, write: WriteTxn, request: TxnRequest): TxnResponse {
  const chosen = choose(keyspace, request);
  checkOps(keyspace, chosen, new DeletedKeys());
  return execute(keyspace, write, chosen);
}

function choose(keyspace: Keyspace, request: TxnRequest): ChosenTxn {
  const succeeded = request.compare.every((compare) => holds(keyspace, compare));
  const branch = succeeded ? request.success : request.failure;
  const ops = branch.map((op): ChosenOp =>
    op.kind === 'txn' ? { kind: 'txn', txn: choose(keyspace, op.request) } : op,
  );
  return { succeeded, ops };
}

function checkOps(keyspace: Keyspace, txn: ChosenTxn, deleted: DeletedKeys): void {
  for (const op of txn.ops) {
    switch (op.kind) {
      case 'range':
        checkRangeRevision(keyspace, op.request);
        break;
      case 'put':
        checkPutInTxn(keyspace, op.request, deleted);
        break;
      case 'deleteRange':
        deleted.addRange(op.request.key, endOfRange(op.request.key, op.request.rangeEnd));
        break;
      case 'txn':
        checkOps(keyspace, op.txn, deleted);
        break;
      case 'none':
        break;
    }
  }
}

/** Stricter than a range of its own: -1 passes only while nothing was compacted, -2 never. */
function checkRangeRevision(keyspace: Keyspace, { revision }: RangeRequest): void {
  if (revision === 0) return;
  if (revision > keyspace.currentRevision) throw etcdError('futureRev');
  if (revision < keyspace.compactRevision) throw etcdError('compacted');
}

/**
 * In a transaction etcd 3.6 looks for the key before it looks for the lease. Validation lets a delete to
 * the end of the keyspace stand beside a put of a key in it; a put that keeps what such a delete, earlier
 * on the path, takes away is refused here, before anything has happened.
 */
function checkPutInTxn(keyspace: Keyspace, request: PutRequest, deleted: DeletedKeys): void {
  if (request.ignoreValue || request.ignoreLease) {
    const exists = keyspace.live(request.key) !== undefined && !deleted.has(request.key);
    if (!exists) throw etcdError('keyNotFound');
  }
  checkLease(keyspace, request);
}

function checkLease(keyspace: Keyspace, { lease }: PutRequest): void {
  if (lease !== 0n && !keyspace.leases.has(lease)) throw etcdError('leaseNotFound');
}

function execute(keyspace: Keyspace, write: WriteTxn, txn: ChosenTxn): TxnResponse {
  const responses: ResponseOp[] = [];
  for (const op of txn.ops) {
    const response = executeOp(keyspace, write, op);
    if (response !== undefined) responses.push(response);
  }
  return { succeeded: txn.succeeded, responses };
}

function executeOp(keyspace: Keyspace, write: WriteTxn, op: ChosenOp): ResponseOp | undefined {
  switch (op.kind) {
    case 'range': {
      const response = evaluateRange(keyspace, op.request, write.revision);
      response.header = revisionHeader(write.revision);
      return { kind: 'range', response };
    }
    case 'put': {
      const response = executePut(keyspace, write, op.request);
      response.header = revisionHeader(write.revision);
      return { kind: 'put', response };
    }
    case 'deleteRange': {
      const response = executeDeleteRange(keyspace, write, op.request);
      response.header = revisionHeader(write.revision);
      return { kind: 'deleteRange', response };
    }
    case 'txn': {
      const response = execute(keyspace, write, op.txn);
      response.header = revisionHeader(0);
      return { kind: 'txn', response };
    }
    case 'none':
      return undefined;
  }
}

export function revisionHeader(revision: number): ResponseHeader {
  return { clusterId: 0n, memberId: 0n, revision, raftTerm: 0 };
}

/** Refuses a put on its own: the lease is looked for before the key. */
export function checkPutAlone(keyspace: Keyspace, request: PutRequest): void {
  checkLease(keyspace, request);
  if ((request.ignoreValue || request.ignoreLease) && keyspace.live(request.key) === undefined) {
    throw etcdError('keyNotFound');
  }
}

/** Executes a put that has been checked. */
export function executePut(keyspace: Keyspace, write: WriteTxn, request: PutRequest): PutResponse {
  const { key } = request;
  const response: PutResponse = {};
  let { value, lease } = request;
  if (request.prevKv || request.ignoreValue || request.ignoreLease) {
    const before = keyspace.live(key);
    if (before !== undefined) {
      if (request.prevKv) response.prevKv = keyspace.newest(before);
      if (request.ignoreValue) value = keyspace.newestValue(before);
      if (request.ignoreLease) lease = before.lease;
    }
  }
  write.put(key, value, lease);
  return response;
}

export function executeDeleteRange(
  keyspace: Keyspace,
  write: WriteTxn,
  request: DeleteRangeRequest,
): DeleteRangeResponse {
  const doomed = liveInRange(keyspace, request.key, request.rangeEnd);
  const prevKvs = request.prevKv ? doomed.map((index) => keyspace.newest(index)) : [];
  for (const index of doomed) write.delete(index);
  return { deleted: doomed.length, prevKvs };
}

function liveInRange(keyspace: Keyspace, key: string, rangeEnd: string): KeyIndex[] {
  if (rangeEnd === '') {
    const index = keyspace.live(key);
    return index === undefined ? [] : [index];
  }
  const found: KeyIndex[] = [];
  keyspace.tree.ascend(key, endOfRange(key, rangeEnd), (index) => {
    if (index.alive) found.push(index);
    return true;
  });
  return found;
}

/**
 * Can the transaction be answered without the log? Only if each operation of both branches is a range;
 * a nested transaction counts as a write (etcd's rule).
 */
export function isReadOnlyTxn(request: TxnRequest): boolean {
  return allOps(request, (op) => op.kind === 'range');
}

/** Are all its ranges serializable, so that it needs no ReadIndex either? True without operations. */
export function isSerializableTxn(request: TxnRequest): boolean {
  return allOps(request, (op) => op.kind === 'range' && op.request.serializable);
}

function allOps(request: TxnRequest, test: (op: RequestOp) => boolean): boolean {
  return request.success.every(test) && request.failure.every(test);
}

/** Bytes a put may add to the backend, as etcd estimates it for the quota. */
export function putCostBytes(request: PutRequest): number {
  return 256 + request.key.length + request.value.length;
}

/** The same for a transaction: the dearer branch; only its own puts count, not nested ones (as etcd). */
export function txnCostBytes(request: TxnRequest): number {
  return Math.max(opsCostBytes(request.success), opsCostBytes(request.failure));
}

function opsCostBytes(ops: readonly RequestOp[]): number {
  return ops.reduce((sum, op) => sum + (op.kind === 'put' ? putCostBytes(op.request) : 0), 0);
}
