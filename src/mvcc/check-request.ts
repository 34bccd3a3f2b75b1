/** What is refused before a request is proposed: etcd's checks in etcd's order. */
import {
  SortOrder,
  SortTarget,
  etcdError,
  type DeleteRangeRequest,
  type PutRequest,
  type RangeRequest,
  type RequestOp,
  type TxnRequest,
} from '../api/index.js';
import { DeletedKeys } from './deleted-keys.js';

/** Throws emptyKey or invalidSortOption. */
export function checkRange(request: RangeRequest): void {
  if (request.key === '') throw etcdError('emptyKey');
  if (!isBetween(request.sortOrder, SortOrder.none, SortOrder.descend)) {
    throw etcdError('invalidSortOption');
  }
  if (!isBetween(request.sortTarget, SortTarget.key, SortTarget.value)) {
    throw etcdError('invalidSortOption');
  }
}

function isBetween(number: number, low: number, high: number): boolean {
  return number >= low && number <= high;
}

/** Throws emptyKey, valueProvided or leaseProvided. */
export function checkPut(request: PutRequest): void {
  if (request.key === '') throw etcdError('emptyKey');
  if (request.ignoreValue && request.value !== '') throw etcdError('valueProvided');
  if (request.ignoreLease && request.lease !== 0n) throw etcdError('leaseProvided');
}

/** Throws emptyKey. */
export function checkDelete(request: DeleteRangeRequest): void {
  if (request.key === '') throw etcdError('emptyKey');
}

/**
 * Throws tooManyOps, emptyKey, duplicateKey, keyNotFound (an operation that is none) or what the
 * operations' own checks throw. Nesting shares the budget of `maxTxnOps`.
 */
export function checkTxn(request: TxnRequest, options: { maxTxnOps: number }): void {
  checkTxnOps(request, options.maxTxnOps);
  checkOverlaps(request.success);
  checkOverlaps(request.failure);
}

function checkTxnOps(request: TxnRequest, budget: number): void {
  const { compare, success, failure } = request;
  const widest = Math.max(compare.length, success.length, failure.length);
  if (widest > budget) throw etcdError('tooManyOps');
  for (const { key } of compare) if (key === '') throw etcdError('emptyKey');
  for (const op of success) checkOp(op, budget - widest);
  for (const op of failure) checkOp(op, budget - widest);
}

function checkOp(op: RequestOp, budget: number): void {
  switch (op.kind) {
    case 'range':
      return checkRange(op.request);
    case 'put':
      return checkPut(op.request);
    case 'deleteRange':
      return checkDelete(op.request);
    case 'txn':
      return checkTxnOps(op.request, budget);
    case 'none':
      throw etcdError('keyNotFound');
  }
}

/** What a list of operations would put and delete. */
interface Effects {
  readonly puts: Set<string>;
  readonly deletes: DeletedKeys;
}

/**
 * Throws duplicateKey when a key could be put twice, or put and deleted, on one path. As in etcd the
 * deletes of this list come first, then nested transactions in order, then this list's puts; so of two
 * nested transactions "put then delete" passes and "delete then put" does not. A delete to the end of
 * the keyspace ('\0') is an empty interval here and hits nothing.
 */
function checkOverlaps(ops: readonly RequestOp[]): Effects {
  const effects: Effects = { puts: new Set(), deletes: new DeletedKeys() };
  for (const op of ops) if (op.kind === 'deleteRange') addDelete(op.request, effects);
  for (const op of ops) if (op.kind === 'txn') addNested(op.request, effects);
  for (const op of ops) if (op.kind === 'put') addPut(op.request.key, effects);
  return effects;
}

function addDelete({ key, rangeEnd }: DeleteRangeRequest, { deletes }: Effects): void {
  if (rangeEnd === '') deletes.addKey(key);
  else deletes.addRange(key, rangeEnd);
}

function addNested(txn: TxnRequest, effects: Effects): void {
  const success = checkOverlaps(txn.success);
  const failure = checkOverlaps(txn.failure);
  for (const key of success.puts) addPut(key, effects);
  for (const key of failure.puts) {
    // Only one of the two branches runs.
    if (!success.puts.has(key)) addPut(key, effects);
  }
  effects.deletes.addAll(success.deletes);
  effects.deletes.addAll(failure.deletes);
}

function addPut(key: string, { puts, deletes }: Effects): void {
  if (puts.has(key) || deletes.has(key)) throw etcdError('duplicateKey');
  puts.add(key);
}
