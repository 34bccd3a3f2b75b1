/**
 * Old fault: a progress notification at revision R reaches the client before events at or below R, so
 * that a client which resumes after R never sees them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from './support/cluster.js';
import { turns } from './support/eventually.js';
import { LocalWatch } from './support/local-watch.js';
import { assertNoProgressAheadOfEvents } from './support/watch-tape.js';

test('a progress request while a watch of the stream reads history is not answered ahead of it', () =>
  Cluster.run(1, async ({ stores: [store] }) => {
    for (let i = 0; i < 20; i++) await store!.put('k', String(i));
    const watch = new LocalWatch(store!);
    for (let round = 0; round < 100; round++) {
      watch.create();
      watch.create({ startRevision: 2 });
      watch.requestProgress();
      await turns(round % 4);
      watch.requestProgress();
      await store!.put('k', 'more');
      watch.requestProgress();
    }
    await watch.reaches(199n, store!.revision);
    watch.requestProgress();
    assert.equal(watch.progress().at(-1), store!.revision);
    assertNoProgressAheadOfEvents(watch);
  }));

test('neither answers nor periodic notifications pass a reader that is behind', () =>
  Cluster.run(
    1,
    async ({ stores: [store] }) => {
      const watch = new LocalWatch(store!);
      watch.create({ key: 'k', rangeEnd: '', progressNotify: true });
      watch.create({ key: 'quiet', rangeEnd: '', progressNotify: true });
      for (let i = 0; i < 200; i++) {
        if (i % 10 === 0) watch.stopReading();
        await store!.put('k', String(i));
        watch.requestProgress();
        if (i % 10 === 5) watch.readOn();
        await turns(i % 3);
      }
      watch.readOn();
      await watch.reaches(0n, store!.revision);
      await watch.reportsProgress(1n, store!.revision);
      assertNoProgressAheadOfEvents(watch);
    },
    { watchProgressNotifyMs: 100 },
  ));
