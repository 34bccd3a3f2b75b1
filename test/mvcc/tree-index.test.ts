import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyIndex } from '../../src/mvcc/key-index.js';
import { ABOVE_ALL_KEYS } from '../../src/mvcc/index.js';
import { TreeIndex } from '../../src/mvcc/tree-index.js';

function keysIn(tree: TreeIndex, from: string, to: string): string[] {
  const keys: string[] = [];
  tree.ascend(from, to, (index) => {
    keys.push(index.key);
    return true;
  });
  return keys;
}

/** Multiplication scatters, so that keys come in no order and every node splits in the middle too. */
function scattered(i: number, count: number): string {
  return String((i * 7919) % count).padStart(6, '0');
}

for (const [order, keyOf] of [
  ['ascending', (i: number) => String(i).padStart(6, '0')],
  ['descending', (i: number, count: number) => String(count - i).padStart(6, '0')],
  ['scattered', scattered],
] as const) {
  test(`ten thousand keys in ${order} order: found, counted, walked and taken out again`, () => {
    const count = 10_000;
    const tree = new TreeIndex();
    const all = Array.from({ length: count }, (_, i) =>
      KeyIndex.created(keyOf(i, count), i + 2, 0, 0n),
    );
    for (const index of all) tree.insert(index);
    tree.check();
    const sorted = all.map((index) => index.key).sort();
    assert.deepEqual(keysIn(tree, '', ABOVE_ALL_KEYS), sorted);
    assert.equal(tree.countLive(sorted[100]!, sorted[9000]!), 8900);
    assert.equal(tree.countLive(sorted[9000]!, sorted[100]!), 0);

    for (const index of all.slice(0, 5000)) {
      index.delete(count + 10, 0);
      tree.countLife(index, -1);
    }
    tree.check();
    assert.equal(tree.live, 5000);
    for (const index of all.slice(0, 5000)) tree.remove(index);
    tree.check();
    assert.equal(tree.size, 5000);
    assert.equal(tree.get(all[0]!.key), undefined);
    for (const index of all.slice(0, 5000)) {
      index.put(count + 11, 0, 0n);
      tree.insert(index);
    }
    tree.check();
    assert.deepEqual(keysIn(tree, '', ABOVE_ALL_KEYS), sorted);
  });
}

test('a tree emptied is as good as new', () => {
  const tree = new TreeIndex();
  const all = Array.from({ length: 300 }, (_, i) =>
    KeyIndex.created(scattered(i, 300), i + 2, 0, 0n),
  );
  for (const index of all) tree.insert(index);
  for (const index of all) {
    index.delete(1000, 0);
    tree.countLife(index, -1);
    tree.remove(index);
    tree.check();
  }
  assert.equal(tree.size, 0);
  tree.insert(KeyIndex.created('x', 2000, 0, 0n));
  assert.deepEqual(keysIn(tree, '', ABOVE_ALL_KEYS), ['x']);
});

test('ranges and counts equal those of a sorted list', () => {
  const key = fc
    .uint8Array({ maxLength: 3 })
    .map((b) => Buffer.from(b.map((x) => x % 7)).toString('latin1'));
  fc.assert(
    fc.property(
      fc.uniqueArray(key, { maxLength: 300, size: 'max' }),
      key,
      key,
      (keys, from, to) => {
        const tree = new TreeIndex();
        for (const [i, k] of keys.entries()) tree.insert(KeyIndex.created(k, i + 2, 0, 0n));
        tree.check();
        const expected = keys.filter((k) => from <= k && k < to).sort();
        assert.deepEqual(keysIn(tree, from, to), expected);
        assert.equal(tree.countLive(from, to), expected.length);
        for (const k of keys) assert.equal(tree.get(k)!.key, k);
      },
    ),
    { numRuns: 60 },
  );
});

test('a walk stops when told', () => {
  const tree = new TreeIndex();
  for (let i = 0; i < 500; i++) tree.insert(KeyIndex.created(scattered(i, 500), i + 2, 0, 0n));
  let seen = 0;
  tree.ascend('', ABOVE_ALL_KEYS, () => ++seen < 130);
  assert.equal(seen, 130);
});
