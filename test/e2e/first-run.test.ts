/**
 * What a newcomer does: clone, `npm start`, put and get. Takes a minute and the package registry, and
 * runs only with KVORUM_FIRST_RUN=1.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { root } from './support/binaries.js';
import { Child, run } from './support/child.js';
import { Client } from './support/client.js';
import { tempDir } from './support/temp-dir.js';

const skip = process.env.KVORUM_FIRST_RUN !== '1' && 'set KVORUM_FIRST_RUN=1 to run it';
const servesWithinMs = 60_000;

test('git clone and npm start serve on 127.0.0.1:2379', { skip, timeout: 120_000 }, async (t) => {
  const clone = join(tempDir(), 'kvorum');
  const cloned = await run('git', ['clone', '--quiet', root, clone]);
  assert.equal(cloned.exit?.code, 0, cloned.describe());

  const begunMs = performance.now();
  const npm = new Child('npm', ['start'], { cwd: clone, group: true });
  const client = new Client('127.0.0.1:2379');
  after(async () => {
    client.close();
    npm.kill('SIGTERM');
    await npm.until(() => npm.exit !== undefined, 10_000, 'end of npm start');
  });
  const ready = () => npm.stderr.includes('"msg":"ready to serve client requests"');
  await npm.until(ready, servesWithinMs, 'readiness after npm start');
  t.diagnostic(`it served after ${Math.round(performance.now() - begunMs)} ms`);

  await client.connected();
  await client.put('hello', 'world');
  assert.equal((await client.range('hello')).kvs[0]?.value, 'world');
});
