/**
 * What an entry of the log asks for, as every member must understand it: those of a real etcd beside this
 * one, too (peer-protocol 3 and 5.2).
 */
import {
  type InternalOp,
  type InternalRequest,
  InvariantError,
  type RequestOp,
} from '../api/index.js';
import { internalRequest } from '../codec/index.js';
import type { Entry } from '../raft/index.js';

/** Throws an InvariantError that names the entry when it cannot be applied exactly: to go on would be to guess. */
export function decodeRequest(entry: Entry): InternalRequest {
  const request = decode(entry);
  const { op } = request;
  if (op.kind === 'unsupported')
    throw inapplicable(entry, `${op.field} is not known in this version`);
  return request;
}

function decode(entry: Entry): InternalRequest {
  try {
    return internalRequest.decode(entry.data);
  } catch (error) {
    throw inapplicable(entry, error instanceof Error ? error.message : String(error));
  }
}

function inapplicable({ index, term }: Entry, reason: string): InvariantError {
  return new InvariantError(
    `entry ${index} of term ${term} in the raft log cannot be applied here: ${reason}`,
  );
}

/** Does a range in the transaction name a revision that may be compacted, or not be there yet? */
export function namesRevisions(op: InternalOp): boolean {
  if (op.kind !== 'txn') return false;
  return [...op.request.success, ...op.request.failure].some(
    (branchOp) => branchOp.kind === 'range' && branchOp.request.revision !== 0,
  );
}

/**
 * A transaction that a real etcd proposed, as its other members apply it: without the ranges of the outermost
 * branches, so that what these name cannot fail it.
 */
export function asOthersApply(op: InternalOp): InternalOp {
  if (!namesRevisions(op) || op.kind !== 'txn') return op;
  const { success, failure } = op.request;
  return {
    kind: 'txn',
    request: { ...op.request, success: withoutRanges(success), failure: withoutRanges(failure) },
  };
}

function withoutRanges(ops: readonly RequestOp[]): RequestOp[] {
  return ops.filter((op) => op.kind !== 'range');
}
