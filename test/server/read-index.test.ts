import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadIndex } from '../../src/server/read-index.js';
import { isEtcdError } from '../../src/api/index.js';
import { ManualClock } from './manual-clock.js';

function setUp({ hasLeader = true } = {}) {
  const clock = new ManualClock();
  const asked: Uint8Array[] = [];
  let id = 0n;
  const state = { applied: 0, hasLeader };
  const reads = new ReadIndex({
    clock,
    timeoutMs: 7000,
    nextId: () => ++id,
    appliedIndex: () => state.applied,
    request: (context) => {
      asked.push(context);
      return state.hasLeader;
    },
  });
  const outcomes: string[] = [];
  const read = (name: string) =>
    reads.wait().then(
      () => outcomes.push(name),
      (error) => outcomes.push(`${name}: ${isEtcdError(error) ? error.name : String(error)}`),
    );
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { clock, asked, reads, read, outcomes, settle, state };
}

test('all reads of a turn share one round', async () => {
  const { clock, asked, reads, read, outcomes, settle } = setUp();
  void read('a');
  void read('b');
  clock.runTurns();
  assert.equal(asked.length, 1);
  reads.confirmed(asked[0]!, 0);
  await settle();
  assert.deepEqual(outcomes, ['a', 'b']);
});

test('a read that comes while a round is under way waits for the next: its index may be newer', async () => {
  const { clock, asked, reads, read, outcomes, settle } = setUp();
  void read('early');
  clock.runTurns();
  void read('late');
  clock.runTurns();
  assert.equal(asked.length, 1);
  reads.confirmed(asked[0]!, 0);
  await settle();
  assert.deepEqual(outcomes, ['early']);
  clock.runTurns();
  reads.confirmed(asked[1]!, 0);
  await settle();
  assert.deepEqual(outcomes, ['early', 'late']);
});

test('a confirmed read waits until the index is applied', async () => {
  const { clock, asked, reads, read, outcomes, settle, state } = setUp();
  void read('a');
  clock.runTurns();
  reads.confirmed(asked[0]!, 5);
  reads.applied(4);
  await settle();
  assert.deepEqual(outcomes, []);
  state.applied = 5;
  reads.applied(5);
  await settle();
  assert.deepEqual(outcomes, ['a']);
});

test('an unanswered request is repeated every 500 ms and either answer counts', async () => {
  const { clock, asked, reads, read, outcomes, settle } = setUp();
  void read('a');
  clock.advance(501);
  assert.equal(asked.length, 2);
  reads.confirmed(asked[0]!, 0);
  await settle();
  assert.deepEqual(outcomes, ['a']);
});

test('an answer to an older round confirms nothing', async () => {
  const { clock, asked, reads, read, outcomes, settle } = setUp();
  void read('a');
  clock.runTurns();
  reads.confirmed(asked[0]!, 0);
  await settle();
  void read('b');
  clock.runTurns();
  reads.confirmed(asked[0]!, 0);
  await settle();
  assert.deepEqual(outcomes, ['a']);
});

test('without an answer reads time out', async () => {
  const { clock, read, outcomes, settle } = setUp();
  void read('a');
  clock.advance(7501);
  await settle();
  assert.deepEqual(outcomes, ['a: timeout']);
});

test('a leader change fails the reads that the old leader was asked for', async () => {
  const { clock, reads, read, outcomes, settle } = setUp();
  void read('a');
  clock.runTurns();
  reads.leaderChanged();
  await settle();
  assert.deepEqual(outcomes, ['a: leaderChanged']);
});

test('a leader that appears is asked at once', async () => {
  const { clock, asked, reads, read, outcomes, settle, state } = setUp({ hasLeader: false });
  void read('a');
  clock.runTurns();
  state.hasLeader = true;
  reads.leaderChanged();
  assert.equal(asked.length, 2);
  reads.confirmed(asked[1]!, 0);
  await settle();
  assert.deepEqual(outcomes, ['a']);
});
