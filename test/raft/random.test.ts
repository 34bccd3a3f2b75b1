import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededRandom, randomTimeoutTicks } from '../../src/raft/random.js';

test('a seed fixes the sequence, and near seeds differ', () => {
  const draw = (seed: number): number[] => {
    const random = new SeededRandom(seed);
    return Array.from({ length: 5 }, () => random.uint32());
  };
  assert.deepEqual(draw(7), draw(7));
  assert.notDeepEqual(draw(7), draw(8));
  for (const value of draw(7)) assert.ok(Number.isInteger(value) && value >= 0 && value < 2 ** 32);
});

test('every bit of the words is set about half of the time', () => {
  const random = new SeededRandom(1);
  const counts = Array<number>(32).fill(0);
  for (let i = 0; i < 4000; i++) {
    const word = random.uint32();
    for (let bit = 0; bit < 32; bit++) counts[bit]! += (word >>> bit) & 1;
  }
  for (const count of counts) assert.ok(count > 1800 && count < 2200, `${counts}`);
});

test('election timeouts cover [T, 2T - 1] ticks (paper, section 5.2)', () => {
  const random = new SeededRandom(1);
  const seen = new Set<number>();
  for (let i = 0; i < 1000; i++) seen.add(randomTimeoutTicks(random, 10));
  assert.deepEqual(
    [...seen].toSorted((a, b) => a - b),
    [10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
  );
});
