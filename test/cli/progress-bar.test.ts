import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgressBar, barText } from '../../src/cli/progress-bar.js';

test('a bar fills from left to right', () => {
  assert.equal(barText(0, 1000), `[>${' '.repeat(29)}]   0%  0 B of 1.0 kB`);
  assert.equal(barText(500, 1000), `[${'='.repeat(15)}>${' '.repeat(14)}]  50%  500 B of 1.0 kB`);
  assert.equal(barText(1000, 1000), `[${'='.repeat(30)}] 100%  1.0 kB of 1.0 kB`);
  assert.match(barText(0, 0), /100%/);
});

test('it is drawn ten times a second at most, and leaves an empty line', () => {
  let now = 0n;
  const drawn: string[] = [];
  const bar = new ProgressBar(
    (text) => drawn.push(text),
    () => now,
  );
  bar.clear();
  assert.equal(drawn.length, 0);
  for (now = 0n; now < 1_000_000_000n; now += 10_000_000n) bar.show(1, 2);
  assert.equal(drawn.length, 10);
  assert.ok(drawn.every((text) => text.startsWith('\r\x1b[K[')));
  bar.clear();
  assert.equal(drawn.at(-1), '\r\x1b[K');
});
