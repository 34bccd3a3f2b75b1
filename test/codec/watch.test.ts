import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  encodeEvents,
  watchRequest,
  watchResponse,
  watchResponseWithEvents,
} from '../../src/codec/index.js';
import { event, watchHead } from './arbitraries.js';
import { bytes, hex } from './values.js';

test('events encoded once make the same message as events encoded in it', () => {
  const pieces = fc.array(fc.array(event, { maxLength: 3 }), { maxLength: 3 });
  fc.assert(
    fc.property(watchHead, pieces, (head, batches) => {
      const joined = watchResponseWithEvents(head, ...batches.map(encodeEvents));
      assert.equal(hex(joined), hex(watchResponse.encode({ ...head, events: batches.flat() })));
    }),
    { numRuns: 300 },
  );
});

test('filters are written packed and read in both forms', () => {
  const create = watchRequest.decode(bytes('0a07 0a016b 2800 2801'));
  assert.equal(create.kind, 'create');
  assert.deepEqual(create.kind === 'create' && create.request.filters, [0, 1]);
  assert.equal(hex(watchRequest.encode(create)), hex(bytes('0a07 0a016b 2a020001')));
});

test('a request of nothing is told from a request for progress', () => {
  assert.deepEqual(watchRequest.decode(new Uint8Array(0)), { kind: 'none' });
  assert.deepEqual(watchRequest.decode(bytes('1a00')), { kind: 'progress' });
  assert.equal(hex(watchRequest.encode({ kind: 'progress' })), '1a00');
});

test('the last member of the oneof counts', () => {
  assert.deepEqual(watchRequest.decode(bytes('1a00 12020805')), { kind: 'cancel', watchId: 5n });
});
