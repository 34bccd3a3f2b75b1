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

/** Throws an InvariantError that names the entry when it cannot be read: to go on would be to guess. */
export function decodeRequest({ index, term, data }: Entry): InternalRequest {
  try {
    return internalRequest.decode(data);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvariantError(
      `entry ${index} of term ${term} in the raft log cannot be applied here: ${reason}`,
    );
  }
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
