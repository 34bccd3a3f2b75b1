/**
 * Old fault: a stream whose watches are new, and have had no event yet, never answers progress requests,
 * so that a client that waits for one to know how fresh it is waits for ever.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from './support/cluster.js';
import { eventually } from './support/eventually.js';
import { GrpcWatch } from './support/grpc-watch.js';
import { LocalWatch } from './support/local-watch.js';

test('a new watch without events answers the first progress request', () =>
  Cluster.run(1, async ({ stores: [store] }) => {
    await store!.put('other', 'v');
    const watch = await GrpcWatch.open(store!);
    watch.create({ key: 'quiet', rangeEnd: '' });
    watch.requestProgress();
    await eventually(() => watch.progress().length > 0);
    assert.deepEqual(watch.progress(), [store!.revision]);
    watch.close();
  }));

test('so does one that has read a history with nothing in it for it', () =>
  Cluster.run(1, async ({ stores: [store] }) => {
    for (let i = 0; i < 3000; i++) void store!.put('other', String(i));
    await store!.put('other', 'last');
    const watch = new LocalWatch(store!);
    watch.create({ key: 'quiet', rangeEnd: '', startRevision: 2 });
    await eventually(() => {
      watch.requestProgress();
      return watch.progress().length > 0;
    });
    assert.equal(watch.progress()[0], store!.revision);
  }));

test('and each further request is answered, also when nothing has happened', () =>
  Cluster.run(1, async ({ stores: [store] }) => {
    const watch = new LocalWatch(store!);
    watch.create({ key: 'quiet', rangeEnd: '' });
    for (let i = 0; i < 3; i++) watch.requestProgress();
    await store!.put('other', 'v');
    watch.requestProgress();
    const { revision } = store!;
    assert.deepEqual(watch.progress(), [revision - 1, revision - 1, revision - 1, revision]);
  }));

test('periodic notifications reach a quiet watch', () =>
  Cluster.run(
    1,
    async ({ stores: [store] }) => {
      const watch = new LocalWatch(store!);
      watch.create({ key: 'quiet', rangeEnd: '', progressNotify: true });
      const revision = await store!.put('other', 'v');
      await watch.reportsProgress(0n, revision);
    },
    { watchProgressNotifyMs: 100 },
  ));
