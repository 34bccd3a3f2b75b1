/** Old fault: watchers of a member that catches up by a snapshot are given revisions they have had. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LocalWatch } from './support/local-watch.js';
import { lagUntilSnapshot } from './support/snapshot.js';
import { assertNoProgressAheadOfEvents, numbers } from './support/watch-tape.js';

test('watchers go on where they were: nothing twice, nothing left out', () =>
  lagUntilSnapshot(async ({ lagging, writer, revision, catchUp }) => {
    const watch = new LocalWatch(lagging);
    watch.create();
    watch.create({ key: 'k', rangeEnd: '', prevKv: true });
    watch.create({ startRevision: 2 });
    watch.requestProgress();
    for (let i = 0; i < 5; i++) await writer.put('k', `live ${i}`);
    await watch.reaches(0n, writer.revision);
    await catchUp(100);
    for (let i = 0; i < 5; i++) await writer.put('k', `live again ${i}`);
    for (const id of [0n, 1n, 2n]) {
      await watch.reaches(id, writer.revision);
      const first = id === 2n ? 2 : revision + 1;
      assert.deepEqual(watch.revisions(id), numbers(first, writer.revision), `watch ${id}`);
    }
    watch.requestProgress();
    assert.equal(watch.progress().at(-1), writer.revision);
    assertNoProgressAheadOfEvents(watch);
  }));

test('a watcher whose next revision the snapshot no longer has is told so', () =>
  lagUntilSnapshot(async ({ lagging, writer, revision, catchUp }) => {
    const watch = new LocalWatch(lagging);
    watch.create();
    let compacted = 0;
    await catchUp(100, async () => {
      compacted = writer.revision;
      await writer.compact(compacted);
    });
    const { compactRevision } = await watch.canceled(0n);
    assert.ok(revision + 1 < compacted);
    assert.equal(compactRevision, compacted);
    assert.deepEqual(watch.events(0n), []);
  }));
