/** Transactions, nested to depth 3. */
import * as fc from 'fast-check';
import type { Plain } from '../support/wire.js';
import { fields, sometimes } from './fields.js';
import { deleteRangeRequest, putRequest, rangeRequest, type SortNumbers } from './kv.js';
import {
  anyKey,
  chosenLease,
  int64Edge,
  key,
  rangeEnd,
  revision,
  smallNumber,
  value,
} from './values.js';

const DEPTH = 3;
/** Of the protocol, and one that is none. */
const compareResult = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 0, max: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(4, -1) },
);
const compareTarget = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 0, max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(5, -1) },
);

const number = fc.oneof({ weight: 5, arbitrary: smallNumber }, { weight: 1, arbitrary: int64Edge });
const operands: readonly (readonly [string, fc.Arbitrary<unknown>])[] = [
  ['version', number],
  ['create_revision', fc.oneof(revision, number)],
  ['mod_revision', fc.oneof(revision, number)],
  ['value', value],
  ['lease', fc.oneof(chosenLease, fc.constant(0))],
];

/** The operand that a target asks for; sometimes another, or none. */
function operandFor(target: number): fc.Arbitrary<Plain> {
  const [name, arbitrary] = operands[target] ?? operands[0]!;
  const fitting = arbitrary.map((operand): Plain => ({ [name]: operand }));
  const others = operands.map(([other, any]) => any.map((operand) => ({ [other]: operand })));
  return fc.oneof(
    { weight: 20, arbitrary: fitting },
    { weight: 1, arbitrary: fc.oneof(...others) },
    { weight: 1, arbitrary: fc.constant({}) },
  );
}

const compare = fc
  .tuple(
    fields({ result: compareResult, key: anyKey, range_end: sometimes(25, rangeEnd) }),
    compareTarget.chain((target) => operandFor(target).map((operand) => ({ target, ...operand }))),
  )
  .map(([place, what]): Plain => ({ ...place, ...what }));

/** One put of a list: a key that all puts share is a duplicate more often than not. */
const spreadPut = fc
  .tuple(
    putRequest,
    fc.oneof(
      key,
      fc.integer({ min: 0, max: 11 }).map((n) => `b${n}`),
    ),
  )
  .map(([request, own]): Plain => ({ ...request, key: own }));

/** With an operation that is none: refused. */
const noOperation = fc.constant<Plain>({});

function operation(depth: number, range: fc.Arbitrary<Plain>): fc.Arbitrary<Plain> {
  const leaves = [
    { weight: 40, arbitrary: range.map((request): Plain => ({ request_range: request })) },
    { weight: 40, arbitrary: spreadPut.map((request): Plain => ({ request_put: request })) },
    { weight: 1, arbitrary: putRequest.map((request): Plain => ({ request_put: request })) },
    {
      weight: 12,
      arbitrary: deleteRangeRequest.map((request): Plain => ({ request_delete_range: request })),
    },
    { weight: 0.3, arbitrary: noOperation },
  ].map(({ weight, arbitrary }) => ({ weight: Math.ceil(weight * 4), arbitrary }));
  if (depth === 0) return fc.oneof(...leaves);
  const nested = txnToDepth(depth - 1, range).map((request): Plain => ({ request_txn: request }));
  return fc.oneof(...leaves, { weight: 60, arbitrary: nested });
}

function operations(depth: number, range: fc.Arbitrary<Plain>) {
  const one = operation(depth, range);
  return fc.oneof(
    { weight: 60, arbitrary: fc.array(one, { maxLength: 4, size: 'max' }) },
    { weight: 4, arbitrary: fc.array(one, { maxLength: 9, size: 'max' }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(one, fc.integer({ min: 6, max: 18 }))
        .map(([op, times]) => [{ $repeat: op, times }]),
    },
  );
}

function txnToDepth(depth: number, range: fc.Arbitrary<Plain>): fc.Arbitrary<Plain> {
  return fields({
    compare: sometimes(60, fc.array(compare, { maxLength: 3, size: 'max' })),
    success: sometimes(85, operations(depth, range)),
    failure: sometimes(60, operations(depth, range)),
  });
}

export interface TxnOptions extends SortNumbers {
  /** Does this etcd survive a put beside a delete to the end of the keyspace? */
  putBesideDeleteToEnd: boolean;
}

/**
 * Validation in etcd does not see that a delete to the end of the keyspace ('\0') meets a put. If that
 * put keeps a value or a lease that the delete takes away, every etcd ends; and those that keep tombstones
 * at the compact revision lose the record of a key that is deleted and put in one revision, and end
 * when it is read. What ends the etcd at hand is changed here.
 */
export function txnRequest(options: TxnOptions): fc.Arbitrary<Plain> {
  const change = options.putBesideDeleteToEnd ? keepingNothing : deletingOneKey;
  return txnToDepth(DEPTH - 1, rangeRequest(options)).map((txn) =>
    holdsField(txn, isDeleteToEnd) && holdsField(txn, isPut) ? changed(txn, change) : txn,
  );
}

function isDeleteToEnd({ request_delete_range: deleted }: Plain): boolean {
  return (deleted as Plain | undefined)?.range_end === '\0';
}

function isPut({ request_put: put }: Plain): boolean {
  return put !== undefined;
}

function holdsField(value: unknown, test: (record: Plain) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => holdsField(item, test));
  if (typeof value !== 'object' || value === null) return false;
  return test(value as Plain) || Object.values(value).some((field) => holdsField(field, test));
}

/** The transaction with each record in it changed. */
function changed(txn: Plain, change: (record: Plain) => Plain): Plain {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    return typeof value === 'object' && value !== null ? changed(value as Plain, change) : value;
  };
  const fields = Object.entries(change(txn)).map(([name, value]) => [name, inner(value)]);
  return Object.fromEntries(fields) as Plain;
}

function keepingNothing(record: Plain): Plain {
  const kept = Object.entries(record).filter(([name]) => !name.startsWith('ignore_'));
  return Object.fromEntries(kept);
}

function deletingOneKey(record: Plain): Plain {
  if (!isDeleteToEnd(record)) return record;
  const { key, prev_kv = false } = record.request_delete_range as Plain;
  return { request_delete_range: { key, prev_kv } };
}
