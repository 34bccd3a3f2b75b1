import { revisionHeader } from '../../src/mvcc/txn.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEtcdError } from '../../src/api/index.js';
import { MemoryBackend, MetaKey, type Backend } from '../../src/backend/index.js';
import { bytesFromLatin1 } from '../../src/bytes/index.js';
import { MalformedRecordError, recordKey } from '../../src/mvcc/index.js';
import {
  FakeLeases,
  RecordingSink,
  deleteRequest,
  openStore,
  putRequest,
  rangeRequest,
  settle,
  txnRequest,
  watchRequest,
} from './support.js';

const everything = rangeRequest({ key: '\0', rangeEnd: '\0' });

test('a new store is at revision 1 and was never compacted', async () => {
  const { store } = await openStore();
  assert.deepEqual([store.currentRevision, store.compactRevision, store.keyCount], [1, -1, 0]);
  assert.equal((await store.hashKv(0)).compactRevision, -1);
  store.put(putRequest());
  assert.equal(store.currentRevision, 2);
});

test('range: revisions to come and compacted ones are refused, the compact revision is not', async () => {
  const { store } = await openStore();
  for (const value of ['1', '2', '3']) store.put(putRequest({ key: 'a', value }));
  await store.compact(3).finished;
  const at = (revision: number | bigint) => store.range(rangeRequest({ key: 'a', revision }));
  const refuses = (name: 'compacted' | 'futureRev', revision: number | bigint) => {
    assert.throws(
      () => at(revision),
      (error) => isEtcdError(error, name),
    );
  };
  refuses('futureRev', 5);
  refuses('futureRev', 2n ** 62n);
  refuses('compacted', 2);
  assert.equal(at(3).kvs[0]!.value, '2');
  assert.equal(at(4).kvs[0]!.value, '3');
  assert.equal(at(0).kvs[0]!.value, '3');
  assert.equal(at(-7).kvs[0]!.value, '3');
  await assert.rejects(store.rangeInSlices(rangeRequest({ ...everything, revision: 2 })), (error) =>
    isEtcdError(error, 'compacted'),
  );
});

test('deleteKeys deletes in ascending order, in one revision, or in none', async () => {
  const leases = new FakeLeases(5n);
  const { store } = await openStore({ leases });
  const sink = new RecordingSink();
  for (const key of ['c', 'a', 'b']) store.put(putRequest({ key, lease: 5n }));
  store.watch.openStream(sink).create(watchRequest());
  assert.equal(store.deleteKeys(['c', 'x', 'a', 'b']), 3);
  assert.equal(store.currentRevision, 5);
  assert.deepEqual(sink.take(), ['0 created @4', '0 events @5 delete a@5 delete b@5 delete c@5']);
  assert.deepEqual(leases.attached(), [[5n, []]]);
  assert.equal(store.deleteKeys(['a']), 0);
  assert.equal(store.deleteKeys([]), 0);
  assert.equal(store.currentRevision, 5);
});

test('a big range comes in slices, of the revision it began at', async () => {
  const { store } = await openStore();
  for (let i = 0; i < 7000; i++) store.put(putRequest({ key: String(i).padStart(5, '0') }));
  const expected = store.range(everything);
  const sliced = store.rangeInSlices(everything);
  store.deleteRange(deleteRequest({ key: '\0', rangeEnd: '\0' }));
  assert.deepEqual(await sliced, { header: revisionHeader(7001), ...expected });
  assert.equal(store.range(everything).count, 0);
});

test('values that were pushed out of the cache are read back', async () => {
  const { store } = await openStore({ cacheBytes: 1000 });
  for (let i = 0; i < 100; i++) store.put(putRequest({ key: `k${i}`, value: `value ${i}` }));
  for (let i = 0; i < 100; i++) {
    assert.equal(store.range(rangeRequest({ key: `k${i}` })).kvs[0]!.value, `value ${i}`);
  }
});

test('the marker of a bumped restore raises the revision and compacts up to it', async () => {
  const backend = new MemoryBackend();
  const first = await openStore({ backend });
  first.store.put(putRequest({ key: 'a', value: 'old' }));
  first.store.put(putRequest({ key: 'a', value: 'new' }));
  backend.put('key', recordKey(1_000_003, 0), new Uint8Array());
  backend.put('meta', MetaKey.scheduledCompactRev, bytesFromLatin1(recordKey(1_000_003, 0)));
  const { store } = await openStore({ backend });
  assert.deepEqual([store.currentRevision, store.compactRevision], [1_000_003, 1_000_003]);
  await settle();
  const { kvs, count } = store.range(everything);
  assert.deepEqual([kvs.map(({ value }) => value), count], [['new'], 1]);
  store.put(putRequest({ key: 'b' }));
  assert.equal(store.currentRevision, 1_000_004);
  const again = await openStore({ backend });
  assert.equal(again.store.currentRevision, 1_000_004);
});

test('a compaction past every record keeps the revision over a restart', async () => {
  const { store, backend } = await openStore();
  store.put(putRequest({ key: 'a' }));
  store.deleteRange(deleteRequest({ key: 'a' }));
  store.put(putRequest({ key: 'a' }));
  store.deleteRange(deleteRequest({ key: 'a' }));
  await store.compact(5).finished;
  const { store: next } = await openStore({ backend });
  assert.deepEqual([next.currentRevision, next.compactRevision, next.keyCount], [5, 5, 0]);
});

test('a damaged record is refused by the name of its revision', async () => {
  const backend = new MemoryBackend();
  backend.put('key', recordKey(7, 1), Uint8Array.of(0x0a, 0x05));
  await assert.rejects(
    openStore({ backend }),
    (error) => error instanceof MalformedRecordError && error.message.includes('7_1'),
  );
  const odd = new MemoryBackend();
  odd.put('key', 'odd', Uint8Array.of());
  await assert.rejects(openStore({ backend: odd }), MalformedRecordError);
});

test('reload: everything is read anew, watchers go on or are told that it is compacted', async () => {
  const source = await openStore();
  for (let i = 0; i < 10; i++) source.store.put(putRequest({ key: 'a', value: `s${i}` }));
  await source.store.compact(8).finished;

  const { store, backend, leases } = await openStore({ leases: new FakeLeases(1n) });
  store.put(putRequest({ key: 'a', value: 'mine' }));
  const sink = new RecordingSink();
  const stream = store.watch.openStream(sink);
  stream.create(watchRequest());
  stream.create(watchRequest({ startRevision: 9 }));
  stream.create(watchRequest({ startRevision: 50 }));
  sink.take();
  const hash = assert.rejects(store.hashKv(0), (error) => isEtcdError(error, 'leaderChanged'));
  const reloading = store.reload(() => backend.replace(contentOf(source.backend)));
  for (const act of [
    () => store.range(everything),
    () => store.put(putRequest()),
    () => store.txn(txnRequest()),
    () => store.compact(1),
  ]) {
    assert.throws(act, (error) => isEtcdError(error, 'leaderChanged'));
  }
  stream.requestProgress();
  await hash;
  await reloading;
  await settle();
  assert.deepEqual([store.currentRevision, store.compactRevision], [11, 8]);
  assert.deepEqual(sink.take(), [
    '0 canceled @0 compacted 8',
    '1 events @11 put a=s7@9 put a=s8@10 put a=s9@11',
  ]);
  store.put(putRequest({ key: 'b', lease: 1n }));
  assert.deepEqual(sink.take(), ['1 events @12 put b=@12']);
  assert.deepEqual(leases.attached(), [[1n, ['b']]]);
  assert.deepEqual(await store.hashKv(11), await source.store.hashKv(11));
  store.check();
});

async function* contentOf(backend: Backend) {
  for (const bucket of ['key', 'meta'] as const) {
    for (const pair of await backend.scan(bucket, { from: '', limit: Infinity })) {
      yield [bucket, pair] as const;
    }
  }
}
