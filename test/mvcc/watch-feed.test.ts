import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store, WatchStream } from '../../src/mvcc/index.js';
import {
  RecordingSink,
  deleteRequest,
  openStore,
  putRequest,
  settle,
  txnRequest,
  watchRequest,
  yieldTurn,
} from './support.js';

interface Watching {
  store: Store;
  sink: RecordingSink;
  stream: WatchStream;
  put: (key: string, value?: string) => void;
}

/** A store with `writes` puts of a=1, a=2 ... (revisions 2, 3 ...) and a stream. */
async function watching(
  writes = 0,
  options: Parameters<typeof openStore>[0] = {},
): Promise<Watching> {
  const { store } = await openStore(options);
  const put = (key: string, value = '') => void store.put(putRequest({ key, value }));
  for (let i = 1; i <= writes; i++) put('a', String(i));
  const sink = new RecordingSink();
  return { store, sink, stream: store.watch.openStream(sink), put };
}

test('created carries the current revision, events the revision they happened in', async () => {
  const { sink, stream, put } = await watching(3);
  stream.create(watchRequest({ key: 'a', rangeEnd: '' }));
  put('a', 'x');
  put('b', 'x');
  assert.deepEqual(sink.take(), ['0 created @4', '0 events @5 put a=x@5']);
});

test('an empty key is the key 0x00; with no range end it is that one alone', async () => {
  const { sink, stream, put } = await watching();
  stream.create(watchRequest({ key: '', rangeEnd: '' }));
  stream.create(watchRequest({ key: '', rangeEnd: '\0' }));
  put('a');
  put('\0');
  assert.deepEqual(sink.take().slice(2), [
    '1 events @2 put a=@2',
    '0 events @3 put \0=@3',
    '1 events @3 put \0=@3',
  ]);
});

test('ids: the lowest unused for 0, any other as it is, also negative ones', async () => {
  const { sink, stream } = await watching();
  for (const watchId of [1n, 0n, 0n, -1n, -9223372036854775808n, 0n, 1n]) {
    stream.create(watchRequest({ watchId }));
  }
  assert.deepEqual(sink.take(), [
    '1 created @1',
    '0 created @1',
    '2 created @1',
    '-1 created @1',
    '-9223372036854775808 created @1',
    '3 created @1',
    '-1 refused @1 mvcc: duplicate watch ID provided on the WatchStream',
  ]);
  stream.cancel(0n);
  stream.create(watchRequest());
  assert.deepEqual(sink.take(), ['0 canceled @1', '4 created @1']);
});

test('refusals: an empty range, a negative start; they take no id', async () => {
  const { sink, stream } = await watching(2);
  stream.create(watchRequest({ key: 'b', rangeEnd: 'b' }));
  stream.create(watchRequest({ key: 'b', rangeEnd: 'a' }));
  stream.create(watchRequest({ startRevision: -1 }));
  stream.create(watchRequest({ startRevision: -(2n ** 63n) }));
  stream.refuse('rpc error: code = PermissionDenied desc = etcdserver: permission denied');
  stream.create(watchRequest({ key: 'b', rangeEnd: 'b\0' }));
  assert.deepEqual(sink.take(), [
    '-1 refused @3 mvcc: watcher range is empty',
    '-1 refused @3 mvcc: watcher range is empty',
    '-1 refused @3 etcdserver: mvcc: required revision has been compacted',
    '-1 refused @3 etcdserver: mvcc: required revision has been compacted',
    '-1 refused @3 rpc error: code = PermissionDenied desc = etcdserver: permission denied',
    '0 created @3',
  ]);
});

test('a live revision is one response with all that match, in order', async () => {
  const { store, sink, stream } = await watching();
  stream.create(watchRequest({ key: 'b', rangeEnd: 'd' }));
  stream.create(watchRequest({ key: 'c', rangeEnd: '' }));
  const puts = ['d', 'c', 'b', 'a'].map(
    (key) => ({ kind: 'put', request: putRequest({ key }) }) as const,
  );
  store.txn(txnRequest({ success: puts }));
  store.deleteRange(deleteRequest({ key: 'a', rangeEnd: '\0' }));
  assert.deepEqual(sink.take().slice(2), [
    '1 events @2 put c=@2',
    '0 events @2 put c=@2 put b=@2',
    '0 events @3 delete b@3 delete c@3',
    '1 events @3 delete c@3',
  ]);
});

test('watchers of the same events get the same batch', async () => {
  const { store, sink, stream, put } = await watching(5);
  for (let i = 0; i < 3; i++) stream.create(watchRequest({ startRevision: 2 }));
  stream.create(watchRequest({ startRevision: 2, prevKv: true }));
  await settle();
  put('b');
  store.txn(txnRequest({ success: [{ kind: 'put', request: putRequest({ key: 'a' }) }] }));
  const batches = sink.deliveries.flatMap((d) => (d.kind === 'events' ? [d.batch] : []));
  assert.equal(batches.length, 12);
  assert.equal(new Set(batches).size, 6);
});

test('history comes in responses of up to a thousand revisions, then events live', async () => {
  const { sink, stream, put } = await watching(2500, { watchWindowBytes: 0 });
  stream.create(watchRequest({ startRevision: 2 }));
  await settle();
  put('b');
  const events = sink.deliveries.flatMap((d) => (d.kind === 'events' ? [d] : []));
  const revisions = events.map(({ batch }) => batch.events.length);
  assert.ok(revisions.length >= 3 && Math.max(...revisions) <= 1000, String(revisions));
  assert.equal(events.at(-1)!.revision, 2502);
  assert.ok(events.slice(0, -1).every(({ revision }) => revision === 2501));
  assert.deepEqual(
    events.flatMap(({ batch }) => batch.events.map(({ kv }) => kv.modRevision)),
    Array.from({ length: 2501 }, (_, i) => i + 2),
  );
});

test('history never cuts a revision, however large', async () => {
  const { store, sink, stream, put } = await watching(1, { watchWindowBytes: 0 });
  for (let i = 0; i < 3000; i++) put(`k${String(i).padStart(4, '0')}`);
  store.deleteRange(deleteRequest({ key: 'k', rangeEnd: 'l' }));
  put('z');
  stream.create(watchRequest({ startRevision: 3003 }));
  await settle();
  const sizes = sink.deliveries.flatMap((d) =>
    d.kind === 'events' ? [d.batch.events.length] : [],
  );
  assert.equal(
    sizes.reduce((a, b) => a + b),
    3001,
  );
  assert.ok(sizes[0]! >= 3000, String(sizes));
});

test('a start in the future waits for it, and holds back progress until it has come', async () => {
  const { sink, stream, put } = await watching(2);
  stream.create(watchRequest({ startRevision: 5 }));
  put('a', 'x');
  stream.requestProgress();
  assert.deepEqual(sink.take(), ['0 created @3']);
  put('a', 'y');
  stream.requestProgress();
  assert.deepEqual(sink.take(), ['0 events @5 put a=y@5', '-1 progress @5']);
});

test('a start past 2^53 waits for ever and does no harm', async () => {
  const { sink, stream, put } = await watching();
  stream.create(watchRequest({ startRevision: 2n ** 63n - 1n }));
  put('a');
  stream.requestProgress();
  await settle();
  assert.deepEqual(sink.take(), ['0 created @1']);
});

test('the compaction boundary: below is cancelled in a message of its own, at it is served', async () => {
  const { store, sink, stream } = await watching(6);
  store.deleteRange(deleteRequest({ key: 'a' }));
  await store.compact(8).finished;
  stream.create(watchRequest({ startRevision: 7 }));
  stream.create(watchRequest({ startRevision: 8 }));
  await settle();
  assert.deepEqual(sink.take(), [
    '0 created @8',
    '1 created @8',
    '0 canceled @0 compacted 8',
    '1 events @8 delete a@8',
  ]);
  // The id stays taken, and progress is held back, until the client cancels it.
  stream.requestProgress();
  stream.create(watchRequest({ watchId: 0n }));
  assert.deepEqual(sink.take(), ['2 created @8']);
  stream.cancel(0n);
  stream.requestProgress();
  assert.deepEqual(sink.take(), ['0 canceled @8', '-1 progress @8']);
});

test('a watch and a compaction of one turn: what is still to be read is gone', async () => {
  const { store, sink, stream } = await watching(50);
  stream.create(watchRequest({ startRevision: 20 }));
  store.compact(21);
  await settle();
  assert.deepEqual(sink.take(), ['0 created @51', '0 canceled @0 compacted 21']);
});

test('hundreds of compacted watches on one stream each get their answer', async () => {
  const { store, sink, stream } = await watching(5);
  await store.compact(6).finished;
  for (let i = 0; i < 500; i++) stream.create(watchRequest({ startRevision: 3 }));
  await settle();
  const kinds = sink.deliveries.map(({ kind }) => kind);
  assert.deepEqual(
    [kinds.slice(0, 500), kinds.slice(500)].map((part) => new Set(part).size),
    [1, 1],
  );
  assert.equal(kinds.length, 1000);
});

test('progress: on request for all, at once on a quiet new watch; none without watches', async () => {
  const { sink, stream } = await watching(3);
  stream.requestProgress();
  assert.deepEqual(sink.take(), []);
  stream.create(watchRequest());
  stream.create(watchRequest());
  stream.requestProgress();
  assert.deepEqual(sink.take().slice(2), ['-1 progress @4']);
});

test('progress: never while any watch of the stream is behind', async () => {
  const { sink, stream } = await watching(3);
  stream.create(watchRequest());
  stream.create(watchRequest({ startRevision: 2 }));
  stream.requestProgress();
  assert.deepEqual(sink.take().length, 2);
  await settle();
  stream.requestProgress();
  assert.deepEqual(sink.take().at(-1), '-1 progress @4');
});

test('progress ticks: for those that asked and got no events since the last', async () => {
  const { sink, stream, put } = await watching();
  stream.create(watchRequest({ key: 'a', rangeEnd: '', progressNotify: true }));
  stream.create(watchRequest({ key: 'b', rangeEnd: '', progressNotify: true }));
  stream.create(watchRequest());
  put('a');
  sink.take();
  stream.progressTick();
  assert.deepEqual(sink.take(), ['1 progress @2']);
  stream.progressTick();
  assert.deepEqual(sink.take(), ['0 progress @2', '1 progress @2']);
});

test('filters drop events; when all are dropped there is no response', async () => {
  const { store, sink, stream, put } = await watching(2);
  stream.create(watchRequest({ filters: [0], startRevision: 2 }));
  stream.create(watchRequest({ filters: [1], startRevision: 3 }));
  stream.create(watchRequest({ filters: [0, 1], startRevision: 2 }));
  await settle();
  put('a', 'x');
  store.deleteRange(deleteRequest({ key: 'a' }));
  assert.deepEqual(sink.take().slice(3), [
    '1 events @3 put a=2@3',
    '1 events @4 put a=x@4',
    '0 events @5 delete a@5',
  ]);
});

test('previous pairs: none for a creation, the one before for others, live and from history', async () => {
  const expected = ['put a=1@2 put a=2@3(1@2) delete a@4(2@3) put a=3@5'];
  const { store, sink, stream, put } = await watching();
  stream.create(watchRequest({ prevKv: true }));
  put('a', '1');
  put('a', '2');
  store.deleteRange(deleteRequest({ key: 'a' }));
  put('a', '3');
  const live = sink
    .take()
    .slice(1)
    .map((line) => line.replace(/^0 events @\d+ /, ''));
  assert.deepEqual([live.join(' ')], expected);
  const late = await openStreamOn(store);
  late.stream.create(watchRequest({ prevKv: true, startRevision: 2 }));
  await settle();
  assert.deepEqual(
    late.sink.take().slice(1),
    expected.map((line) => `0 events @5 ${line}`),
  );
});

test('previous pairs: none where it would lie below the compaction, deleted or not', async () => {
  let gate: Promise<void> | undefined;
  const { store, sink, stream, put } = await watching(0, { yieldTurn: () => gate ?? yieldTurn() });
  for (let i = 1; i <= 4; i++) put('a', String(i));
  // A hash that does not go on keeps the deletion from beginning.
  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const hash = store.hashKv(2);
  await settle();
  gate = undefined;
  store.compact(4);
  stream.create(watchRequest({ prevKv: true, startRevision: 4 }));
  await settle();
  assert.deepEqual(sink.take().slice(1), ['0 events @5 put a=3@4 put a=4@5(3@4)']);
  open();
  await hash;
});

test('two changes of a key in one revision have the same previous pair', async () => {
  const { store, sink, stream } = await watching(1);
  stream.create(watchRequest({ prevKv: true }));
  const nested = txnRequest({
    success: [{ kind: 'put', request: putRequest({ key: 'a', value: 'x' }) }],
  });
  const remove = txnRequest({
    success: [{ kind: 'deleteRange', request: deleteRequest({ key: 'a' }) }],
  });
  store.txn(
    txnRequest({
      success: [
        { kind: 'txn', request: nested },
        { kind: 'txn', request: remove },
      ],
    }),
  );
  assert.deepEqual(sink.take().slice(1), ['0 events @3 put a=x@3(1@2) delete a@3(1@2)']);
});

async function openStreamOn(store: Store): Promise<{ sink: RecordingSink; stream: WatchStream }> {
  const sink = new RecordingSink();
  return Promise.resolve({ sink, stream: store.watch.openStream(sink) });
}

test('fragments: only for those that asked, at least one event each, all but the last flagged', async () => {
  const { store, sink, stream } = await watching(0, { fragmentBytes: 400 });
  stream.create(watchRequest({ fragment: true }));
  stream.create(watchRequest());
  const put = (key: string, size: number) =>
    ({ kind: 'put', request: putRequest({ key, value: 'x'.repeat(size) }) }) as const;
  store.txn(txnRequest({ success: [put('a', 1000), put('b', 100), put('c', 100), put('d', 100)] }));
  const pieces = sink.deliveries.flatMap((d) =>
    d.kind === 'events'
      ? [[d.watchId, d.batch.events.map(({ kv }) => kv.key).join(''), d.fragment]]
      : [],
  );
  assert.deepEqual(pieces, [
    [0n, 'a', true],
    [0n, 'bc', true],
    [0n, 'd', false],
    [1n, 'abcd', false],
  ]);
});

test('a full sink gets no events until it resumes, loses none, and holds up nobody else', async () => {
  const { store, sink, stream, put } = await watching(0, { watchWindowBytes: 2000 });
  const other = await openStreamOn(store);
  other.stream.create(watchRequest());
  stream.create(watchRequest());
  sink.full = true;
  put('a', '1');
  assert.deepEqual(sink.take(), ['0 created @1', '0 events @2 put a=1@2']);
  for (let i = 2; i <= 100; i++) put('a', String(i));
  await settle();
  stream.requestProgress();
  stream.progressTick();
  assert.deepEqual(sink.take(), []);
  assert.equal(other.sink.take().length, 101);
  assert.equal(store.watch.counts().slow, 1);
  sink.full = false;
  stream.resume();
  await settle();
  const [history] = sink.deliveries;
  assert.ok(history?.kind === 'events' && history.batch.events.length === 99);
  assert.equal(store.watch.counts().slow, 0);
  stream.requestProgress();
  assert.equal(sink.take().at(-1), '-1 progress @101');
});

test('answers come through a full sink, in order', async () => {
  const { sink, stream, put } = await watching();
  stream.create(watchRequest());
  sink.full = true;
  put('a');
  stream.create(watchRequest({ startRevision: 1 }));
  stream.cancel(0n);
  await settle();
  assert.deepEqual(sink.take(), [
    '0 created @1',
    '0 events @2 put a=@2',
    '1 created @2',
    '0 canceled @2',
  ]);
});

test('a watcher starved across a compaction is told so when it drains', async () => {
  const { store, sink, stream, put } = await watching();
  stream.create(watchRequest());
  sink.full = true;
  for (let i = 0; i < 20; i++) put('a', String(i));
  await store.compact(15).finished;
  sink.full = false;
  stream.resume();
  await settle();
  assert.deepEqual(sink.take(), [
    '0 created @1',
    '0 events @2 put a=0@2',
    '0 canceled @0 compacted 15',
  ]);
});

test('a watcher that catches up becomes synced under writes that never pause', async () => {
  const { store, sink, stream, put } = await watching(5000);
  stream.create(watchRequest({ startRevision: 2 }));
  let turns = 0;
  while (store.watch.counts().slow > 0) {
    assert.ok(++turns < 500, 'it does not catch up');
    for (let i = 0; i < 20; i++) put('a', 'x');
    await yieldTurn();
  }
  put('a', 'last');
  const seen = sink.deliveries.flatMap((d) => (d.kind === 'events' ? d.batch.events : []));
  assert.deepEqual(
    seen.map(({ kv }) => kv.modRevision),
    Array.from({ length: store.currentRevision - 1 }, (_, i) => i + 2),
  );
});

test('a sink may close its stream, or cancel, from within a delivery', async () => {
  const { store, put } = await watching(3);
  const seen: string[] = [];
  const stream: WatchStream = store.watch.openStream({
    deliver: (delivery) => {
      seen.push(delivery.kind);
      if (delivery.kind === 'events') stream.close();
      return true;
    },
  });
  stream.create(watchRequest({ startRevision: 2 }));
  stream.create(watchRequest());
  stream.create(watchRequest());
  put('a');
  put('a');
  await settle();
  assert.deepEqual(seen, ['created', 'created', 'created', 'events']);
  const { streams, watchers } = store.watch.counts();
  assert.deepEqual({ streams, watchers }, { streams: 1, watchers: 0 });
});

test('after close there is silence, also for requests', async () => {
  const { sink, stream, put } = await watching(3);
  stream.create(watchRequest());
  stream.create(watchRequest({ startRevision: 2 }));
  stream.close();
  stream.close();
  sink.take();
  put('a');
  stream.create(watchRequest());
  stream.cancel(0n);
  stream.requestProgress();
  stream.progressTick();
  stream.resume();
  await settle();
  assert.deepEqual(sink.take(), []);
});

test('a failing backend is reported by the catch-up', async () => {
  const failures: unknown[] = [];
  const { store, backend } = await openStore({ onFailure: (error) => failures.push(error) });
  store.put(putRequest());
  const broken = new Error('disk gone');
  backend.scan = () => Promise.reject(broken);
  store.watch.openStream(new RecordingSink()).create(watchRequest({ startRevision: 2 }));
  await settle();
  assert.deepEqual(failures, [broken]);
});

test('a response that catches up is no larger than a bound, or than one revision', async () => {
  const value = 'x'.repeat(20_000);
  for (const watchWindowBytes of [0, 16 * 2 ** 20]) {
    const { store, sink, stream, put } = await watching(1, { watchWindowBytes });
    stream.create(watchRequest());
    sink.full = true;
    for (let i = 0; i < 300; i++) put('a', value);
    const three = ['b', 'c', 'd'].map(
      (key) => ({ kind: 'put', request: putRequest({ key, value: value.repeat(20) }) }) as const,
    );
    store.txn(txnRequest({ success: three }));
    // One delivery each time the client has drained: that is all a stream may hold.
    const sizes: number[] = [];
    while (store.watch.counts().slow > 0) {
      sink.deliveries.length = 0;
      stream.resume();
      await settle(3);
      assert.ok(sink.deliveries.length <= 1, `${sink.deliveries.length} deliveries`);
      const [delivery] = sink.deliveries;
      if (delivery?.kind === 'events') sizes.push(sizeOf(delivery.batch.events));
      if (sizes.length > 100) break;
    }
    assert.ok(sizes.length > 10 && sizes.length < 20, String(sizes));
    const last = sizes.pop()!;
    assert.ok(last > 1_200_000 && last < 1_800_000, `the large revision, whole: ${last}`);
    assert.ok(Math.max(...sizes) < 550_000, String(sizes));
  }
});

function sizeOf(events: readonly { kv: { value: string } }[]): number {
  return events.reduce((sum, { kv }) => sum + kv.value.length, 0);
}
