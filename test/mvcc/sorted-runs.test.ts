import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyIndex } from '../../src/mvcc/key-index.js';
import { SortedRuns } from '../../src/mvcc/sorted-runs.js';

for (const count of [0, 1, 19_999, 20_000, 20_001, 130_007]) {
  test(`${count} keys added in no order come back in order`, () => {
    const runs = new SortedRuns();
    const keyOf = (i: number) => String((i * 48_271) % 130_007).padStart(6, '0');
    const keys = Array.from({ length: count }, (_, i) => keyOf(i));
    keys.forEach((key, i) => runs.add(KeyIndex.created(key, i + 2, 0, 0n)));
    const ordered = Array.from(runs.inOrder(), (index) => index.key);
    assert.deepEqual(ordered, keys.sort());
  });
}
