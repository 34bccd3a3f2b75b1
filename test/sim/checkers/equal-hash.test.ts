import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkEqualHash } from '../../../src/sim/checkers/equal-hash.js';
import { Story, header, promises } from './story.js';

function hash(story: Story, member: bigint, hash: number, revision: number, compact = -1): void {
  const id = story.begin('hashKv', { revision: 0 }, member);
  const response = {
    header: header(revision),
    hash,
    compactRevision: compact,
    hashRevision: revision,
  };
  story.end(id, { kind: 'ok', response });
}

test('equal-hash: hashes are compared at equal revision and compaction', () => {
  const story = new Story();
  hash(story, 1n, 11, 5);
  hash(story, 2n, 12, 6);
  hash(story, 2n, 13, 5, 3);
  hash(story, 3n, 11, 5);
  story.lose(story.begin('hashKv', { revision: 0 }, 3n));
  assert.deepEqual(checkEqualHash(story.history), []);
  hash(story, 3n, 99, 6);
  assert.deepEqual(promises(checkEqualHash(story.history)), ['equal-hash']);
  assert.match(checkEqualHash(story.history)[0]!.explanation, /member 3 has hash 99, member 2 12/);
});
