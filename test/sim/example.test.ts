import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const EXAMPLE = fileURLToPath(new URL('../../../examples/simulate.mjs', import.meta.url));

it('examples/simulate.mjs tests a program of its own through kvorum/sim', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kvorum-example-'));
  try {
    const page = join(folder, 'page.html');
    const { status, stdout, stderr } = spawnSync(process.execPath, [EXAMPLE, page], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.equal(stderr, '');
    assert.match(stdout, /^\d\d+ increments acknowledged/m);
    assert.match(stdout, /every promise was kept\n$/);
    assert.equal(status, 0);
    assert.match(readFileSync(page, 'utf8'), /Counting through a partition/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
