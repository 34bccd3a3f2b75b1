/** A range in parts is the range. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isEtcdError, type RangeRequest, type RangeResponse } from '../../src/api/index.js';
import type { Store } from '../../src/mvcc/index.js';
import { deleteRequest, openStore, putRequest, rangeRequest } from './support.js';

const MIB = 2 ** 20;
const everything = rangeRequest({ key: '\0', rangeEnd: '\0' });

async function partsOf(
  store: Store,
  request: RangeRequest,
  targetBytes = MIB,
): Promise<RangeResponse[]> {
  const parts = [];
  for await (const part of store.rangeInParts(request, targetBytes)) parts.push(part);
  return parts;
}

/** Header, more and count stand on the last part only, and all parts together are the answer of `range`. */
function checkMerged(store: Store, request: RangeRequest, parts: RangeResponse[]): void {
  const last = parts.at(-1)!;
  for (const part of parts.slice(0, -1)) {
    assert.deepEqual([part.header, part.more, part.count], [undefined, false, 0]);
    assert.ok(part.kvs.length > 0);
  }
  assert.equal(last.header?.revision, store.currentRevision);
  const { kvs, more, count } = store.range(request);
  assert.deepEqual(
    { kvs: parts.flatMap((part) => part.kvs), more: last.more, count: last.count },
    { kvs, more, count },
  );
}

async function withKeys(count: number, value = 'v'): Promise<Store> {
  const { store } = await openStore();
  for (let i = 0; i < count; i++) {
    store.put(putRequest({ key: `k${String(i).padStart(5, '0')}`, value }));
  }
  return store;
}

test('parts together are the range, whatever was written, deleted and asked for', async () => {
  const name = fc.integer({ min: 0, max: 60 }).map((i) => `k${i}`);
  const writes = fc.array(fc.tuple(fc.boolean(), name), { maxLength: 120 });
  const asked = fc.record({
    key: fc.constantFrom('\0', 'k', 'k3', 'k5'),
    rangeEnd: fc.constantFrom('', '\0', 'k4', 'l', 'a'),
    limit: fc.integer({ min: -1, max: 40 }),
    back: fc.integer({ min: 0, max: 60 }),
    keysOnly: fc.boolean(),
    countOnly: fc.boolean(),
    targetBytes: fc.constantFrom(1, 200, MIB),
  });
  await fc.assert(
    fc.asyncProperty(writes, asked, async (writes, { back, targetBytes, ...fields }) => {
      const { store } = await openStore();
      for (const [put, key] of writes) {
        if (put) store.put(putRequest({ key, value: `${store.currentRevision}` }));
        else store.deleteRange(deleteRequest({ key }));
      }
      const revision = Math.max(0, store.currentRevision - back);
      const request = rangeRequest({ ...fields, revision });
      checkMerged(store, request, await partsOf(store, request, targetBytes));
    }),
    { numRuns: 200 },
  );
});

test('the first part has ten pairs, later ones twice as many each, as long as they are small', async () => {
  const store = await withKeys(100);
  const sizes = (await partsOf(store, everything)).map(({ kvs }) => kvs.length);
  assert.deepEqual(sizes, [10, 20, 40, 30]);
});

test('parts of large values shrink', async () => {
  const store = await withKeys(40, 'v'.repeat(1000));
  const parts = await partsOf(store, everything, 1500);
  assert.deepEqual(
    parts.slice(0, 4).map(({ kvs }) => kvs.length),
    [10, 5, 2, 2],
  );
  checkMerged(store, everything, parts);
});

test('writes between parts do not show', async () => {
  const store = await withKeys(200);
  const { kvs } = store.range(everything);
  const revision = store.currentRevision;
  const seen: RangeResponse[] = [];
  for await (const part of store.rangeInParts(everything, MIB)) {
    seen.push(part);
    store.put(putRequest({ key: 'k00199', value: 'later' }));
    store.put(putRequest({ key: `k001${seen.length}x`, value: 'later' }));
    store.deleteRange(deleteRequest({ key: 'k00198' }));
  }
  assert.deepEqual(
    seen.flatMap((part) => part.kvs),
    kvs,
  );
  assert.equal(seen.at(-1)!.header?.revision, revision);
  assert.equal(seen.at(-1)!.count, 200);
});

test('a compaction beyond the revision ends the parts', async () => {
  const store = await withKeys(200);
  await assert.rejects(
    async () => {
      for await (const part of store.rangeInParts(everything, MIB)) {
        assert.ok(part.kvs.length <= 20);
        store.put(putRequest({ key: 'x' }));
        await store.compact(store.currentRevision).finished;
      }
    },
    (error) => isEtcdError(error, 'compacted'),
  );
});

test('revisions to come and compacted ones are refused before the first part', async () => {
  const store = await withKeys(5);
  await store.compact(4).finished;
  for (const [revision, name] of [
    [100, 'futureRev'],
    [3, 'compacted'],
  ] as const) {
    await assert.rejects(partsOf(store, { ...everything, revision }), (error) =>
      isEtcdError(error, name),
    );
  }
});
