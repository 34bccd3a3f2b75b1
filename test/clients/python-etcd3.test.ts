/**
 * Debian's package python3-etcd3. Skipped where it is not installed; with KVORUM_REQUIRE_CLIENTS=1 it
 * must be.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServer } from './server.js';

/** Debian's own: its packages are not on the path of another. */
const PYTHON = '/usr/bin/python3';
const SUITE = fileURLToPath(new URL('../../../test/clients/python/suite.py', import.meta.url));

function skipReason(): string | false {
  const found = spawnSync(PYTHON, ['-c', 'import etcd3']).status === 0;
  if (found) return false;
  const reason = `${PYTHON} has no module etcd3 (package python3-etcd3)`;
  if (process.env.KVORUM_REQUIRE_CLIENTS === '1') throw new Error(reason);
  return reason;
}

test('python3-etcd3 works', { skip: skipReason(), timeout: 60_000 }, async () => {
  const server = await startServer();
  try {
    const { stdout } = await promisify(execFile)(PYTHON, [SUITE, server.endpoint]);
    assert.deepEqual(stdout.trim().split('\n'), [
      'ok keys',
      'ok conditions',
      'ok watches',
      'ok compacted',
      'ok leases',
      'ok locks',
      'ok cluster',
    ]);
  } finally {
    await server.close();
  }
});
