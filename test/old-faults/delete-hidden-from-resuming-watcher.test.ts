/**
 * Old fault: a watcher that resumes at revision N, just as the history up to N is compacted, never hears
 * of a delete at N: it is neither given the event nor told that it is too late.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Kvorum, open } from '../../src/embed/index.js';
import { eventually, turns } from './support/eventually.js';
import { LocalWatch } from './support/local-watch.js';

const ROUNDS_AT_DELETE = 1000;
const ROUNDS_BEFORE_DELETE = 300;

/** Starts both in the order and with the distance that `round` says; resolves when both are done. */
async function race(round: number, watch: () => void, compact: () => Promise<unknown>) {
  const distance = (round >> 1) % 5;
  if (round % 2 === 0) {
    watch();
    await turns(distance);
    await compact();
  } else {
    const compacted = compact();
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
  await race(round, resume, () => store.compact(revision));
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
  await race(round, resume, () => store.compact(revision));
  const ended = () => watch.of(0n).find(({ canceled }) => canceled);
  await eventually(() => watch.events(0n).length > 0 || ended());
  watch.close();
  const told = ended()?.compactRevision ?? watch.revisions(0n);
  assert.deepEqual(told, ended() ? revision : [revision - 1, revision], `round ${round}`);
}

async function repeat(
  rounds: number,
  one: (store: Kvorum, round: number) => Promise<void>,
): Promise<void> {
  const store = await open({ memory: true });
  try {
    for (let round = 0; round < rounds; round++) await one(store, round);
  } finally {
    await store.close();
  }
}

test(`a watch at a delete races the compaction there ${ROUNDS_AT_DELETE} times and gets the delete`, () =>
  repeat(ROUNDS_AT_DELETE, resumeAtDelete));

test(`a watch before a delete races the compaction there ${ROUNDS_BEFORE_DELETE} times: all events or compacted`, () =>
  repeat(ROUNDS_BEFORE_DELETE, resumeBeforeDelete));
