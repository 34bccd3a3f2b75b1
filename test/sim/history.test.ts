/** The recorder, and what errors say about effects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Code, etcdError, statusError } from '../../src/api/index.js';
import { HistoryRecorder, outcomeOfError } from '../../src/sim/history.js';
import { putRequest, watchRequest } from '../../src/sim/workloads/requests.js';

test('operations are kept in order of their calls, open ones as unknown', () => {
  let nowMs = 5;
  const recorder = new HistoryRecorder(() => nowMs);
  const first = recorder.invoke('put', 1, 10n, putRequest('a', '1'));
  const second = recorder.invoke('put', 2, 20n, putRequest('b', '1'));
  nowMs = 9;
  recorder.complete<'put'>(second, { kind: 'ok', response: {} }, 3);
  const [open, done] = recorder.operations;
  assert.deepEqual([first, second], [0, 1]);
  assert.equal(open!.completed, undefined);
  assert.equal(open!.outcome.kind, 'unknown');
  assert.deepEqual(done, {
    kind: 'put',
    id: 1,
    clientId: 2,
    member: 20n,
    request: putRequest('b', '1'),
    invoked: { ms: 5, sequence: 1 },
    completed: { ms: 9, sequence: 2 },
    outcome: { kind: 'ok', response: {} },
    incarnation: 3,
  });
});

test('a watch collects its arrivals and ends once', () => {
  const recorder = new HistoryRecorder(() => 1);
  const watch = recorder.watch(1, 7, 10n, watchRequest('a'));
  const response = {
    watchId: 0n,
    created: true,
    canceled: false,
    compactRevision: 0,
    cancelReason: '',
    fragment: false,
    events: [],
  };
  watch.arrived(response);
  watch.ended('lost');
  watch.ended('client');
  assert.deepEqual(recorder.watches, [
    {
      id: 0,
      clientId: 1,
      watcherId: 7,
      member: 10n,
      request: watchRequest('a'),
      requested: { ms: 1, sequence: 0 },
      arrivals: [{ at: { ms: 1, sequence: 1 }, response }],
      ended: { at: { ms: 1, sequence: 2 }, why: 'lost' },
    },
  ]);
});

test('only a refusal that comes before any effect is one', () => {
  for (const name of [
    'noLeader',
    'leaseNotFound',
    'compacted',
    'requestTooManyRequests',
  ] as const) {
    assert.equal(outcomeOfError(etcdError(name)).kind, 'refused', name);
  }
  for (const name of ['timeout', 'leaderChanged', 'stopped', 'noSpace'] as const) {
    assert.equal(outcomeOfError(etcdError(name)).kind, 'unknown', name);
  }
  assert.equal(outcomeOfError(statusError(Code.unavailable, 'connection lost')).kind, 'unknown');
  assert.equal(outcomeOfError(new Error('?')).kind, 'unknown');
});
