/** Keys, values, revisions, lease ids: few of each, so that requests meet, and the edges of all. */
import * as fc from 'fast-check';
import type { FillReference, RevisionReference } from '../support/symbolic.js';

/** Short ones that are prefixes of each other, and bytes that are no UTF-8. */
const KEYS = ['a', 'b', 'c', 'aa', 'ab', 'a\0', 'a\xff', 'b\x80\xfe', '\0', '\xff', '\xff\xff'];

export const key: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', 'aa', 'ab') },
  { weight: 3, arbitrary: fc.constantFrom(...KEYS) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 11 }).map((n) => `b${n}`) },
);

/** Keys that requests are refused for, too. */
export const anyKey: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 60, arbitrary: key },
  { weight: 1, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }).map(latin1) },
  { weight: 1, arbitrary: fill('k', 5000) },
);

/** Ends of ranges: of a prefix, of the keyspace ('\0'), at or below the key as it happens. */
export const rangeEnd: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('b', 'c', 'd', '\0') },
  { weight: 2, arbitrary: anyKey },
);

const SHORT_VALUES = ['', 'v', 'w', 'vv', '\0', '\xff\xfe', 'caf\xc3\xa9', 'x'.repeat(300)];

/** The longest request that the log takes, in bytes, and the longest that gRPC takes. */
const MAX_REQUEST_BYTES = 1.5 * 1024 * 1024;
const MAX_MESSAGE_BYTES = MAX_REQUEST_BYTES + 512 * 1024;

/** Values around the two limits: keys, other fields and the envelope take up to 60 bytes. */
const longValue = fc
  .tuple(fc.constantFrom(MAX_REQUEST_BYTES, MAX_MESSAGE_BYTES), fc.integer({ min: -60, max: 4 }))
  .chain(([limit, more]) => fill('V', limit + more));

export const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 190, arbitrary: fc.constantFrom(...SHORT_VALUES) },
  { weight: 8, arbitrary: fc.uint8Array({ maxLength: 4 }).map(latin1) },
  { weight: 1, arbitrary: fill('long', 9000) },
  { weight: 1, arbitrary: longValue },
);

const EDGES = [
  '9223372036854775807',
  '-9223372036854775808',
  '9007199254740993',
  '-9007199254740993',
  '4294967296',
  '-1',
];

export const int64Edge: fc.Arbitrary<unknown> = fc.constantFrom(...EDGES);

export const smallNumber: fc.Arbitrary<unknown> = fc.integer({ min: -2, max: 6 });

function near(
  landmark: RevisionReference['$revision'],
  min: number,
  max: number,
): fc.Arbitrary<unknown> {
  return fc.integer({ min, max }).map((plus): RevisionReference => ({ $revision: landmark, plus }));
}

/** Revisions past, current, future, compacted, never and absurd. */
export const revision: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: near('now', -8, 0) },
  { weight: 2, arbitrary: near('now', 1, 2) },
  { weight: 4, arbitrary: near('begin', 0, 6) },
  { weight: 3, arbitrary: near('compacted', -1, 2) },
  { weight: 2, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 1, arbitrary: int64Edge },
);

/** Ids that clients choose, from all of int64. */
export const chosenLease: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('1', '2', '7') },
  { weight: 2, arbitrary: fc.constantFrom(...EDGES) },
);

function fill(text: string, times: number): fc.Arbitrary<FillReference> {
  return fc.constant({ $fill: text, times });
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
