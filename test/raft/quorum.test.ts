import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  majorityIndex,
  majorityVote,
  quorumIndex,
  quorumVote,
  type VoteResult,
} from '../../src/raft/quorum.js';

const voterSet = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 7 });
const toSet = (ids: number[]): Set<bigint> => new Set(ids.map(BigInt));
const indexes = fc.array(fc.nat(6), { minLength: 10, maxLength: 10 });
const votes = fc.array(fc.option(fc.boolean(), { nil: undefined }), {
  minLength: 10,
  maxLength: 10,
});

/** By definition: an index is reached when more than half of the voters have it. */
function slowMajorityIndex(voters: Set<bigint>, indexOf: (id: bigint) => number): number {
  for (let index = 6; index > 0; index--) {
    const reached = [...voters].filter((id) => indexOf(id) >= index).length;
    if (2 * reached > voters.size) return index;
  }
  return voters.size === 0 ? Infinity : 0;
}

/** By definition: try every way in which the open votes could still come in. */
function slowMajorityVote(
  voters: Set<bigint>,
  voteOf: (id: bigint) => boolean | undefined,
): VoteResult {
  const open = [...voters].filter((id) => voteOf(id) === undefined).length;
  const granted = [...voters].filter((id) => voteOf(id) === true).length;
  const wins = (extra: number): boolean => voters.size === 0 || 2 * (granted + extra) > voters.size;
  if (wins(0)) return 'won';
  return wins(open) ? 'pending' : 'lost';
}

test('the majority index is what its definition says', () => {
  fc.assert(
    fc.property(voterSet, indexes, (ids, values) => {
      const voters = toSet(ids);
      const indexOf = (id: bigint): number => values[Number(id)]!;
      const slow = slowMajorityIndex(voters, indexOf);
      assert.equal(majorityIndex(voters, indexOf), slow);
    }),
  );
});

test('the majority vote is what its definition says', () => {
  fc.assert(
    fc.property(voterSet, votes, (ids, values) => {
      const voters = toSet(ids);
      const voteOf = (id: bigint): boolean | undefined => values[Number(id)];
      assert.equal(majorityVote(voters, voteOf), slowMajorityVote(voters, voteOf));
    }),
  );
});

test('a joint quorum needs both halves (paper, section 6)', () => {
  fc.assert(
    fc.property(voterSet, voterSet, indexes, votes, (a, b, values, answers) => {
      const sets = { voters: toSet(a), votersOutgoing: toSet(b) };
      const indexOf = (id: bigint): number => values[Number(id)]!;
      const voteOf = (id: bigint): boolean | undefined => answers[Number(id)];
      const halves = [sets.voters, sets.votersOutgoing];
      const slowIndex = Math.min(...halves.map((half) => slowMajorityIndex(half, indexOf)));
      const results = halves.map((half) => slowMajorityVote(half, voteOf));
      const slowVote = results.includes('lost')
        ? 'lost'
        : results.includes('pending')
          ? 'pending'
          : 'won';
      assert.equal(quorumIndex(sets, indexOf), slowIndex);
      assert.equal(quorumVote(sets, voteOf), slowVote);
    }),
  );
});
