/** A watcher misses nothing and sees nothing twice, whatever becomes of its connection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchCreateRequest } from '../../../src/api/index.js';
import { checkWatchGuarantees } from '../../../src/sim/checkers/watch-guarantees.js';
import { Watcher, type WatcherOptions } from '../../../src/sim/workloads/index.js';
import { watchRequest } from '../../../src/sim/workloads/requests.js';
import { FakeCluster } from './fake-cluster.js';

async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

async function watching(
  request: Partial<WatchCreateRequest> = {},
  options: Partial<WatcherOptions> = {},
) {
  const cluster = new FakeCluster();
  let ids = 0;
  const watcher = new Watcher(cluster.client(), {
    request: watchRequest('a', request),
    nextId: () => ids++,
    place: 0,
    retryMs: 100,
    ...options,
  });
  await settle();
  return { cluster, watcher };
}

function starts(cluster: FakeCluster): number[] {
  return cluster.story.history.watches.map(({ request }) => Number(request.startRevision));
}

function violations(cluster: FakeCluster) {
  const { history, truth, machine } = cluster.story;
  return checkWatchGuarantees(history, truth, { settledRevision: machine.revision });
}

test('from now, it goes on after its last event', async () => {
  const { cluster, watcher } = await watching();
  cluster.story.put('a', '1');
  cluster.story.put('b', '1');
  cluster.deliver();
  assert.equal(watcher.position, 3);
  cluster.disconnect();
  cluster.story.put('a', '2');
  await settle();
  assert.deepEqual(starts(cluster), [0, 3]);
  assert.equal(watcher.position, 5);
  assert.deepEqual(violations(cluster), []);
});

test('progress moves it on', async () => {
  const { cluster, watcher } = await watching({ startRevision: 1 });
  cluster.story.put('b', '1');
  watcher.requestProgress();
  assert.equal(watcher.position, 3);
  watcher.move(1);
  await settle();
  assert.deepEqual(starts(cluster), [1, 3]);
  assert.deepEqual(violations(cluster), []);
});

test('an eager one asks for progress with every creation', async () => {
  const { cluster, watcher } = await watching({ startRevision: 1 }, { eager: true });
  const [stream] = cluster.streams;
  let asked = 0;
  const counting = {
    ...cluster.client(),
    watch: () => ({ requestProgress: () => asked++, cancel() {} }),
  };
  const options = {
    request: watchRequest('a'),
    nextId: () => 9,
    place: 0,
    retryMs: 1,
    eager: true,
  };
  const other = new Watcher(counting, options);
  other.move(1);
  assert.equal(asked, 2);
  assert.equal(watcher.position, 1);
  assert.ok(stream!.isCreated);
});

test('half a revision in fragments is asked for again', async () => {
  const { cluster, watcher } = await watching({ startRevision: 1, fragment: true });
  cluster.story.put('a', '1');
  const [stream] = cluster.streams;
  const events = stream!.watch.wanted(2);
  const response = {
    watchId: 0n,
    created: false,
    canceled: false,
    compactRevision: 0,
    cancelReason: '',
    fragment: true,
    events,
  };
  stream!.listener.response(response);
  assert.equal(watcher.position, 2);
});

test('a connection lost before the creation was heard of begins at the same place', async () => {
  const cluster = new FakeCluster();
  const { client } = { client: cluster.client() };
  const options = { nextId: () => 1, place: 0, retryMs: 1 };
  const watcher = new Watcher(client, { request: watchRequest('a'), ...options });
  cluster.disconnect();
  await settle();
  assert.deepEqual(starts(cluster), [0, 0]);
  watcher.stop();
  assert.equal(cluster.streams.size, 0);
});

test('what is compacted begins anew as another watcher', async () => {
  const { cluster } = await watching({ startRevision: 1 });
  cluster.story.put('a', '1');
  cluster.story.put('a', '2');
  cluster.story.compact(3);
  cluster.cancelCompacted(3);
  await settle();
  const ids = cluster.story.history.watches.map(({ watcherId }) => watcherId);
  assert.deepEqual(ids, [0, 1]);
  assert.deepEqual(starts(cluster), [1, 3]);
  assert.deepEqual(violations(cluster), []);
});

test('or gives up, or begins where it is told to', async () => {
  const givesUp = await watching({ startRevision: 1 }, { onCompacted: async () => undefined });
  givesUp.cluster.cancelCompacted(3);
  await settle();
  assert.deepEqual(starts(givesUp.cluster), [1]);
  const relists = await watching({ startRevision: 1 }, { onCompacted: async () => 7 });
  relists.cluster.cancelCompacted(3);
  await settle();
  assert.deepEqual(starts(relists.cluster), [1, 7]);
});

test('stopped, or at the end of a run, it does not come back', async () => {
  const stopped = await watching();
  stopped.watcher.stop();
  stopped.watcher.move(1);
  await settle();
  assert.deepEqual(starts(stopped.cluster), [0]);
  const ending = await watching();
  ending.cluster.stopping = true;
  ending.cluster.disconnect();
  await settle();
  assert.deepEqual(starts(ending.cluster), [0]);
});
