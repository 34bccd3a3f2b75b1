import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { keyRange, prefixEnd } from '../../../src/cli/commands/key-range.js';

const plain = { prefix: false, fromKey: false };
const prefix = { prefix: true, fromKey: false };
const fromKey = { prefix: false, fromKey: true };

describe('keyRange', () => {
  test('a key, and a key with an end', () => {
    assert.deepEqual(keyRange(['k'], plain), { key: 'k', rangeEnd: '' });
    assert.deepEqual(keyRange(['k', 'm'], plain), { key: 'k', rangeEnd: 'm' });
    assert.deepEqual(keyRange(['k', 'm', 'x'], plain), { key: 'k', rangeEnd: 'm' });
    assert.deepEqual(keyRange([''], plain), { key: '', rangeEnd: '' });
  });

  test('prefixes and beginnings', () => {
    assert.deepEqual(keyRange(['k'], prefix), { key: 'k', rangeEnd: 'l' });
    assert.deepEqual(keyRange(['k'], fromKey), { key: 'k', rangeEnd: '\0' });
    assert.deepEqual(keyRange([''], prefix), { key: '\0', rangeEnd: '\0' });
    assert.deepEqual(keyRange([''], fromKey), { key: '\0', rangeEnd: '\0' });
  });

  test('contradictions are refused with exit code 128', () => {
    assert.throws(() => keyRange(['k', 'l'], prefix), { exitCode: 128 });
    assert.throws(() => keyRange(['k'], { prefix: true, fromKey: true }), { exitCode: 128 });
  });
});

describe('prefixEnd', () => {
  const cases: [string, string][] = [
    ['a', 'b'],
    ['a\xff', 'b'],
    ['a\xff\xff', 'b'],
    ['\xfe\xff', '\xff'],
    ['\xff\xff', '\0'],
    ['\n', '\x0b'],
  ];
  for (const [key, end] of cases) {
    test(JSON.stringify(key), () => assert.equal(prefixEnd(key), end));
  }

  const key = fc.uint8Array({ maxLength: 6 }).map((array) => Buffer.from(array).toString('latin1'));
  test('a key is in [prefix, end) exactly when it starts with the prefix', () => {
    fc.assert(
      fc.property(
        key.filter((text) => text !== ''),
        key,
        fc.boolean(),
        (start, other, joined) => {
          const candidate = joined ? start + other : other;
          const end = prefixEnd(start);
          const inRange = candidate >= start && (end === '\0' || candidate < end);
          assert.equal(inRange, candidate.startsWith(start));
        },
      ),
    );
  });
});
