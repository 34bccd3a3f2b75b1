import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KeyValue } from '../../src/api/index.js';
import {
  MalformedRecordError,
  decodeRecord,
  encodeRecord,
  encodeTombstone,
  recordKey,
} from '../../src/mvcc/index.js';

const NAME = recordKey(5, 2);
const bytesText = fc.uint8Array({ maxLength: 300 }).map((b) => Buffer.from(b).toString('latin1'));
const pair: fc.Arbitrary<KeyValue> = fc.record(
  {
    key: bytesText,
    createRevision: fc.maxSafeNat(),
    modRevision: fc.maxSafeNat(),
    version: fc.nat(),
    value: bytesText,
    lease: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  },
  { noNullPrototype: true },
);

function fromHex(text: string): Uint8Array {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}

test('the bytes are those of proto3: fields ascending, zeros left out', () => {
  const full = {
    key: 'a',
    createRevision: 2,
    modRevision: 300,
    version: 1,
    value: '\xff',
    lease: -1n,
  };
  assert.deepEqual(
    Buffer.from(encodeRecord(full)),
    fromHex('0a0161 1002 18ac02 2001 2a01ff 30ffffffffffffffffff01'),
  );
  const bare = { key: 'a', createRevision: 0, modRevision: 0, version: 0, value: '', lease: 0n };
  assert.deepEqual(Buffer.from(encodeRecord(bare)), fromHex('0a0161'));
  assert.deepEqual(Buffer.from(encodeTombstone('a')), fromHex('0a0161'));
});

test('any pair comes back, whatever is written around it', () => {
  fc.assert(
    fc.property(fc.array(pair, { minLength: 1, maxLength: 5 }), (pairs) => {
      const encoded = pairs.map(encodeRecord);
      assert.deepEqual(
        encoded.map((bytes) => decodeRecord(bytes, NAME)),
        pairs,
      );
    }),
  );
});

test('a pair too big for the slab comes back', () => {
  const big = {
    key: 'k',
    createRevision: 1,
    modRevision: 1,
    version: 1,
    value: 'x'.repeat(1_500_000),
    lease: 5n,
  };
  assert.deepEqual(decodeRecord(encodeRecord(big), NAME), big);
});

test('nothing of the source is kept', () => {
  const bytes = Uint8Array.from(fromHex('0a0161 2a0162'));
  const decoded = decodeRecord(bytes, NAME);
  bytes.fill(0);
  assert.equal(decoded.key + decoded.value, 'ab');
});

test('an empty record is the empty pair (the marker of a bumped restore)', () => {
  assert.equal(decodeRecord(new Uint8Array(), NAME).key, '');
});

test('unknown fields are skipped, known ones may come in any order', () => {
  const bytes = fromHex('2a0162 5001 5a03aabbcc 5d01020304 5908070605 04030201 0a0161');
  assert.deepEqual(decodeRecord(bytes, NAME), {
    key: 'a',
    createRevision: 0,
    modRevision: 0,
    version: 0,
    value: 'b',
    lease: 0n,
  });
});

for (const [fault, hex] of [
  ['cut inside a varint', '0a0161 10'],
  ['cut inside the key', '0a0561'],
  ['cut inside an unknown field', '5a05aa'],
  ['a revision above 2^53', '0a0161 18ffffffffffffffff7f'],
  ['a varint of eleven bytes', '30ffffffffffffffffffff01'],
  ['an end-group wire type', '0a0161 0c'],
  ['field number 0', '0000'],
] as const) {
  test(`${fault} is refused by name`, () => {
    assert.throws(
      () => decodeRecord(fromHex(hex), NAME),
      (error) => error instanceof MalformedRecordError && error.message.includes('record 5_2 of'),
    );
  });
}

test('no bytes at all make decoding do anything but answer or refuse', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        decodeRecord(bytes, NAME);
      } catch (error) {
        assert.ok(error instanceof MalformedRecordError);
      }
    }),
    { numRuns: 500 },
  );
});
