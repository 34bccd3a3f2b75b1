/**
 * Kvorum keeps the contract: the checks on a cluster of three members of this process. Those that take
 * seconds, and real etcd, are left to KVORUM_CONFORMANCE=full (test/e2e/conformance.test.ts too).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CATALOGUE, isKnown, selectChecks } from '../../../src/cli/conformance/catalogue.js';
import { CATEGORIES, categoryOf } from '../../../src/cli/conformance/check.js';
import { KVORUMCTL } from '../../../src/cli/ctl-commands.js';
import { LocalSwitch, openMember, realClock, type Kvorum } from '../../../src/embed/index.js';
import { run } from '../support/run.js';

const NAMES = ['a', 'b', 'c'];
const full = process.env.KVORUM_CONFORMANCE === 'full';

/** All checks, or those that ask neither for more time than the others nor to wait. */
function checksToRun(): string {
  const quick = CATALOGUE.filter((check) => check.timeoutMs === undefined && !check.waits);
  return (full ? CATALOGUE : quick).map(({ name }) => name).join();
}

async function startCluster(): Promise<{ stores: Kvorum[]; endpoints: string[] }> {
  const network = new LocalSwitch(realClock);
  const urlOf = (name: string): string => `http://${name}:2380`;
  const initialCluster = NAMES.map((name) => ({ name, peerUrls: [urlOf(name)] }));
  const stores = await Promise.all(
    NAMES.map((name) =>
      openMember({
        memory: true,
        name,
        peerUrls: [urlOf(name)],
        clientUrls: [`http://${name}:2379`],
        initialCluster,
        network: network.connect([urlOf(name)]),
      }),
    ),
  );
  await Promise.all(stores.map((store) => store.member.ready));
  const endpoints = [];
  for (const store of stores) {
    endpoints.push(`127.0.0.1:${(await store.listen('http://127.0.0.1:0')).port}`);
  }
  return { stores, endpoints };
}

test(`${full ? 'every' : 'every quick'} check passes`, { timeout: 120_000 }, async () => {
  const { stores, endpoints } = await startCluster();
  try {
    const { code, stdout } = await run(KVORUMCTL, [
      'check',
      'conformance',
      `--endpoints=${endpoints.join()}`,
      `--only=${checksToRun()}`,
      '--allow-compaction',
      '--timeout=30s',
    ]);
    const others = stdout.split('\n').filter((line) => /^(fail|oddity|skipped|FAIL)/.test(line));
    assert.deepEqual(
      others.map((line) => line.split(/ +/)[1]),
      ['protocol/auth-is-off'],
      stdout.slice(stdout.indexOf('\n\n')),
    );
    assert.equal(code, 0);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
});

test('names are unique, areas known, promises sentences without an end', () => {
  const names = CATALOGUE.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const check of CATALOGUE) {
    assert.ok(CATEGORIES.includes(categoryOf(check)), check.name);
    assert.match(check.promise, /[^.]$/);
  }
});

test('checks are selected by area and by name', () => {
  assert.equal(selectChecks([]).length, CATALOGUE.length);
  const selected = selectChecks(['delete', 'put/every-byte']).map(({ name }) => name);
  assert.ok(selected.includes('put/every-byte') && selected.includes('delete/range'));
  assert.ok(!selected.includes('put/header'));
  assert.ok(isKnown('txn') && isKnown('txn/branches') && !isKnown('txn/nothing'));
});
