import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchEach } from '../../../src/sim/checkers/matching.js';

test('an earlier want gives way to a later one that has no choice', () => {
  assert.deepEqual(matchEach([['x', 'y'], ['x']]), ['y', 'x']);
  assert.deepEqual(matchEach([['x'], ['x']]), ['x', undefined]);
  assert.deepEqual(matchEach([[], ['x']]), [undefined, 'x']);
});

/** The most wants that can be met, by trying everything. */
function most(wants: readonly (readonly number[])[], taken: ReadonlySet<number>): number {
  const [first, ...rest] = wants;
  if (first === undefined) return 0;
  const served = first
    .filter((candidate) => !taken.has(candidate))
    .map((candidate) => 1 + most(rest, new Set(taken).add(candidate)));
  return Math.max(most(rest, taken), ...served);
}

test('as many are met as can be, nobody is given twice, and each gets one of its own', () => {
  const wants = fc.array(fc.uniqueArray(fc.nat(4), { maxLength: 4 }), { maxLength: 6 });
  fc.assert(
    fc.property(wants, (lists) => {
      const chosen = matchEach(lists);
      const given = chosen.filter((candidate) => candidate !== undefined);
      assert.equal(new Set(given).size, given.length);
      assert.equal(given.length, most(lists, new Set()));
      chosen.forEach((candidate, i) => {
        assert.ok(candidate === undefined || lists[i]!.includes(candidate));
      });
    }),
  );
});
