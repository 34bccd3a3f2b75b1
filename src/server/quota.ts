/**
 * The backend quota: what a write costs, and whether it fits (semantics.md 6). Deletes cost nothing,
 * so that a full store can be emptied.
 */
import type { RequestOp, TxnRequest } from '../api/index.js';
import type { InternalOp } from '../api/index.js';

/** 2 GiB, for `--quota-backend-bytes=0`. */
export const DEFAULT_QUOTA_BYTES = 2 * 1024 ** 3;

const LEASE_COST_BYTES = 64;
const PUT_OVERHEAD_BYTES = 256;

/** Bytes that applying `op` may add. */
export function costBytes(op: InternalOp): number {
  if (op.kind === 'put') return putCost(op.request);
  if (op.kind === 'txn') return txnCost(op.request);
  return op.kind === 'leaseGrant' ? LEASE_COST_BYTES : 0;
}

function txnCost(txn: TxnRequest): number {
  return Math.max(branchCost(txn.success), branchCost(txn.failure));
}

function branchCost(ops: readonly RequestOp[]): number {
  let sum = 0;
  for (const op of ops) {
    if (op.kind === 'put') sum += putCost(op.request);
    else if (op.kind === 'txn') sum += txnCost(op.request);
  }
  return sum;
}

function putCost(put: { key: string; value: string }): number {
  return PUT_OVERHEAD_BYTES + put.key.length + put.value.length;
}

export class Quota {
  /** As Status shows it. */
  readonly limitBytes: number;
  readonly #sizeBytes: () => number;

  /** `limitBytes` 0 means the default, below 0 no limit. */
  constructor(limitBytes: number, sizeBytes: () => number) {
    this.limitBytes = limitBytes === 0 ? DEFAULT_QUOTA_BYTES : limitBytes;
    this.#sizeBytes = sizeBytes;
  }

  /** Is there room for `op`? An operation that costs nothing always fits. */
  hasRoomFor(op: InternalOp): boolean {
    if (this.limitBytes < 0) return true;
    const cost = costBytes(op);
    return cost === 0 || this.#sizeBytes() + cost < this.limitBytes;
  }
}
