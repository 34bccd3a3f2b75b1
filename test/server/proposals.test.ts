import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etcdError } from '../../src/api/index.js';
import { Proposals } from '../../src/server/proposals.js';
import { ManualClock } from './manual-clock.js';

function setUp() {
  const clock = new ManualClock();
  const proposals = new Proposals(clock, 7000, () => 'timeoutDueToLeaderFail');
  return { clock, proposals };
}

test('a caller gets what applying its entry came to', async () => {
  const { proposals } = setUp();
  const first = proposals.wait(1n, Uint8Array.of(1));
  const second = proposals.wait(2n, Uint8Array.of(2));
  proposals.finish(2n, { error: etcdError('leaseNotFound') });
  proposals.finish(1n, { value: 'done' });
  assert.equal(await first.result, 'done');
  await assert.rejects(second.result, { name: 'leaseNotFound' });
});

test('the result of an entry that nobody waits for goes nowhere', () => {
  const { proposals } = setUp();
  proposals.finish(9n, { value: 'another member asked' });
  assert.equal(proposals.count, 0);
});

test('a proposal that raft took times out with the cause, one that it never took with the bare deadline', async () => {
  const { clock, proposals } = setUp();
  const taken = proposals.wait(1n, Uint8Array.of(1));
  const untaken = proposals.wait(2n, Uint8Array.of(2));
  taken.takenInTerm = 2;
  clock.advance(7000);
  proposals.expire();
  await assert.rejects(taken.result, { name: 'timeoutDueToLeaderFail' });
  await assert.rejects(untaken.result, { name: 'contextDeadlineExceeded' });
});

test("what an earlier leader took fails when the new leader's first entry is applied", async () => {
  const { proposals } = setUp();
  const old = proposals.wait(1n, Uint8Array.of(1));
  const current = proposals.wait(2n, Uint8Array.of(2));
  const untaken = proposals.wait(3n, Uint8Array.of(3));
  old.takenInTerm = 4;
  current.takenInTerm = 5;
  proposals.newTermApplied(5);
  await assert.rejects(old.result, { name: 'timeoutDueToLeaderFail' });
  assert.ok(!current.settled && !untaken.settled);
  proposals.finish(2n, { value: 'done' });
  proposals.finish(3n, { value: 'later' });
  assert.deepEqual(await Promise.all([current.result, untaken.result]), ['done', 'later']);
});

test('before its time is over a proposal stays', () => {
  const { clock, proposals } = setUp();
  const proposal = proposals.wait(1n, Uint8Array.of(1));
  clock.advance(6999);
  proposals.expire();
  assert.ok(!proposal.settled);
});

test('an entry that comes back to its proposer need not be decoded, one that only looks like it must', () => {
  const { proposals } = setUp();
  const op = { kind: 'leaseRevoke', request: { id: 7n } } as const;
  const request = { id: 1n, username: '', authRevision: 0, op };
  const data = Uint8Array.of(1, 2, 3);
  void proposals.wait(1n, data, request);
  assert.equal(proposals.requestOf(data), request);
  assert.equal(proposals.requestOf(data.slice()), undefined);
  proposals.finish(1n, { value: 'done' });
  assert.equal(proposals.requestOf(data), undefined);
});
