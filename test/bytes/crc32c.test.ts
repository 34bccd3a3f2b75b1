import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesFromLatin1, crc32c, crc32cLatin1 } from '../../src/bytes/index.js';

/** Bit by bit, as the polynomial defines it. */
function slowCrc32c(bytes: Uint8Array, crc = 0): number {
  let state = ~crc;
  for (const byte of bytes) {
    state ^= byte;
    for (let bit = 0; bit < 8; bit++) state = state & 1 ? (state >>> 1) ^ 0x82f63b78 : state >>> 1;
  }
  return ~state >>> 0;
}

test('the check values of RFC 3720, appendix B.4', () => {
  assert.equal(crc32c(new Uint8Array(32)), 0x8a9136aa);
  assert.equal(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43);
  assert.equal(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e);
  assert.equal(crc32c(bytesFromLatin1('123456789')), 0xe3069283);
});

test('it equals the definition at every length and offset, and goes on from any point', () => {
  const property = fc.property(
    fc.uint8Array({ maxLength: 200 }),
    fc.nat(200),
    fc.nat(200),
    (bytes, a, b) => {
      const [start, end] = [Math.min(a, bytes.length), Math.min(b, bytes.length)];
      const part = bytes.subarray(start, end);
      assert.equal(crc32c(bytes, 0, start, Math.max(start, end)), slowCrc32c(part));
      assert.equal(crc32c(bytes.subarray(start), crc32c(bytes.subarray(0, start))), crc32c(bytes));
      assert.equal(crc32cLatin1(String.fromCharCode(...bytes)), crc32c(bytes));
    },
  );
  fc.assert(property);
});
