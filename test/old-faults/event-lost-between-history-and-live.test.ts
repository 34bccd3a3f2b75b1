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
import { numbers } from './support/watch-tape.js';

/** Puts a key `count` times, one put after the other, with `between` after each. */
async function write(store: Kvorum, count: number, between: (i: number) => unknown): Promise<void> {
  for (let i = 0; i < count; i++) {
    await store.put('k', String(i));
    await between(i);
  }
}

test('watches that begin in the past while writes go on get every event once', () =>
  Cluster.run(1, async ({ stores: [store] }) => {
    const first = store!.revision + 1;
    await write(store!, 50, () => {});
    const watch = new LocalWatch(store!);
    await write(store!, 200, (i) => {
      // As many turns pass after the creation as the catch-up may need, and fewer, and more.
      watch.create({ startRevision: first });
      return turns(i % 5);
    });
    const last = store!.revision;
    for (let id = 0; id < 200; id++) {
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
