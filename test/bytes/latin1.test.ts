import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  bytesFromLatin1,
  latin1FromBytes,
  latin1FromUtf8,
  utf8FromLatin1,
  writeLatin1,
} from '../../src/bytes/index.js';

test('bytes become strings of one character each, and come back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = latin1FromBytes(bytes);
      assert.equal(text.length, bytes.length);
      assert.deepEqual(new Uint8Array(bytesFromLatin1(text)), bytes);
      const target = new Uint8Array(bytes.length + 2);
      assert.equal(writeLatin1(target, 1, text), bytes.length + 1);
      assert.deepEqual(target.subarray(1, -1), bytes);
    }),
  );
});

test('strings compare as their bytes do', () => {
  const bytes = fc.uint8Array({ maxLength: 8 });
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      const [x, y] = [latin1FromBytes(a), latin1FromBytes(b)];
      assert.equal(x < y ? -1 : x > y ? 1 : 0, Math.sign(Buffer.compare(a, b)));
    }),
  );
});

test('a slice is taken of any view, and is a copy', () => {
  const memory = Uint8Array.from([9, 1, 2, 3, 9]);
  const view = memory.subarray(1, 4);
  const text = latin1FromBytes(view, 1);
  memory.fill(0);
  assert.equal(text, '\x02\x03');
  assert.equal(latin1FromBytes(view, 2, 2), '');
});

test('UTF-8 text goes in and out as its bytes', () => {
  assert.equal(latin1FromUtf8('ä€'), '\xc3\xa4\xe2\x82\xac');
  assert.equal(utf8FromLatin1('\xc3\xa4\xe2\x82\xac'), 'ä€');
  assert.equal(utf8FromLatin1('\xff'), '\ufffd');
});
