/** Generated requests over a handful of keys, so that they meet. */
import fc from 'fast-check';
import type { InternalOp, RequestOp } from '../../../src/api/index.js';
import {
  deleteRequest,
  putRequest,
  rangeRequest,
  txnRequest,
} from '../../../src/sim/workloads/requests.js';

export const KEYS = ['a', 'a\0', 'b', 'bb', '\xff'];
export const LEASES = [3n, -1n];

export const key = fc.constantFrom(...KEYS);
const rangeEnd = fc.constantFrom('', '', '\0', 'a', 'b', 'c');
const value = fc.constantFrom('', 'x', 'y', '\xff\0');

export const putOp = fc
  .record({
    key,
    value,
    lease: fc.constantFrom(0n, 0n, ...LEASES),
    prevKv: fc.boolean(),
    keep: fc.constantFrom('none', 'none', 'value', 'lease'),
  })
  .map(({ keep, ...fields }): RequestOp => {
    const ignoreValue = keep === 'value';
    const ignoreLease = keep === 'lease';
    const lease = ignoreLease ? 0n : fields.lease;
    const request = { ...fields, value: ignoreValue ? '' : fields.value, lease };
    return {
      kind: 'put',
      request: putRequest(fields.key, request.value, { ...request, ignoreValue, ignoreLease }),
    };
  });

export const deleteOp = fc
  .record({ key, rangeEnd, prevKv: fc.boolean() })
  .map((fields): RequestOp => ({
    kind: 'deleteRange',
    request: deleteRequest(fields.key, fields),
  }));

const bound = fc.constantFrom(0, 0, 0, 3, 5, -1);

export const rangeOp = fc
  .record({
    key,
    rangeEnd,
    limit: fc.constantFrom(0, 0, 1, 2),
    revision: fc.constantFrom(0, 0, 0, 1, 2, 4, 7),
    sortOrder: fc.nat(2),
    sortTarget: fc.nat(4),
    keysOnly: fc.boolean(),
    countOnly: fc.boolean(),
    minModRevision: bound,
    maxModRevision: bound,
    minCreateRevision: bound,
    maxCreateRevision: bound,
  })
  .map((fields): RequestOp => ({ kind: 'range', request: rangeRequest(fields.key, fields) }));

const compare = fc.record({
  result: fc.nat(4),
  target: fc.nat(5),
  key,
  rangeEnd,
  operand: fc.oneof(
    fc.constant(undefined),
    fc.record({
      kind: fc.constantFrom('version' as const, 'create' as const, 'mod' as const),
      value: fc.nat(6),
    }),
    fc.record({ kind: fc.constant('value' as const), value }),
    fc.record({ kind: fc.constant('lease' as const), value: fc.constantFrom(0n, 3n) }),
  ),
});

const flatOps = fc.array(fc.oneof(putOp, deleteOp, rangeOp), { maxLength: 3 });
const flatTxn = fc.record({
  compare: fc.array(compare, { maxLength: 2 }),
  success: flatOps,
  failure: flatOps,
});
const nestedOps = fc.array(
  fc.oneof(
    { arbitrary: fc.oneof(putOp, deleteOp, rangeOp), weight: 4 },
    {
      arbitrary: flatTxn.map((request): RequestOp => ({ kind: 'txn', request })),
      weight: 1,
    },
  ),
  { maxLength: 4 },
);

export const txnOp = fc
  .record({ compare: fc.array(compare, { maxLength: 2 }), success: nestedOps, failure: nestedOps })
  .map((request): RequestOp => ({ kind: 'txn', request: txnRequest(request) }));

/** Whatever may stand in the log and concerns the keyspace. */
export const internalOp: fc.Arbitrary<InternalOp> = fc.oneof(
  { arbitrary: putOp as fc.Arbitrary<InternalOp>, weight: 5 },
  { arbitrary: deleteOp as fc.Arbitrary<InternalOp>, weight: 2 },
  { arbitrary: txnOp as fc.Arbitrary<InternalOp>, weight: 4 },
  {
    arbitrary: fc.record({
      kind: fc.constant('compaction' as const),
      request: fc.record({ revision: fc.nat(8), physical: fc.constant(false) }),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('leaseGrant' as const),
      request: fc.record({ id: fc.constantFrom(...LEASES), ttl: fc.nat(10) }),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('leaseRevoke' as const),
      request: fc.record({ id: fc.constantFrom(...LEASES) }),
    }),
    weight: 1,
  },
);
