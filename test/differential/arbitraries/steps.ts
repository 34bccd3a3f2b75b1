/** Lists of requests. */
import * as fc from 'fast-check';
import type { Step } from '../support/step.js';
import type { Plain } from '../support/wire.js';
import { fields, sometimes } from './fields.js';
import { compactionRequest, deleteRangeRequest, putRequest, rangeRequest } from './kv.js';
import {
  leaseGrantRequest,
  leaseKeepAliveRequest,
  leaseLeasesRequest,
  leaseRevokeRequest,
  leaseTimeToLiveRequest,
} from './lease.js';
import { txnRequest } from './txn.js';
import { revision } from './values.js';

export interface StepOptions {
  /** Requests of one list at most. */
  maxLength: number;
  /** Does etcd refuse sort numbers that the protocol does not have, as it does since 3.6? */
  refusesUnknownSort: boolean;
  /** See {@link TxnOptions}. */
  putBesideDeleteToEnd: boolean;
}

const hashKvRequest = fields({ revision: sometimes(70, revision) });

/** At least one step. */
export function steps({
  maxLength,
  refusesUnknownSort,
  putBesideDeleteToEnd,
}: StepOptions): fc.Arbitrary<Step[]> {
  // An older etcd ends when it is to sort by an unknown target; an unknown order it does not sort by,
  // which in a transaction would have effects that Kvorum's refusal does not have.
  const alone = { unknownOrder: true, unknownTarget: refusesUnknownSort };
  const inTxn = {
    unknownOrder: refusesUnknownSort,
    unknownTarget: refusesUnknownSort,
    putBesideDeleteToEnd,
  };
  const of = (weight: number, method: string, request: fc.Arbitrary<Plain>) => ({
    weight,
    arbitrary: request.map((plain): Step => ({ method, request: plain })),
  });
  const step = fc.oneof(
    of(25, 'KV/Put', putRequest),
    of(24, 'KV/Range', rangeRequest(alone)),
    of(7, 'KV/DeleteRange', deleteRangeRequest),
    of(22, 'KV/Txn', txnRequest(inTxn)),
    of(3, 'KV/Compact', compactionRequest),
    of(6, 'Lease/LeaseGrant', leaseGrantRequest),
    of(3, 'Lease/LeaseRevoke', leaseRevokeRequest),
    of(3, 'Lease/LeaseTimeToLive', leaseTimeToLiveRequest),
    of(1, 'Lease/LeaseLeases', leaseLeasesRequest),
    of(3, 'Lease/LeaseKeepAlive', leaseKeepAliveRequest),
    of(3, 'Maintenance/HashKV', hashKvRequest),
  );
  return fc.array(step, { minLength: 1, maxLength, size: 'max' });
}
