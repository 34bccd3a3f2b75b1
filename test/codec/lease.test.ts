import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  emptyMessage,
  leaseInternalRequest,
  leaseInternalResponse,
  leaseTimeToLiveRequest,
} from '../../src/codec/index.js';
import {
  leaseTimeToLiveRequest as anyRequest,
  leaseTimeToLiveResponse as anyResponse,
} from './arbitraries.js';
import { encodeByTwin } from './twin.js';
import { bytes, hex, plain } from './values.js';

test('what members ask the leader about leases goes in an envelope', () => {
  fc.assert(
    fc.property(anyRequest, anyResponse, (request, response) => {
      const asked = leaseInternalRequest.encode(request);
      const inner = leaseTimeToLiveRequest.encode(request);
      assert.equal(hex(asked), `0a${inner.length.toString(16).padStart(2, '0')}${hex(inner)}`);
      assert.deepEqual(leaseInternalRequest.decode(asked), plain(request));
      const answered = leaseInternalResponse.encode(response);
      const twin = encodeByTwin('etcdserverpb.LeaseTimeToLiveResponse', response);
      assert.equal(hex(answered).endsWith(hex(twin)), true);
      assert.deepEqual(leaseInternalResponse.decode(answered), plain(response));
    }),
  );
});

test('an empty envelope asks about lease 0', () => {
  assert.deepEqual(leaseInternalRequest.decode(new Uint8Array(0)), { id: 0n, keys: false });
});

test('a request without fields is no bytes, and may have fields of a later version', () => {
  assert.equal(hex(emptyMessage.encode({})), '');
  assert.deepEqual(emptyMessage.decode(bytes('0a0161')), {});
  assert.throws(() => emptyMessage.decode(bytes('0a0261')), { name: 'DecodeError' });
});
