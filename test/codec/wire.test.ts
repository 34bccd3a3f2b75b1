import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { InvariantError } from '../../src/api/index.js';
import { codec } from '../../src/codec/codec.js';
import {
  DecodeError,
  compactionRequest,
  keyValue,
  putRequest,
  txnRequest,
} from '../../src/codec/index.js';
import type { Reader, Writer } from '../../src/codec/wire.js';
import { int64, int64Bigint, uint64Bigint } from './arbitraries.js';
import { bytes, hex } from './values.js';

/** A message of one varint in field 1. */
function oneInteger<T extends number | bigint>(read: (r: Reader) => T) {
  return codec<T>(
    (w: Writer, value) => w.alwaysInteger(1, value),
    (r) => {
      let value: T | undefined;
      while (r.next()) value = read(r);
      return value!;
    },
  );
}

const asInt64 = oneInteger((r) => r.int64());
const asSignedId = oneInteger((r) => r.int64Bigint());
const asId = oneInteger((r) => r.uint64Bigint());
const asSafeInt64 = oneInteger((r) => r.safeInt64());
const asSafeUint64 = oneInteger((r) => r.safeUint64());

test('every 64-bit integer survives, in the form that its kind asks for', () => {
  fc.assert(
    fc.property(int64, int64Bigint, uint64Bigint, (value, signed, unsigned) => {
      assert.equal(asInt64.decode(asInt64.encode(value)), value);
      assert.equal(asSignedId.decode(asSignedId.encode(signed)), signed);
      assert.equal(asId.decode(asId.encode(unsigned)), unsigned);
    }),
    { numRuns: 2000 },
  );
});

test('a number and a bigint of the same value are the same bytes', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      assert.equal(hex(asInt64.encode(value)), hex(asInt64.encode(BigInt(value))));
    }),
    { numRuns: 1000 },
  );
});

test('negative integers are ten bytes of two’s complement', () => {
  assert.equal(hex(asInt64.encode(-1)), '08ffffffffffffffffff01');
  assert.equal(hex(asInt64.encode(-(2n ** 63n))), '0880808080808080808001');
  assert.equal(asInt64.decode(bytes('08 ffffffffffffffffff01')), -1);
  assert.equal(asInt64.decode(bytes('08 80808080808080808001')), -(2n ** 63n));
  assert.equal(asId.decode(bytes('08 ffffffffffffffffff01')), 2n ** 64n - 1n);
});

test('an integer that the store makes is refused beyond 2^53, not rounded', () => {
  const largest = 2n ** 53n - 1n;
  assert.equal(asSafeInt64.decode(asId.encode(largest)), Number(largest));
  assert.equal(asSafeInt64.decode(asSignedId.encode(-largest)), -Number(largest));
  assert.equal(asSafeUint64.decode(asId.encode(largest)), Number(largest));
  for (const value of [largest + 1n, largest + 2n, 2n ** 63n - 1n]) {
    assert.throws(() => asSafeInt64.decode(asId.encode(value)), DecodeError);
    assert.throws(() => asSafeInt64.decode(asSignedId.encode(-value)), DecodeError);
    assert.throws(() => asSafeUint64.decode(asId.encode(value)), DecodeError);
  }
  assert.throws(() => asSafeUint64.decode(asSignedId.encode(-1n)), DecodeError);
});

test('an integer that is not whole or not safe is never written', () => {
  for (const value of [0.5, 127.5, -0.5, NaN, Infinity, 2 ** 53, -(2 ** 60)]) {
    assert.throws(() => asInt64.encode(value), InvariantError, String(value));
  }
  assert.equal(hex(asInt64.encode(3)), '0803', 'the writer is fit for use afterwards');
});

test('longer varints than necessary are read', () => {
  assert.equal(asInt64.decode(bytes('08 8500')), 5);
  assert.equal(asInt64.decode(bytes('08 85808080808080808000')), 5);
  assert.equal(asInt64.decode(bytes('8800 05')), 5);
});

test('malformed varints are refused', () => {
  assert.throws(() => asInt64.decode(bytes('08')), DecodeError);
  assert.throws(() => asInt64.decode(bytes('08 80')), DecodeError);
  assert.throws(() => asInt64.decode(bytes('08 8080808080808080808001')), DecodeError);
  assert.throws(() => asInt64.decode(bytes('8080808080 8080808001 05')), DecodeError);
});

test('field number 0 and the wire types 6 and 7 are refused', () => {
  for (const text of ['0005', '0605', '0705', '7e', '7f', '0200']) {
    assert.throws(() => putRequest.decode(bytes(text)), DecodeError, text);
  }
});

test('a known field of another wire type is refused, as in etcd', () => {
  for (const text of ['0805', '1a0105', '2200', '0d01020304', '0b0c', '1c']) {
    assert.throws(() => putRequest.decode(bytes(text)), DecodeError, text);
  }
});

test('a length may not reach past its message', () => {
  assert.throws(() => putRequest.decode(bytes('0a0561')), DecodeError);
  assert.throws(() => putRequest.decode(bytes('0affffffff0f61')), DecodeError);
  // A nested message of 2 bytes in which a key claims 5, though the outer message has them.
  assert.throws(() => txnRequest.decode(bytes('12 04 1202 0a05 6162636465')), DecodeError);
  // The same for a varint that would go on behind the nested message's end.
  assert.throws(() => txnRequest.decode(bytes('12 04 1202 1880 0100')), DecodeError);
});

test('groups are skipped, also nested, and must end', () => {
  const group = 'fb01 fb01 0805 fc01 0a0161 fc01';
  assert.equal(putRequest.decode(bytes(`${group} 0a016b`)).key, 'k');
  assert.throws(() => putRequest.decode(bytes('fb01 fb01 fc01')), DecodeError);
  const deep = Buffer.concat([
    Buffer.alloc(200_000, bytes('fb01')),
    Buffer.alloc(200_000, bytes('fc01')),
  ]);
  assert.deepEqual(putRequest.decode(deep), putRequest.decode(new Uint8Array(0)));
});

/** A transaction within a transaction, `depth` times. */
function nestedTxn(depth: number): Uint8Array {
  let inner: Uint8Array = new Uint8Array(0);
  const wrap = codec<Uint8Array>(
    (w, content) => w.alwaysBytes(2, content),
    () => inner,
  );
  const op = codec<Uint8Array>(
    (w, content) => w.alwaysBytes(4, content),
    () => inner,
  );
  for (let i = 0; i < depth; i++) inner = wrap.encode(op.encode(inner));
  return inner;
}

test('transactions nest 500 deep; more is refused before the stack ends', () => {
  txnRequest.decode(nestedTxn(500));
  assert.throws(() => txnRequest.decode(nestedTxn(501)), DecodeError);
  assert.throws(() => txnRequest.decode(nestedTxn(2000)), DecodeError);
});

test('the last of several values counts', () => {
  assert.equal(compactionRequest.decode(bytes('0805 0806')).revision, 6);
});

test('messages do not overwrite one another, whatever their sizes', () => {
  const sizes = [0, 1, 100, 8000, 8192, 100, 9000, 3, 200_000, 50, 4096, 4096, 4096, 5];
  const pair = { createRevision: 1, modRevision: 2, version: 3, lease: 4n };
  const values = sizes.map((size, i) => ({
    ...pair,
    key: String.fromCharCode(97 + i),
    value: String.fromCharCode(97 + i).repeat(size),
  }));
  const encoded = values.map((value) => keyValue.encode(value));
  assert.deepEqual(
    encoded.map((message) => keyValue.decode(message)),
    values,
  );
  const large = encoded[8]!;
  assert.equal(large.buffer.byteLength, large.length, 'a large message holds no more than itself');
});

test('text goes as UTF-8, keys as they are', () => {
  const key = '\x00\x7f\x80\xff';
  assert.equal(
    hex(putRequest.encode({ ...putRequest.decode(new Uint8Array(0)), key })),
    '0a04007f80ff',
  );
  assert.equal(putRequest.decode(bytes('0a04007f80ff')).key, key);
});

test('a view of a larger array is decoded within its own bounds', () => {
  const around = bytes('ffff 0a016b ffff');
  assert.equal(putRequest.decode(around.subarray(2, 5)).key, 'k');
  const plainArray = new Uint8Array(around);
  assert.equal(putRequest.decode(plainArray.subarray(2, 5)).key, 'k');
});
