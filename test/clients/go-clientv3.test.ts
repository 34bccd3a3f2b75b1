/**
 * etcd's own Go client with its concurrency, mirror, namespace, leasing and ordering packages. Needs a
 * Go toolchain, and once the network for its modules; so only with KVORUM_GO_CLIENT=1.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServer } from './server.js';

const SOURCE = fileURLToPath(new URL('../../../test/clients/go', import.meta.url));
const skip = process.env.KVORUM_GO_CLIENT !== '1' && 'set KVORUM_GO_CLIENT=1 to build and run it';
const execute = promisify(execFile);

test("etcd's Go client works", { skip, timeout: 300_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kvorum-go-'));
  const server = await startServer();
  try {
    const program = join(folder, 'suite');
    await execute('go', ['build', '-o', program, '.'], { cwd: SOURCE });
    const { stdout } = await execute(program, [server.endpoint]);
    const names = stdout.trim().split('\n');
    assert.equal(names.length, 12);
    assert.ok(
      names.every((line) => line.startsWith('ok ')),
      stdout,
    );
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
});
