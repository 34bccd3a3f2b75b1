/** Old fault: a watch that starts at a revision still to come is given events, or progress, below it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from './support/cluster.js';
import { LocalWatch } from './support/local-watch.js';
import { lagUntilSnapshot } from './support/snapshot.js';
import { numbers } from './support/watch-tape.js';

test('a watch of the future is silent until its revision has come', () =>
  Cluster.run(
    1,
    async ({ stores: [store] }) => {
      const start = store!.revision + 50;
      const watch = new LocalWatch(store!);
      watch.create({ startRevision: start, progressNotify: true });
      watch.create({ startRevision: start + 5, key: 'k', rangeEnd: '' });
      while (store!.revision < start - 1) {
        await store!.put('k', 'early');
        watch.requestProgress();
      }
      assert.deepEqual(
        watch.responses.map(({ created }) => created),
        [true, true],
      );
      for (let i = 0; i < 10; i++) await store!.put('k', 'due');
      assert.deepEqual(watch.revisions(0n), numbers(start, start + 9));
      assert.deepEqual(watch.revisions(1n), numbers(start + 5, start + 9));
      watch.requestProgress();
      assert.deepEqual(watch.progress(), [start + 9]);
    },
    { watchProgressNotifyMs: 100 },
  ));

test('nor does a reader that had stopped, or a snapshot, bring it old events', () =>
  lagUntilSnapshot(async ({ lagging, writer, revision, catchUp }) => {
    const start = revision + 200;
    const watch = new LocalWatch(lagging);
    watch.create({ startRevision: start });
    watch.create({ startRevision: start, key: 'k', rangeEnd: '' });
    watch.stopReading();
    await catchUp(100);
    assert.ok(writer.revision < start);
    watch.readOn();
    while (writer.revision < start + 5) await writer.put('k', 'v');
    for (const id of [0n, 1n]) {
      await watch.reaches(id, start + 5);
      assert.deepEqual(watch.revisions(id), numbers(start, start + 5));
    }
  }));
