import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isRecordKey,
  isTombstoneKey,
  mainOfRecordKey,
  recordKey,
  subOfRecordKey,
} from '../../src/mvcc/index.js';

const number = fc.oneof(
  fc.nat(),
  fc.maxSafeNat(),
  fc.constantFrom(0, 2 ** 31, 2 ** 32, 2 ** 53 - 1),
);

test('a record key is etcd 17 bytes, 18 with the tombstone mark', () => {
  const hex = (key: string) => Buffer.from(key, 'latin1').toString('hex');
  assert.equal(hex(recordKey(2, 1)), '0000000000000002' + '5f' + '0000000000000001');
  assert.equal(
    hex(recordKey(0x1234567890, 0, true)),
    '0000001234567890' + '5f' + '0'.repeat(16) + '74',
  );
});

test('main, sub and mark come back out', () => {
  fc.assert(
    fc.property(number, number, fc.boolean(), (main, sub, tombstone) => {
      const key = recordKey(main, sub, tombstone);
      assert.ok(isRecordKey(key));
      assert.deepEqual(
        [mainOfRecordKey(key), subOfRecordKey(key), isTombstoneKey(key)],
        [main, sub, tombstone],
      );
    }),
  );
});

test('byte order is the order of revisions', () => {
  fc.assert(
    fc.property(number, number, number, number, (mainA, subA, mainB, subB) => {
      const order = mainA - mainB || subA - subB;
      const [a, b] = [recordKey(mainA, subA), recordKey(mainB, subB)];
      assert.equal(Math.sign(order), a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});

test('what is no record key is told apart', () => {
  const key = recordKey(5, 0);
  assert.ok(!isRecordKey(''));
  assert.ok(!isRecordKey(key.slice(1)));
  assert.ok(!isRecordKey(key + 'x'));
  assert.ok(!isRecordKey(key + 'tt'));
  assert.ok(!isRecordKey(key.replace('_', '-')));
  assert.ok(!isRecordKey('\x80' + key.slice(1)), 'a negative main');
  assert.ok(!isRecordKey('\0\x20' + key.slice(2)), 'a main of 2^53');
  assert.ok(isRecordKey('\0\x1f' + key.slice(2)));
});
