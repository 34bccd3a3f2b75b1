/**
 * Old fault: a watcher that resumes at revision N, just as the history up to N is compacted, never hears
 * of a delete at N: it is neither given the event nor told that it is too late.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kvorum } from '../../src/embed/index.js';
import { LOCAL_CALL } from '../../src/embed/local-call.js';
import { Cluster } from './support/cluster.js';
import { eventually, turns } from './support/eventually.js';
import { LocalWatch } from './support/local-watch.js';
import { onDisk } from './support/on-disk.js';
import { numbers } from './support/watch-tape.js';

const ROUNDS_AT_DELETE = 1000;
const ROUNDS_BEFORE_DELETE = 200;
const LONG_WATCHES = 10;

/**
 * Starts both, in the order and with the distance that `round` says; resolves when both are done. In every
 * third round the compaction is applied first, and its deletions may still be going on.
 */
async function race(store: Kvorum, round: number, revision: number, watch: () => void) {
  const compact = (physical: boolean) =>
    store.services.kv.compact({ revision, physical }, LOCAL_CALL);
  const distance = Math.floor(round / 3) % 5;
  if (round % 3 === 0) {
    watch();
    await turns(distance);
    await compact(true);
  } else {
    const compacted = compact(round % 3 === 1);
    if (round % 3 === 2) await compacted;
    await turns(distance);
    watch();
    await compacted;
  }
}

/** Resumes at a delete while the compaction there is under way; the delete must come. */
async function resumeAtDelete(store: Kvorum, round: number): Promise<void> {
  await store.put('k', String(round));
  await store.delete('k');
  const { revision } = store;
  const watch = new LocalWatch(store);
  const resume = () => watch.create({ key: 'k', rangeEnd: '', startRevision: revision });
  await race(store, round, revision, resume);
  const answered = () => watch.events(0n).length > 0 || watch.of(0n).some((r) => r.canceled);
  await eventually(answered);
  watch.close();
  const seen = watch.events(0n).map(({ type, kv }) => `${type} ${kv.modRevision}`);
  assert.deepEqual(seen, [`delete ${revision}`], `round ${round}`);
}

/** Resumes one before the delete while the compaction at the delete is under way: both events, or none. */
async function resumeBeforeDelete(store: Kvorum, round: number): Promise<void> {
  await store.put('k', String(round));
  await store.delete('k');
  const { revision } = store;
  const watch = new LocalWatch(store);
  const resume = () => watch.create({ key: 'k', rangeEnd: '', startRevision: revision - 1 });
  await race(store, round, revision, resume);
  const ended = () => watch.of(0n).find(({ canceled }) => canceled);
  await eventually(() => watch.events(0n).length > 0 || ended());
  watch.close();
  const told = ended()?.compactRevision ?? watch.revisions(0n);
  assert.deepEqual(told, ended() ? revision : [revision - 1, revision], `round ${round}`);
}

async function repeat(
  store: Kvorum,
  rounds: number,
  one: (store: Kvorum, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) await one(store, round);
}

test(`a watch at a delete races the compaction there ${ROUNDS_AT_DELETE} times and gets the delete`, () =>
  Cluster.run(1, ({ stores: [store] }) => repeat(store!, ROUNDS_AT_DELETE, resumeAtDelete)));

test(`a watch before a delete races the compaction there ${ROUNDS_BEFORE_DELETE} times: all events or compacted`, () =>
  onDisk(async (reopen) => repeat(await reopen(), ROUNDS_BEFORE_DELETE, resumeBeforeDelete)));

test('a long history that is being read while it is compacted comes whole, or ends as compacted', () =>
  onDisk(async (reopen) => {
    const store = await reopen();
    const start = store.revision + 1;
    await Promise.all(numbers(1, 3000).map((i) => store.put(`k${i % 10}`, 'v')));
    const last = store.revision;
    const watch = new LocalWatch(store);
    let compacted = 0;
    for (let id = 0; id < LONG_WATCHES; id++) {
      const startRevision = start + id * 200;
      watch.create({ startRevision });
      await turns(id % 7);
      if (id % 2 === 0) await store.compact(startRevision + 150);
      const answered = () => watch.of(BigInt(id)).at(-1)!;
      await eventually(() => answered().canceled || watch.revisions(BigInt(id)).at(-1) === last);
      const seen = watch.revisions(BigInt(id));
      assert.deepEqual(seen, numbers(startRevision, seen.at(-1) ?? 0), `watch ${id}`);
      if (answered().canceled) compacted++;
    }
    assert.ok(compacted < LONG_WATCHES, 'the compaction was always first');
  }));
