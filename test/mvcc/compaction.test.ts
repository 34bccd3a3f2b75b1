import { revisionHeader } from '../../src/mvcc/txn.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEtcdError } from '../../src/api/index.js';
import { MemoryBackend, MetaKey, type Backend } from '../../src/backend/index.js';
import { recordKey } from '../../src/mvcc/index.js';
import {
  deleteRequest,
  openStore,
  putRequest,
  rangeRequest,
  settle,
  yieldTurn,
} from './support.js';

const meta = (backend: Backend, key: string) => {
  const bytes = backend.get('meta', key);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('latin1');
};
const records = async (backend: Backend) =>
  (await backend.scan('key', { from: '', limit: Infinity })).length;

async function withWrites(count: number) {
  const opened = await openStore();
  for (let i = 0; i < count; i++)
    opened.store.put(putRequest({ key: `k${i % 50}`, value: String(i) }));
  return opened;
}

test('takes effect and is scheduled at once, is finished later', async () => {
  const { store, backend } = await withWrites(500);
  const { finished } = store.compact(400);
  assert.equal(store.compactRevision, 400);
  assert.equal(meta(backend, MetaKey.scheduledCompactRev), recordKey(400, 0));
  assert.equal(meta(backend, MetaKey.finishedCompactRev), undefined);
  assert.ok(store.compacting);
  assert.equal(await records(backend), 500);
  await finished;
  assert.ok(!store.compacting);
  assert.equal(meta(backend, MetaKey.finishedCompactRev), recordKey(400, 0));
  assert.equal(await records(backend), 101 + 50);
});

test('refuses what is compacted and what is to come, whatever the size of the number', async () => {
  const { store } = await withWrites(5);
  const refuses = (name: 'compacted' | 'futureRev', revision: number | bigint) =>
    assert.throws(
      () => store.compact(revision),
      (error) => isEtcdError(error, name),
    );
  refuses('compacted', -1);
  refuses('compacted', -(2n ** 63n));
  refuses('futureRev', 7);
  refuses('futureRev', 2n ** 63n - 1n);
  await store.compact(0).finished;
  refuses('compacted', 0);
  await store.compact(6).finished;
  refuses('compacted', 6);
});

test('a compaction cut off by a stop is taken up by the next open', async () => {
  const { store, backend } = await withWrites(3000);
  const { finished } = store.compact(2500);
  const rejected = assert.rejects(finished, (error) => isEtcdError(error, 'stopped'));
  await yieldTurn();
  await store.close();
  await rejected;
  const left = await records(backend);
  assert.ok(left > 600, `${left} records left: it was not cut off`);
  const { store: next } = await openStore({ backend });
  assert.equal(next.compactRevision, 2500);
  while (next.compacting) await yieldTurn();
  assert.equal(await records(backend), 501 + 50);
  assert.equal(next.compactionHashes().length, 0);
  next.check();
});

test('compactions accepted together finish in order, and only one leaves a hash', async () => {
  const { store } = await withWrites(300);
  const done: number[] = [];
  await Promise.all(
    [100, 200, 300].map((revision) =>
      store.compact(revision).finished.then(() => done.push(revision)),
    ),
  );
  assert.deepEqual(done, [100, 200, 300]);
  // The other two were accepted while one before was unfinished: etcd does not trust their hashes.
  assert.deepEqual(
    store.compactionHashes().map(({ hashRevision }) => hashRevision),
    [100],
  );
});

test('the last ten hashes are kept, each with the compaction before it', async () => {
  const { store } = await withWrites(100);
  for (let revision = 10; revision <= 34; revision += 2) await store.compact(revision).finished;
  const hashes = store.compactionHashes();
  assert.deepEqual(
    hashes.map(({ hashRevision, compactRevision }) => [hashRevision, compactRevision]),
    Array.from({ length: 10 }, (_, i) => [16 + i * 2, 14 + i * 2]),
  );
  assert.deepEqual(await store.hashKv(16), hashes[0]);
  await assert.rejects(store.hashKv(14), (error) => isEtcdError(error, 'compacted'));
});

test('a hash or a range under way is not disturbed by a compaction that passes it', async () => {
  // Whoever yields while the gate is shut waits until it is opened.
  let gate: Promise<void> | undefined;
  const { store } = await openStore({ yieldTurn: () => gate ?? yieldTurn() });
  for (let i = 0; i < 6000; i++) store.put(putRequest({ key: `k${i % 2500}`, value: String(i) }));
  const all = rangeRequest({ key: '\0', rangeEnd: '\0', revision: 3000 });
  const range = { header: revisionHeader(6001), ...store.range(all) };
  const expected = [await store.hashKv(3000), range];

  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const reads = Promise.all([store.hashKv(3000), store.rangeInSlices(all)]);
  await settle();
  gate = undefined;
  let done = false;
  const { finished } = store.compact(6000);
  const deletion = finished.then(() => {
    done = true;
  });
  for (let i = 0; i < 100; i++) store.deleteRange(deleteRequest({ key: `k${i}` }));
  await settle();
  assert.ok(!done, 'the deletion waits for the reads');
  open();
  assert.deepEqual(await reads, expected);
  await deletion;
  assert.throws(
    () => store.range(all),
    (error) => isEtcdError(error, 'compacted'),
  );
});

test('hashes do not depend on how far the deletion has come', async () => {
  const { store } = await withWrites(4000);
  const before = await store.hashKv(4001);
  const { finished } = store.compact(3000);
  const during = await Promise.all([store.hashKv(4001), store.hashKv(3500), store.hashKv(3001)]);
  await finished;
  const after = await Promise.all([store.hashKv(4001), store.hashKv(3500), store.hashKv(3001)]);
  assert.deepEqual(during, after);
  assert.notEqual(before.hash, after[0].hash);
});

test('a backend that fails is reported, not swallowed', async () => {
  const failures: unknown[] = [];
  const backend = new MemoryBackend();
  const { store } = await openStore({ backend, onFailure: (error) => failures.push(error) });
  store.put(putRequest({ key: 'a' }));
  const broken = new Error('disk gone');
  backend.scan = () => Promise.reject(broken);
  await assert.rejects(store.compact(2).finished, broken);
  assert.deepEqual(failures, [broken]);
});
