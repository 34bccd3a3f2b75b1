import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { playTrace } from './support/trace-runner.js';

/** From dist/test/raft to the sources: the traces are not compiled. */
const directory = fileURLToPath(new URL('../../../test/raft/testdata/', import.meta.url));

for (const name of readdirSync(directory)) {
  test(`the conversation in ${name} goes as written`, () => {
    const path = directory + name;
    const written = readFileSync(path, 'utf8');
    const played = playTrace(written);
    if (process.env['REWRITE'] === '1') writeFileSync(path, played);
    else assert.equal(played, written);
  });
}
