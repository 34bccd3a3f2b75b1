import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IntervalMap } from '../../src/mvcc/interval-map.js';

/** Ascending. */
function at(map: IntervalMap<number>, point: string): number[] {
  const found: number[] = [];
  map.visitContaining(point, (value) => found.push(value));
  return found.sort(ascending);
}

function ascending(a: number, b: number): number {
  return a - b;
}

test('an interval holds its start and not its end', () => {
  const map = new IntervalMap<number>();
  map.add('b', 'd', 1);
  assert.deepEqual(
    ['a', 'b', 'b\0', 'c', 'd'].map((p) => at(map, p).length),
    [0, 1, 1, 1, 0],
  );
});

test('additions, deletions and questions in any order equal a plain list', () => {
  const point = fc.integer({ min: 0, max: 30 }).map((n) => String.fromCharCode(n));
  const change = fc.record({ from: point, to: point, value: fc.nat(3), add: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 150, size: 'max' }), (changes) => {
      const map = new IntervalMap<number>();
      const list = new Map<string, { from: string; to: string; value: number }>();
      for (const { from, to, value, add } of changes) {
        if (from >= to) continue;
        const name = JSON.stringify([from, to, value]);
        if (add) {
          map.add(from, to, value);
          list.set(name, { from, to, value });
        } else {
          map.delete(from, to, value);
          list.delete(name);
        }
      }
      for (let n = 0; n <= 31; n++) {
        const p = String.fromCharCode(n);
        const expected = [...list.values()].filter(({ from, to }) => from <= p && p < to);
        assert.equal(map.hasContaining(p), expected.length > 0);
        assert.deepEqual(at(map, p), expected.map(({ value }) => value).sort(ascending));
      }
    }),
    { numRuns: 100 },
  );
});

test('ten thousand intervals keep the tree low, also when they come in order', () => {
  const map = new IntervalMap<number>();
  const name = (i: number) => String(i).padStart(6, '0');
  for (let i = 0; i < 10_000; i++) map.add(name(i), name(i + 2), i);
  assert.ok(map.height <= 1.45 * Math.log2(10_002), `height ${map.height}`);
  assert.deepEqual(at(map, name(500)), [499, 500]);
  for (let i = 0; i < 9_000; i++) map.delete(name(i), name(i + 2), i);
  assert.ok(map.height <= 1.45 * Math.log2(1_002), `height ${map.height}`);
  assert.deepEqual(at(map, name(9_500)), [9499, 9500]);
});
