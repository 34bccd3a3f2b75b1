import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatDuration, parseDuration } from '../../../src/cli/go-text/duration.js';

describe('parseDuration', () => {
  const good: [string, bigint][] = [
    ['0', 0n],
    ['5s', 5_000_000_000n],
    ['.5s', 500_000_000n],
    ['1.s', 1_000_000_000n],
    ['-1.5h', -5_400_000_000_000n],
    ['1h2m3.5s', 3_723_500_000_000n],
    ['+250ms', 250_000_000n],
    ['1us2ns', 1002n],
    ['3\xc2\xb5s', 3000n],
    ['1.9ns', 1n],
  ];
  for (const [text, nanoseconds] of good) {
    test(text, () => assert.equal(parseDuration(text), nanoseconds));
  }

  const bad: [string, string][] = [
    ['', 'time: invalid duration ""'],
    ['x', 'time: invalid duration "x"'],
    ['-', 'time: invalid duration "-"'],
    ['.s', 'time: invalid duration ".s"'],
    ['5', 'time: missing unit in duration "5"'],
    ['1m5', 'time: missing unit in duration "1m5"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1S', 'time: unknown unit "S" in duration "1S"'],
    ['9999999h', 'time: invalid duration "9999999h"'],
  ];
  for (const [text, message] of bad) {
    test(`not ${JSON.stringify(text)}`, () =>
      assert.throws(() => parseDuration(text), { message }));
  }
});

describe('formatDuration', () => {
  const cases: [bigint, string][] = [
    [0n, '0s'],
    [999n, '999ns'],
    [1500n, '1.5\xc2\xb5s'],
    [4_532_812n, '4.532812ms'],
    [5_001_152_794n, '5.001152794s'],
    [120_000_000_000n, '2m0s'],
    [3_723_500_000_000n, '1h2m3.5s'],
    [-1_000_000n, '-1ms'],
  ];
  for (const [nanoseconds, text] of cases) {
    test(text, () => assert.equal(formatDuration(nanoseconds), text));
  }
});

test('a printed duration reads as itself', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(1n << 62n), max: 1n << 62n }), (nanoseconds) => {
      assert.equal(parseDuration(formatDuration(nanoseconds)), nanoseconds);
    }),
  );
});
