import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyIndex } from '../../src/mvcc/key-index.js';
import { ValueCache } from '../../src/mvcc/value-cache.js';

const index = (i: number) => KeyIndex.created(`k${i}`, i + 2, 0, 0n);

test('what was cached first goes first', () => {
  const cache = new ValueCache(3 * 200);
  const all = [0, 1, 2, 3].map(index);
  for (const one of all) cache.set(one, 'x'.repeat(72));
  assert.deepEqual(
    all.map(({ value }) => value?.length),
    [undefined, 72, 72, 72],
  );
  assert.equal(cache.bytes, 600);
});

test('a value bigger than the cache is not kept', () => {
  const cache = new ValueCache(500);
  const one = index(0);
  cache.set(one, 'x'.repeat(1000));
  assert.equal(one.value, undefined);
  assert.equal(cache.bytes, 0);
});

test('the bound holds and nothing is charged for ever, whatever is set and forgotten', () => {
  const move = fc.record({ at: fc.nat(9), size: fc.nat(400), forget: fc.boolean() });
  fc.assert(
    fc.property(fc.array(move, { maxLength: 200, size: 'max' }), (moves) => {
      const cache = new ValueCache(2000);
      const all = Array.from({ length: 10 }, (_, i) => index(i));
      for (const { at, size, forget } of moves) {
        if (forget) cache.forget(all[at]!);
        else cache.set(all[at]!, 'x'.repeat(size));
        const held = all.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
        assert.ok(
          cache.bytes <= 2000 && held <= cache.bytes,
          `${held} held, ${cache.bytes} charged`,
        );
      }
      // Many small ones push out every slot there was.
      const fresh = Array.from({ length: 100 }, (_, i) => index(100 + i));
      for (const one of fresh) cache.set(one, '');
      assert.equal(cache.bytes, 128 * fresh.filter(({ value }) => value !== undefined).length);
      assert.ok(all.every(({ value }) => value === undefined));
    }),
  );
});
