import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyValue, RangeResponse } from '../../src/api/index.js';
import { rangeOf } from '../../src/client/index.js';
import * as codec from '../../src/codec/index.js';
import { open } from '../../src/embed/index.js';
import { LOCAL_CALL } from '../../src/embed/local-call.js';
import {
  EncodedAnswer,
  encodeLargeRange,
  encodeRange,
} from '../../src/server/services/large-answer.js';

function responseOf(pairs: number, valueBytes: number): RangeResponse {
  const kvs = Array.from({ length: pairs }, (_, i): KeyValue => ({
    key: `k${i}`,
    createRevision: i + 2,
    modRevision: i + 3,
    version: 2,
    value: 'v'.repeat(valueBytes),
    lease: 0n,
  }));
  const header = { clusterId: 1n, memberId: 2n, revision: 9, raftTerm: 3 };
  return { header, kvs, more: true, count: pairs + 1 };
}

for (const [pairs, valueBytes, turns] of [
  [4001, 10, 2],
  [5, 1 << 20, 4],
] as const) {
  test(`${pairs} pairs of ${valueBytes} bytes are encoded in slices to the bytes of the whole`, async () => {
    const response = responseOf(pairs, valueBytes);
    let yielded = 0;
    const yieldTurn = () => {
      yielded++;
      return Promise.resolve();
    };
    const encoded = await encodeLargeRange(response, yieldTurn);
    assert.ok(encoded instanceof EncodedAnswer);
    assert.equal(yielded, turns);
    assert.ok(Buffer.from(codec.rangeResponse.encode(response)).equals(encodeRange(encoded)));
  });
}

test('a small answer is left to its codec', async () => {
  const response = responseOf(2000, 10);
  const answer = await encodeLargeRange(response, () => assert.fail('no turn is needed'));
  assert.equal(answer, response);
  assert.deepEqual(encodeRange(answer), codec.rangeResponse.encode(response));
});

test('a range that takes several turns lets writes pass and names the revision it shows', async () => {
  const store = await open({ memory: true });
  const keys = 3000;
  await Promise.all(Array.from({ length: keys }, (_, i) => store.put(`k${i}`, 'before')));
  const at = store.revision;
  const reading = store.services.kv.range(
    { ...rangeOf('k'), rangeEnd: 'l', serializable: true },
    LOCAL_CALL,
  );
  // The last slice is read several turns from now, when these have been applied.
  const written = store.member.store;
  written.put({
    key: 'k999',
    value: 'after',
    lease: 0n,
    prevKv: false,
    ignoreValue: false,
    ignoreLease: false,
  });
  assert.equal(written.currentRevision, at + 1);
  const { header, kvs, count } = await reading;
  assert.equal(header?.revision, at);
  assert.equal(count, keys);
  assert.ok(kvs.every(({ value }) => value === 'before'));
  await store.close();
});
