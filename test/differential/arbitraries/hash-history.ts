/** Histories whose every revision is hashed: before each compaction, after it, and at the end. */
import * as fc from 'fast-check';
import { HASH_EVERY_REVISION } from '../support/session.js';
import type { Step } from '../support/step.js';
import type { Plain } from '../support/wire.js';
import { fields, flag, sometimes } from './fields.js';
import { key, rangeEnd } from './values.js';

const put = fields({
  key,
  value: sometimes(70, fc.constantFrom('v', 'w', '\0\xff', 'x'.repeat(99))),
});
const deleteRange = fields({ key, range_end: sometimes(25, rangeEnd) });

/** Beside puts not to the end of the keyspace: see txn.ts. */
const deleteInTxn = fields({ key, range_end: sometimes(25, fc.constantFrom('b', 'c', 'd')) });

const operation = fc.oneof(
  { weight: 3, arbitrary: put.map((request): Plain => ({ request_put: request })) },
  {
    weight: 2,
    arbitrary: deleteInTxn.map((request): Plain => ({ request_delete_range: request })),
  },
);

/** Several changes in one revision; refused when two of them are of one key. */
const txn = fields({ success: fc.array(operation, { minLength: 1, maxLength: 4 }) });

/** Most often at the last revisions, where deletions are. */
const compaction = fields({
  revision: fc.integer({ min: -6, max: 0 }).map((plus) => ({ $revision: 'now', plus })),
  physical: flag(70),
});

const change = fc.oneof(
  step(12, 'KV/Put', put),
  step(8, 'KV/DeleteRange', deleteRange),
  step(4, 'KV/Txn', txn),
  step(3, 'KV/Compact', compaction),
);

function step(weight: number, method: string, request: fc.Arbitrary<Plain>) {
  return { weight, arbitrary: request.map((plain): Step => ({ method, request: plain })) };
}

export const hashHistory: fc.Arbitrary<Step[]> = fc
  .array(change, { minLength: 1, maxLength: 40, size: 'max' })
  .map((changes) => [...changes.flatMap(hashedAroundCompaction), HASH_EVERY_REVISION]);

function hashedAroundCompaction(change: Step): Step[] {
  return change.method === 'KV/Compact'
    ? [HASH_EVERY_REVISION, change, HASH_EVERY_REVISION]
    : [change];
}
