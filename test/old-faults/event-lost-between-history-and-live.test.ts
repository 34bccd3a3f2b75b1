/**
 * Old fault: a watcher that reads history loses an event that is written just as it becomes live, or is
 * given it twice. Every revision is an event here, so that a gap shows.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kvorum } from '../../src/embed/index.js';
import { Cluster } from './support/cluster.js';
import { turns } from './support/eventually.js';
import { LocalWatch } from './support/local-watch.js';
import { onDisk } from './support/on-disk.js';
import { numbers } from './support/watch-tape.js';

const WATCHES = 60;
const TURNS_PER_WATCH = 4;

/** Puts a key `count` times, one put after the other, with `between` after each. */
async function write(store: Kvorum, count: number, between: (i: number) => unknown): Promise<void> {
  for (let i = 0; i < count; i++) {
    await store.put('k', String(i));
    await between(i);
  }
}

test('watches that begin in the past while writes go on get every event once', () =>
  // On a disk: reading history takes several turns of the event loop there.
  onDisk(async (reopen) => {
    const store = await reopen();
    const first = store.revision + 1;
    await write(store, 20, () => {});
    const watch = new LocalWatch(store);
    const writes: Promise<unknown>[] = [];
    for (let i = 0; i < WATCHES; i++) {
      watch.create({ startRevision: first });
      // A write a turn, so that one falls between any two steps of the catch-up.
      for (let turn = 0; turn < TURNS_PER_WATCH; turn++) {
        writes.push(store.put('k', `${i}/${turn}`));
        await turns(1);
      }
      if (i % 3 === 0) await Promise.all(writes);
    }
    await Promise.all(writes);
    const last = store.revision;
    for (let id = 0; id < WATCHES; id++) {
      await watch.reaches(BigInt(id), last);
      assert.deepEqual(watch.revisions(BigInt(id)), numbers(first, last), `watch ${id}`);
    }
  }));

test('a reader that stops and goes on while writes go on gets every event once', () =>
  Cluster.run(1, async ({ stores: [store] }) => {
    const first = store!.revision + 1;
    const watch = new LocalWatch(store!);
    watch.create();
    await write(store!, 600, (i) => {
      if (i % 7 === 0) watch.stopReading();
      if (i % 7 === 3) watch.readOn();
      return turns(i % 3);
    });
    watch.readOn();
    await watch.reaches(0n, store!.revision);
    assert.deepEqual(watch.revisions(0n), numbers(first, store!.revision));
  }));
