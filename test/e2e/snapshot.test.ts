/**
 * Backups between servers: what one has saved, the other restores and serves, with equal keys,
 * revisions, leases and hashes; and the tools say the same of the same file.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import {
  type EtcdInstallation,
  type ServerCommand,
  etcdCommand,
  etcdInstallations,
  kvorumCommand,
  program,
  skipWithoutEtcd,
} from './support/binaries.js';
import { type Child, run } from './support/child.js';
import { Client } from './support/client.js';
import { Member } from './support/member.js';

const FIRST = 'app/';
/** A revision that the compaction spares. */
const EARLIER = 30;

/** Writes of all kinds: some deleted, some overwritten, some leased, the oldest compacted. */
async function write(client: Client): Promise<void> {
  const lease = await client.leaseGrant(600);
  for (let i = 0; i < 40; i++) {
    const options = i % 10 === 0 ? { lease } : {};
    await client.put(`${FIRST}${i % 25}`, `value ${i}\0\u00ff`, options);
  }
  await client.put(`${FIRST}large`, 'x'.repeat(300_000));
  await client.call('KV/DeleteRange', { key: Buffer.from(`${FIRST}7`) });
  await client.compact(20, { physical: true });
}

/** What must be the same before and after. */
async function observe(client: Client) {
  const { revision, kvs } = await client.range(FIRST, { end: 'app0' });
  const earlier = await client.range(FIRST, { end: 'app0', revision: EARLIER });
  const hash = await client.hashKV(revision);
  const leases = [];
  for (const id of await client.leases()) {
    const { grantedTtl, keys } = await client.leaseTimeToLive(id);
    leases.push({ id, grantedTtl, keys: keys.sort() });
  }
  return { revision, kvs, earlier: earlier.kvs, hash, leases };
}

type Observed = Awaited<ReturnType<typeof observe>>;

async function withClient<T>(member: Member, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(member.endpoint);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

async function succeeds(command: readonly string[]): Promise<Child> {
  const [name, ...args] = command as [string, ...string[]];
  const child = await run(name, args, { env: { ETCDCTL_API: '3' } });
  assert.equal(child.exit?.code, 0, child.describe());
  return child;
}

/** A snapshot of a new server with some history, and what the server answered. */
async function saved(
  server: ServerCommand,
  ctl: readonly string[],
): Promise<{ path: string; before: Observed }> {
  const member = await Member.start({ server });
  try {
    const path = join(dirname(member.dataDir), 'backup');
    const before = await withClient(member, async (client) => {
      await write(client);
      return observe(client);
    });
    await succeeds([...ctl, `--endpoints=${member.endpoint}`, 'snapshot', 'save', path]);
    const names = readdirSync(dirname(path)).filter((name) => name.startsWith('backup'));
    assert.deepEqual(names, ['backup']);
    return { path, before };
  } finally {
    await member.stop();
  }
}

/** Restores into a new data dir and checks that a server on it serves what there was, and goes on. */
async function checkRestored(
  path: string,
  before: Observed,
  tool: readonly string[],
  server: ServerCommand,
): Promise<void> {
  const member = await Member.create({ server, name: 'restored' });
  const flags = [
    `--data-dir=${member.dataDir}`,
    `--name=${member.name}`,
    `--initial-cluster=${member.name}=${member.peerUrl}`,
    `--initial-advertise-peer-urls=${member.peerUrl}`,
  ];
  await succeeds([...tool, 'snapshot', 'restore', path, ...flags]);
  await member.start();
  try {
    await withClient(member, async (client) => {
      assert.deepEqual(await observe(client), before);
      assert.equal(await client.put('after', '1'), before.revision + 1);
    });
    if (server !== kvorumCommand) return;
    await member.stop('SIGTERM');
    await member.start();
    await withClient(member, async (client) => {
      assert.equal((await client.range('after')).kvs[0]?.value, '1');
    });
  } finally {
    await member.stop();
  }
}

async function statusOf(path: string, tool: readonly string[]): Promise<Record<string, unknown>> {
  const child = await succeeds([...tool, 'snapshot', 'status', path, '-w', 'json']);
  return JSON.parse(child.stdout.toString()) as Record<string, unknown>;
}

/** Up to 3.5, keys are counted otherwise and there is no version. */
async function checkStatus(path: string, { snapshotTool, version }: EtcdInstallation) {
  const ours = await statusOf(path, program('kvorumutl'));
  const theirs = await statusOf(path, [snapshotTool!]);
  if (!/^3\.[45]\./.test(version)) return assert.deepEqual(ours, theirs);
  for (const name of ['hash', 'revision', 'totalSize']) assert.equal(ours[name], theirs[name]);
}

test('Kvorum restores what Kvorum has saved', async () => {
  const { path, before } = await saved(kvorumCommand, program('kvorumctl'));
  const status = await statusOf(path, program('kvorumutl'));
  assert.equal(status.revision, before.revision);
  const hash = await succeeds([...program('kvorumutl'), 'hashkv', path]);
  assert.equal(hash.stdout.toString(), `${before.hash.hash}, ${before.revision}, 20\n`);
  await checkRestored(path, before, program('kvorumutl'), kvorumCommand);
});

const skip = skipWithoutEtcd();
if (skip) test('backups between etcd and Kvorum', { skip }, () => {});
for (const etcd of etcdInstallations) {
  describe(`etcd ${etcd.version}`, { skip: !etcd.snapshotTool && 'no etcdutl beside it' }, () => {
    test('Kvorum restores what etcd has saved', async () => {
      const { path, before } = await saved(etcdCommand(etcd), [etcd.ctl]);
      await checkStatus(path, etcd);
      await checkRestored(path, before, program('kvorumutl'), kvorumCommand);
    });

    test('etcd restores what Kvorum has saved', async () => {
      const { path, before } = await saved(kvorumCommand, program('kvorumctl'));
      await checkStatus(path, etcd);
      await checkRestored(path, before, [etcd.snapshotTool!], etcdCommand(etcd));
    });
  });
}
