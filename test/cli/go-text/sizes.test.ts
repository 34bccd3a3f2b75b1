import assert from 'node:assert/strict';
import { test } from 'node:test';
import { humanizeBytes } from '../../../src/cli/go-text/sizes.js';

const cases: [number, string][] = [
  [0, '0 B'],
  [9, '9 B'],
  [10, '10 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [20480, '20 kB'],
  [24576, '25 kB'],
  [9950, '10 kB'],
  [65536, '66 kB'],
  [1_000_000, '1.0 MB'],
  [2_147_483_648, '2.1 GB'],
  [8_589_934_592, '8.6 GB'],
  [1e15, '1.0 PB'],
];
for (const [bytes, text] of cases) {
  test(`${bytes} is ${text}`, () => assert.equal(humanizeBytes(bytes), text));
}
