import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Compare } from '../../src/api/index.js';
import {
  DecodeError,
  keyValue,
  rangeStreamResponse,
  txnRequest,
  txnResponse,
} from '../../src/codec/index.js';
import { encodeByTwin } from './twin.js';
import { bytes, hex } from './values.js';

/** The comparison in a transaction of one. */
function operandOf(text: string): Compare['operand'] {
  const { compare } = txnRequest.decode(bytes(text));
  assert.equal(compare.length, 1);
  return compare[0]!.operand;
}

test('an operand of zero is present, no operand is not', () => {
  assert.equal(operandOf('0a03 1a016b'), undefined);
  assert.deepEqual(operandOf('0a05 1a016b 2000'), { kind: 'version', value: 0 });
  assert.deepEqual(operandOf('0a05 1a016b 2800'), { kind: 'create', value: 0 });
  assert.deepEqual(operandOf('0a05 1a016b 3000'), { kind: 'mod', value: 0 });
  assert.deepEqual(operandOf('0a05 1a016b 3a00'), { kind: 'value', value: '' });
  assert.deepEqual(operandOf('0a05 1a016b 4000'), { kind: 'lease', value: 0n });
});

test('an operand of zero is written', () => {
  const compare: Compare = {
    result: 0,
    target: 0,
    key: 'k',
    rangeEnd: '',
    operand: { kind: 'value', value: '' },
  };
  const request = { compare: [compare], success: [], failure: [] };
  assert.equal(hex(txnRequest.encode(request)), hex(bytes('0a05 1a016b 3a00')));
});

test('an unknown field does not unset the operand; a later operand replaces it', () => {
  assert.deepEqual(operandOf('0a08 1a016b 2005 c23f00'), { kind: 'version', value: 5 });
  assert.deepEqual(operandOf('0a07 1a016b 2005 3006'), { kind: 'mod', value: 6 });
});

test('an operation of nothing is kept for validation to refuse', () => {
  const request = txnRequest.decode(bytes('1200 1a00'));
  assert.deepEqual(request, {
    compare: [],
    success: [{ kind: 'none' }],
    failure: [{ kind: 'none' }],
  });
  assert.equal(hex(txnRequest.encode(request)), '12001a00');
});

test('an answer to no operation is refused', () => {
  assert.throws(() => txnResponse.decode(bytes('1a00')), DecodeError);
});

test('a header without values is present', () => {
  assert.deepEqual(txnResponse.decode(bytes('0a00')).header, {
    clusterId: 0n,
    memberId: 0n,
    revision: 0,
    raftTerm: 0,
  });
  assert.equal(txnResponse.decode(new Uint8Array(0)).header, undefined);
});

test('a tombstone is its key alone', () => {
  const tombstone = {
    key: 'k',
    createRevision: 0,
    modRevision: 0,
    version: 0,
    value: '',
    lease: 0n,
  };
  assert.equal(hex(keyValue.encode(tombstone)), '0a016b');
});

test('a part of a range is a range answer inside a message', () => {
  const kv = { createRevision: 1, modRevision: 2, version: 3, lease: 4n };
  const part = { kvs: [{ key: 'a', value: '\xff', ...kv }], more: true, count: 7 };
  const encoded = rangeStreamResponse.encode(part);
  const twin = encodeByTwin('etcdserverpb.RangeStreamResponse', { rangeResponse: part });
  assert.equal(hex(encoded), hex(twin));
  assert.deepEqual(rangeStreamResponse.decode(encoded), part);
});
