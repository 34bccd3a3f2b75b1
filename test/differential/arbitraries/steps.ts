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
  /** In transactions, sort numbers that the protocol does not have: refused since etcd 3.6. */
  unknownSortInTxn: boolean;
}

const hashKvRequest = fields({ revision: sometimes(70, revision) });

/** At least one step. */
export function steps({ maxLength, unknownSortInTxn }: StepOptions): fc.Arbitrary<Step[]> {
  const of = (weight: number, method: string, request: fc.Arbitrary<Plain>) => ({
    weight,
    arbitrary: request.map((plain): Step => ({ method, request: plain })),
  });
  const step = fc.oneof(
    of(25, 'KV/Put', putRequest),
    of(24, 'KV/Range', rangeRequest({ unknownSort: true })),
    of(7, 'KV/DeleteRange', deleteRangeRequest),
    of(22, 'KV/Txn', txnRequest({ unknownSort: unknownSortInTxn })),
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
