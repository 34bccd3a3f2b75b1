import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Inflights } from '../../src/raft/inflights.js';
import { Progress } from '../../src/raft/progress.js';

function progress(match: number, next: number): Progress {
  const made = new Progress(next, new Inflights(2, 0));
  made.match = match;
  return made;
}

test('probing pauses after one append with entries, not after an empty one', () => {
  const member = progress(0, 5);
  member.sentEntries(0, 0);
  assert.equal(member.isPaused(), false);
  member.sentEntries(3, 30);
  assert.equal(member.isPaused(), true);
  assert.equal(member.next, 5);
});

test('replicating runs ahead until the window is full', () => {
  const member = progress(4, 5);
  member.becomeReplicate();
  member.sentEntries(3, 30);
  assert.deepEqual([member.next, member.isPaused()], [8, false]);
  member.sentEntries(1, 10);
  assert.deepEqual([member.next, member.isPaused()], [9, true]);
});

test('an acknowledgement moves match forward only, and next behind it', () => {
  const member = progress(4, 5);
  assert.equal(member.maybeUpdate(4), false);
  assert.equal(member.maybeUpdate(7), true);
  assert.deepEqual([member.match, member.next], [7, 8]);
});

test('a refusal while probing moves next to the hint, but not for an old probe nor below match', () => {
  const member = progress(2, 10);
  assert.equal(member.maybeDecreaseTo(7, 1), false);
  assert.equal(member.maybeDecreaseTo(9, 5), true);
  assert.equal(member.next, 6);
  assert.equal(member.maybeDecreaseTo(5, 0), true);
  assert.equal(member.next, 3);
});

test('a refusal while replicating falls back to match, unless what it refuses is known to match', () => {
  const member = progress(4, 5);
  member.becomeReplicate();
  member.sentEntries(3, 30);
  assert.equal(member.maybeDecreaseTo(4, 4), false);
  assert.equal(member.maybeDecreaseTo(6, 6), true);
  assert.equal(member.next, 5);
});

test('a snapshot stops everything; after it probing begins behind it', () => {
  const member = progress(4, 5);
  member.becomeSnapshot(20);
  assert.deepEqual([member.isPaused(), member.next], [true, 21]);
  member.becomeProbe();
  assert.deepEqual([member.isPaused(), member.next, member.pendingSnapshot], [false, 21, 0]);
});

test('a snapshot that failed leaves the member where it was', () => {
  const member = progress(4, 5);
  member.becomeSnapshot(20);
  member.pendingSnapshot = 0;
  member.becomeProbe();
  assert.equal(member.next, 5);
});

test('the commit index is news only if it was not sent and the member has entries to commit', () => {
  const member = progress(4, 5);
  assert.equal(member.canBumpCommit(3), true);
  member.sentCommit = 3;
  assert.equal(member.canBumpCommit(3), false);
  assert.equal(member.canBumpCommit(9), true);
  member.sentCommit = 4;
  assert.equal(member.canBumpCommit(9), false);
});
