import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventWindow } from '../../src/mvcc/event-window.js';
import type { Change } from '../../src/mvcc/write-txn.js';

const change = (value: string): Change => ({
  event: {
    type: 'put',
    kv: { key: '', createRevision: 1, modRevision: 1, version: 1, value, lease: 0n },
  },
  previous: undefined,
});

test('covers what was pushed since the restart, and gives it from any revision on', () => {
  const window = new EventWindow(10_000);
  window.restart(5);
  assert.deepEqual([window.covers(4), window.covers(5)], [false, true]);
  for (const revision of [5, 6, 8]) window.push({ revision, changes: [change('')] });
  const from = (revision: number, limit = 10) =>
    window.from(revision, limit).map((e) => e.revision);
  assert.deepEqual(from(5), [5, 6, 8]);
  assert.deepEqual(from(7), [8]);
  assert.deepEqual(from(9), []);
  assert.deepEqual(from(5, 2), [5, 6]);
});

test('drops the oldest when it is over its bytes, down to nothing', () => {
  const window = new EventWindow(1000);
  window.restart(2);
  for (let revision = 2; revision <= 12; revision++) {
    window.push({ revision, changes: [change('x'.repeat(50))] });
  }
  assert.deepEqual([window.covers(8), window.covers(9)], [false, true]);
  window.push({ revision: 13, changes: [change('x'.repeat(2000))] });
  assert.deepEqual([window.covers(13), window.covers(14)], [false, true]);
  window.push({ revision: 14, changes: [change('')] });
  assert.deepEqual(
    window.from(14, 10).map((e) => e.revision),
    [14],
  );
});
