/**
 * `kvorumctl check conformance` as a process, on processes: Kvorum and every etcd of this machine. The
 * whole catalogue with KVORUM_CONFORMANCE=full, else an area or two of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  etcdCommand,
  etcdInstallations,
  kvorumCommand,
  program,
  skipWithoutEtcd,
  type ServerCommand,
} from './support/binaries.js';
import { run } from './support/child.js';
import { Member } from './support/member.js';

const full = process.env.KVORUM_CONFORMANCE === 'full';
const scope = full ? '--allow-compaction' : '--only=put,delete,progress,compaction/boundary';

/** Names of checks by their verdict. */
async function conformanceOf(server: ServerCommand): Promise<Record<string, string[]>> {
  const member = await Member.start({ server });
  try {
    const [command, ...args] = program('kvorumctl');
    const line = ['check', 'conformance', `--endpoints=${member.endpoint}`, '-w', 'json', scope];
    const ctl = await run(command, [...args, ...line], { timeoutMs: 170_000 });
    assert.equal(ctl.exit?.code, 0, `${ctl.stdout}\n${ctl.stderr}`);
    const { checks } = JSON.parse(ctl.stdout.toString()) as {
      checks: { name: string; result: string }[];
    };
    const names = (result: string): string[] =>
      checks.filter((check) => check.result === result).map(({ name }) => name);
    return { pass: names('pass'), fail: names('fail'), oddity: names('oddity') };
  } finally {
    await member.stop();
  }
}

test('Kvorum conforms', { timeout: 180_000 }, async () => {
  const { pass, fail, oddity } = await conformanceOf(kvorumCommand);
  assert.deepEqual([fail, oddity], [[], []]);
  assert.ok(pass!.length > (full ? 200 : 30));
});

test('real etcd conforms but for its known oddities', { skip: skipWithoutEtcd() }, async () => {
  for (const etcd of etcdInstallations) {
    const { fail, oddity } = await conformanceOf(etcdCommand(etcd));
    assert.deepEqual(fail, [], etcd.version);
    if (etcd.version.startsWith('3.4.2')) assert.ok(oddity!.includes('progress/without-watch'));
    if (etcd.version.startsWith('3.6.1')) assert.deepEqual(oddity, []);
  }
});
