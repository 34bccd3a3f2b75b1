import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hexId, hexIdPadded, parseHexId, signedId } from '../../src/bytes/index.js';

test('ids print as etcd prints them', () => {
  assert.equal(hexId(0x8d2ddd61ccb5433n), '8d2ddd61ccb5433');
  assert.equal(hexIdPadded(0x8d2ddd61ccb5433n), '08d2ddd61ccb5433');
  assert.equal(hexId(-1n), 'ffffffffffffffff');
});

test('every 64-bit id survives being printed and parsed', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (id) => {
      assert.equal(parseHexId(hexId(id)), id);
      assert.equal(parseHexId(hexIdPadded(id).toUpperCase()), id);
      assert.equal(BigInt.asUintN(64, signedId(id)), id);
    }),
  );
});

test('what is no id in hex is refused', () => {
  for (const text of ['', 'g', '0x1', '-1', '1 ', '10000000000000000']) {
    assert.equal(parseHexId(text), undefined, text);
  }
});
