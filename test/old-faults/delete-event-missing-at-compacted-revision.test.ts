/**
 * Old fault: a watch from the compacted revision, which is allowed, does not get the delete that happened
 * at that very revision, because the compaction took the tombstone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Kvorum, open } from '../../src/embed/index.js';
import { LocalWatch } from './support/local-watch.js';
import { onDisk } from './support/on-disk.js';

/** What a watch of everything from `revision` on is given up to now, as one word an event. */
async function eventsFrom(store: Kvorum, revision: number): Promise<string[]> {
  const watch = new LocalWatch(store);
  watch.create({ startRevision: revision });
  await watch.reaches(0n, store.revision);
  watch.close();
  return watch.events(0n).map(({ type, kv }) => `${type} ${kv.key}@${kv.modRevision}`);
}

/** Deletes of one key and of a range, each followed by a compaction at it; [] when all is as it must be. */
async function deleteAndCompact(store: Kvorum): Promise<void> {
  for (const keys of [['a'], ['a', 'b', 'c'], ['a']]) {
    for (const key of keys) await store.put(key, 'v');
    const { revision: put } = store;
    const deleted = await store.deletePrefix('');
    assert.equal(deleted, keys.length);
    const revision = put + 1;
    await store.compact(revision);
    const expected = keys.map((key) => `delete ${key}@${revision}`);
    assert.deepEqual(await eventsFrom(store, revision), expected);
    await store.put('later', 'v');
    const later = `put later@${revision + 1}`;
    assert.deepEqual(await eventsFrom(store, revision), [...expected, later]);
    await store.deletePrefix('later');
  }
}

test('a watch from the compacted revision gets the delete that happened there', async () => {
  const store = await open({ memory: true });
  try {
    await deleteAndCompact(store);
  } finally {
    await store.close();
  }
});

test('also after the member was restarted', () =>
  onDisk(async (reopen) => {
    const store = await reopen();
    await store.put('a', 'v');
    await store.delete('a');
    const { revision } = store;
    await store.compact(revision);
    for (let starts = 0; starts < 2; starts++) {
      assert.deepEqual(await eventsFrom(await reopen(), revision), [`delete a@${revision}`]);
    }
  }));
