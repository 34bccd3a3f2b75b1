import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asV2, changeConfiguration } from '../../../src/raft/membership/conf-change.js';
import {
  configurationFrom,
  confStateOf,
  isJoint,
} from '../../../src/raft/membership/configuration.js';
import {
  ConfChangeTransition,
  ConfChangeType,
  type ConfChangeV2,
  type ConfState,
} from '../../../src/raft/message.js';
import { describeConf } from '../simulation/checker.js';
import { NO_DATA, change } from '../support/conf-change-data.js';
import { confOf } from '../support/memory-disk.js';

const { addNode, addLearnerNode, removeNode, updateNode } = ConfChangeType;
const { auto, jointImplicit, jointExplicit } = ConfChangeTransition;

/** Voters | outgoing voters | learners | next learners | auto-leave; undefined when refused. */
function after(from: ConfState, ...changes: ConfChangeV2[]): string | undefined {
  let configuration = configurationFrom(from);
  for (const one of changes) {
    const next = changeConfiguration(configuration, one);
    if (next === undefined) return undefined;
    configuration = next;
  }
  return describeConf(confStateOf(configuration));
}

const three = confOf([1n, 2n, 3n]);

test('one voter can be added or removed at a time (dissertation, section 4.1)', () => {
  assert.equal(after(three, change([[addNode, 4n]])), '1,2,3,4||||false');
  assert.equal(after(three, change([[removeNode, 2n]])), '1,3||||false');
  assert.equal(after(three, change([[removeNode, 9n]])), '1,2,3||||false');
});

test('learners come, are promoted, and voters are demoted (dissertation, section 4.2.1)', () => {
  const withLearner = confOf([1n, 2n, 3n], [4n]);
  assert.equal(after(three, change([[addLearnerNode, 4n]])), '1,2,3||4||false');
  assert.equal(after(withLearner, change([[addNode, 4n]])), '1,2,3,4||||false');
  assert.equal(after(three, change([[addLearnerNode, 3n]])), '1,2||3||false');
  assert.equal(after(withLearner, change([[removeNode, 4n]])), '1,2,3||||false');
});

test('node 0 and updates change nothing: how a change refused at apply is told to raft', () => {
  assert.equal(after(three, change([[addNode, 0n]])), '1,2,3||||false');
  assert.equal(after(three, change([[updateNode, 2n]])), '1,2,3||||false');
});

test('the last voter cannot be removed or demoted', () => {
  const one = confOf([1n]);
  assert.equal(after(one, change([[removeNode, 1n]])), undefined);
  assert.equal(after(one, change([[addLearnerNode, 1n]])), undefined);
  assert.equal(after(one, change([[removeNode, 1n]], jointExplicit)), undefined);
});

test('several changes go through a joint configuration (paper, section 6)', () => {
  const swap = change([
    [addNode, 4n],
    [removeNode, 1n],
  ]);
  assert.equal(after(three, swap), '2,3,4|1,2,3|||true');
  assert.equal(after(three, swap, change([])), '2,3,4||||false');
});

test('a transition can ask for a joint configuration, left by the leader or by hand', () => {
  const add = [[addNode, 4n]] as const;
  assert.equal(after(three, change(add, jointImplicit)), '1,2,3,4|1,2,3|||true');
  assert.equal(after(three, change(add, jointExplicit)), '1,2,3,4|1,2,3|||false');
  assert.equal(after(three, change([], jointExplicit)), '1,2,3|1,2,3|||false');
});

test('a voter that is demoted votes in the outgoing half until that is left', () => {
  const demote = change([[addLearnerNode, 3n]], jointExplicit);
  assert.equal(after(three, demote), '1,2|1,2,3||3|false');
  assert.equal(after(three, demote, change([])), '1,2||3||false');
});

test('while joint only leaving fits; while not, leaving does not', () => {
  const joint = change([[addNode, 4n]], jointExplicit);
  assert.equal(after(three, joint, change([[addNode, 5n]])), undefined);
  assert.equal(after(three, joint, joint), undefined);
  assert.equal(after(three, change([])), undefined);
});

test('the first voter of all can be added', () => {
  assert.equal(after(confOf([]), change([[addNode, 1n]])), '1||||false');
});

test('a single-step change is a change of one, without transition', () => {
  const single = { id: 7n, type: addNode, nodeId: 4n, context: NO_DATA };
  assert.deepEqual(asV2(single), change([[addNode, 4n]], auto));
});

const anyChange = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...Object.values(ConfChangeType)), fc.bigInt(0n, 6n)), {
      maxLength: 4,
    }),
    fc.constantFrom(...Object.values(ConfChangeTransition)),
  )
  .map(([changes, transition]) => change(changes, transition));

test('every configuration reached is sound, survives ConfState, and its quorums meet the next one’s', () => {
  fc.assert(
    fc.property(fc.array(anyChange, { maxLength: 12 }), (changes) => {
      let current = configurationFrom(confOf([1n, 2n, 3n]));
      for (const one of changes) {
        const next = changeConfiguration(current, one) ?? current;
        assert.ok(next.voters.size > 0);
        for (const id of next.learners) {
          assert.ok(!next.voters.has(id) && !next.votersOutgoing.has(id));
        }
        for (const id of next.learnersNext) {
          assert.ok(!next.voters.has(id) && next.votersOutgoing.has(id));
        }
        if (!isJoint(next)) assert.ok(next.learnersNext.size === 0 && !next.autoLeave);
        assert.ok(quorumsMeet(halves(current), halves(next)));
        assert.deepEqual(configurationFrom(confStateOf(next)), next);
        current = next;
      }
    }),
  );
});

type Halves = ReadonlySet<bigint>[];

function halves({ voters, votersOutgoing }: ReturnType<typeof configurationFrom>): Halves {
  return [voters, votersOutgoing].filter((half) => half.size > 0);
}

/** Brute force over all sets of members: no two disjoint ones are both quorums. */
function quorumsMeet(a: Halves, b: Halves): boolean {
  const ids = [1n, 2n, 3n, 4n, 5n, 6n];
  const isQuorum = (all: Halves, mask: number): boolean =>
    all.every((half) => {
      const present = [...half].filter((id) => (mask >> ids.indexOf(id)) & 1).length;
      return 2 * present > half.size;
    });
  for (let mask = 0; mask < 64; mask++) {
    if (isQuorum(a, mask) && isQuorum(b, 63 & ~mask)) return false;
  }
  return true;
}
