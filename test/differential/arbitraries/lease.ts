/** Lease requests: of ids that clients choose, and of ids that the server does. */
import * as fc from 'fast-check';
import type { PickedReference } from '../support/symbolic.js';
import { fields, flag, sometimes } from './fields.js';
import { chosenLease } from './values.js';

const pickedLease = fc.integer({ min: 0, max: 2 }).map((n): PickedReference => ({ $picked: n }));
const anyLease = fc.oneof(
  { weight: 6, arbitrary: chosenLease },
  { weight: 2, arbitrary: pickedLease },
  { weight: 1, arbitrary: fc.constantFrom(0, '5', '4611686018427387904') },
);

/** Seconds. Two is the shortest that a lease gets. */
const ttl = fc.oneof(
  { weight: 18, arbitrary: fc.integer({ min: 60, max: 5000 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 2, -1, '-9223372036854775808') },
  { weight: 1, arbitrary: fc.constantFrom('9000000000', '9000000001', '9223372036854775807') },
);

export const leaseGrantRequest = fields({
  ID: sometimes(80, chosenLease),
  TTL: sometimes(95, ttl),
});
export const leaseRevokeRequest = fields({ ID: anyLease });
export const leaseTimeToLiveRequest = fields({ ID: anyLease, keys: flag(60) });
export const leaseKeepAliveRequest = fields({ ID: anyLease });
export const leaseLeasesRequest = fields({});
