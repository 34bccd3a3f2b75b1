import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkProgressAfterHeal,
  type ProgressQuestion,
} from '../../../src/sim/checkers/progress-after-heal.js';
import type { NodeView } from '../../../src/sim/checkers/world-view.js';
import { putRequest, rangeRequest } from '../../../src/sim/workloads/requests.js';
import { Story } from './story.js';

const QUESTION: ProgressQuestion = {
  healedMs: 100,
  boundMs: 1000,
  members: [1n, 2n],
  committedAtHeal: 5,
};

function node(id: bigint, fields: Partial<NodeView> = {}): NodeView {
  return { id, role: 'follower', term: 3, appliedIndex: 5, ...fields } as NodeView;
}

const NODES = [node(1n, { role: 'leader' }), node(2n)];

/** Both members are asked at `atMs`, twice. */
function asked(atMs: number): Story {
  const story = new Story();
  for (const member of [1n, 2n]) {
    story.nowMs = atMs;
    story.do('put', putRequest('probe', `${member}`), member);
    story.do('range', rangeRequest('probe'), member);
  }
  return story;
}

test('answers in time, one leader and nobody behind are progress', () => {
  assert.deepEqual(checkProgressAfterHeal(asked(200).history, NODES, QUESTION), []);
});

function explanations(story: Story, nodes: readonly NodeView[] = NODES): string[] {
  const violations = checkProgressAfterHeal(story.history, nodes, QUESTION);
  assert.ok(violations.every(({ promise }) => promise === 'progress-after-heal'));
  return violations.map(({ explanation }) => explanation);
}

test('answers before the heal or after the bound are none', () => {
  assert.equal(explanations(asked(50)).length, 4);
  assert.equal(explanations(asked(1100)).length, 4);
});

test('a member that answers only one kind, or serializable reads', () => {
  const story = asked(200);
  const none = new Story();
  none.nowMs = 200;
  none.do('put', putRequest('probe', '1'), 1n);
  none.do('range', rangeRequest('probe', { serializable: true }), 1n);
  assert.deepEqual(explanations(story), []);
  assert.match(explanations(none).join(), /member 1 has not answered a linearizable read/);
  assert.match(explanations(none).join(), /member 2 has not answered a put/);
});

test('no leader, or two', () => {
  const story = asked(200);
  assert.match(explanations(story, [node(1n), node(2n)]).join(), /0 nodes lead in term 3/);
  const two = NODES.map((one) => ({ ...one, role: 'leader' as const }));
  assert.match(explanations(story, two).join(), /2 nodes lead in term 3/);
  const old = [node(1n, { role: 'leader', term: 4 }), node(2n, { role: 'leader', term: 3 })];
  assert.deepEqual(explanations(story, old), []);
});

test('a node that has not caught up', () => {
  const nodes = [NODES[0]!, node(2n, { appliedIndex: 4 })];
  assert.match(explanations(asked(200), nodes).join(), /node 2 has applied 4 of 5/);
});
