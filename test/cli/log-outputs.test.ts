import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LogOutputs, parseLogOutputs } from '../../src/cli/log-outputs.js';
import { tempDir } from './support/temp-dir.js';

test('every file gets every line, behind what it had', async () => {
  const folder = tempDir();
  const [a, b] = [join(folder, 'a.log'), join(folder, 'b.log')];
  writeFileSync(b, 'before\n');
  const outputs = LogOutputs.open([a, b, a], () => '');
  outputs.write('one\n');
  outputs.write('two\n');
  assert.equal(await outputs.flush(5000), true);
  assert.equal(readFileSync(a, 'utf8'), 'one\ntwo\n');
  assert.equal(readFileSync(b, 'utf8'), 'before\none\ntwo\n');
});

test('what can’t be written to is refused', () => {
  const missing = join(tempDir(), 'no', 'x.log');
  assert.throws(() => LogOutputs.open([missing], () => ''), {
    message: `open ${missing}: no such file or directory`,
  });
  assert.throws(() => parseLogOutputs('a,,b'), /no log output/);
  assert.throws(() => parseLogOutputs('systemd/journal'), /not supported/);
  assert.deepEqual(parseLogOutputs('stdout, /x'), ['stdout', '/x']);
});
