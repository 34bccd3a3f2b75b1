/**
 * A slice of what `node dist/test/differential/main.js` does at length, against the first etcd found.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etcdInstallations, skipWithoutEtcd } from '../e2e/support/binaries.js';
import { search } from './support/search.js';

const skip = skipWithoutEtcd();
const [etcd] = etcdInstallations;
const timeout = 120_000;

test('random requests: every field of every answer is etcd’s', { skip, timeout }, async () => {
  const enough = ({ steps }: { steps: number }) => steps >= 500;
  const program = { path: etcd!.server, version: etcd!.version };
  const { findings } = await search({ etcd: program, what: 'requests', enough, seed: 1 });
  assert.deepEqual(findings, []);
});

test('random histories: HashKV is etcd’s at every revision', { skip, timeout }, async () => {
  const enough = ({ runs }: { runs: number }) => runs >= 5;
  const program = { path: etcd!.server, version: etcd!.version };
  const { findings } = await search({ etcd: program, what: 'hashes', enough, seed: 1 });
  assert.deepEqual(findings, []);
});
