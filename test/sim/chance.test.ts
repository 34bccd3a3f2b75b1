import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChanceStreams } from '../../src/sim/chance.js';

const draws = (seed: number, name: string) => {
  const chance = new ChanceStreams(seed).stream(name);
  return Array.from({ length: 20 }, () => chance.uint32());
};

describe('streams of chance', () => {
  it('are the same for a seed and a name, and different for others', () => {
    assert.deepEqual(draws(7, 'a'), draws(7, 'a'));
    assert.notDeepEqual(draws(7, 'a'), draws(7, 'b'));
    assert.notDeepEqual(draws(7, 'a'), draws(8, 'a'));
  });

  it('never change: a seed is a promise', () => {
    assert.deepEqual(draws(7, 'faults').slice(0, 3), KNOWN);
  });

  it('draw whole numbers from the whole span, ends included', () => {
    const chance = new ChanceStreams(1).stream('span');
    const seen = new Set(Array.from({ length: 500 }, () => chance.integer(-2, 2)));
    assert.deepEqual(
      [...seen].sort((a, b) => a - b),
      [-2, -1, 0, 1, 2],
    );
  });

  it('let things happen as often as they should', () => {
    const chance = new ChanceStreams(1).stream('often');
    let count = 0;
    for (let i = 0; i < 10_000; i++) if (chance.happens(0.3)) count++;
    assert.ok(count > 2800 && count < 3200, `${count}`);
    assert.equal(chance.happens(0), false);
    assert.equal(chance.happens(1), true);
  });

  it('shuffle without losing anything', () => {
    const items = Array.from({ length: 50 }, (_, i) => i);
    const shuffled = new ChanceStreams(1).stream('shuffle').shuffle(items);
    assert.notDeepEqual(shuffled, items);
    assert.deepEqual(
      shuffled.toSorted((a, b) => a - b),
      items,
    );
  });
});

const KNOWN = [3672163623, 4129846697, 218685972];
