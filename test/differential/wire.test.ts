import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { steps } from './arbitraries/steps.js';
import { resolve } from './support/symbolic.js';
import { decodeMessage, encodeMessage, OTHER_BYTES, wireMethod } from './support/wire.js';

test('64-bit numbers are exact from end to end', () => {
  const { request } = wireMethod('Lease/LeaseGrant');
  for (const ID of ['9223372036854775807', '-9223372036854775808', '9007199254740993', '-1']) {
    assert.deepEqual(decodeMessage(request, encodeMessage(request, { ID })), { ID });
  }
});

test('a zero that is written out is told from one that is left out', () => {
  const { response } = wireMethod('KV/Range');
  assert.deepEqual(decodeMessage(response, Buffer.from([0x20, 0])), { [OTHER_BYTES]: 2 });
  assert.deepEqual(decodeMessage(response, Buffer.alloc(0)), {});
});

test('bytes that the schema does not know are seen', () => {
  const { response } = wireMethod('KV/Put');
  const decoded = decodeMessage(response, Buffer.from([0xf8, 0x01, 1]));
  assert.deepEqual(decoded, { [OTHER_BYTES]: 3 });
});

test('every generated request can be sent', () => {
  const landmarks = { begin: 5, now: 9, compacted: 3, compactions: [3], picked: ['77'] };
  const lists = steps({ maxLength: 40, refusesUnknownSort: true, putBesideDeleteToEnd: true });
  fc.assert(
    fc.property(lists, (list) => {
      for (const { method, request } of list) {
        encodeMessage(wireMethod(method).request, resolve(request, landmarks));
      }
    }),
    { numRuns: 40 },
  );
});
