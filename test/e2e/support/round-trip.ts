/**
 * A random history, carried from one kind of server to the other and back by backups: every answer at every
 * kept revision must stay the same.
 */
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EtcdInstallation,
  type ServerCommand,
  etcdCommand,
  kvorumCommand,
  program,
} from './binaries.js';
import { type Child, run } from './child.js';
import { Client } from './client.js';
import { Member } from './member.js';
import { MixedLoad } from './mixed-load.js';
import { Random } from './random.js';
import { bucketContent } from './snapshot-content.js';

/** A kind of server with its tools. */
export interface Side {
  server: ServerCommand;
  ctl: readonly string[];
  /** Restores snapshots and looks at them. */
  utl: readonly string[];
}

export const kvorumSide: Side = {
  server: kvorumCommand,
  ctl: program('kvorumctl'),
  utl: program('kvorumutl'),
};

export function etcdSide(etcd: EtcdInstallation): Side {
  return { server: etcdCommand(etcd), ctl: [etcd.ctl], utl: [etcd.snapshotTool!] };
}

export interface RoundTrip {
  seed: number;
  /** How long requests are made. */
  seconds: number;
  /** The first side saves, the second restores and saves, the first restores. */
  there: Side;
  back: Side;
  /** Users and roles are made first; the first side must have them. */
  auth: boolean;
}

/** Rejects at the first difference. Returns how many revisions were compared. */
export async function runRoundTrip({
  seed,
  seconds,
  there,
  back,
  auth,
}: RoundTrip): Promise<number> {
  const first = await Member.start({ server: there.server });
  const path = join(dirname(first.dataDir), 'first.db');
  let before: Observed;
  try {
    if (auth) await makeUsers(first, there);
    before = await withClient(first, async (client) => {
      await makeHistory(client, new Random(seed), seconds);
      return observe(client);
    });
    await save(first, there, path);
  } finally {
    await first.stop();
  }
  const between = await restoreAndSave(path, back, before);
  await checkSameUsers(path, between);
  const last = await restoreAndSave(between, there, before);
  await checkSameUsers(path, last);
  return before.states.length;
}

type Observed = Awaited<ReturnType<typeof observe>>;

/** All pairs, and their hash, at every revision that is kept, and the leases with their keys. */
async function observe(client: Client) {
  const { revision } = await client.status();
  const { compactRevision } = await client.hashKV(revision);
  const states = [];
  for (let at = Math.max(compactRevision + 1, 2); at <= revision; at++) {
    const { kvs } = await client.range('\0', { end: '\0', revision: at });
    states.push({ at, kvs, hash: await client.hashKV(at) });
  }
  const leases = [];
  for (const id of await client.leases()) {
    const { grantedTtl, keys } = await client.leaseTimeToLive(id);
    leases.push({ id, grantedTtl, keys: keys.sort() });
  }
  leases.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { revision, compactRevision, states, leases };
}

async function makeHistory(client: Client, random: Random, seconds: number): Promise<void> {
  const options = { random, workers: 4, pauseMs: 2, ttlsSeconds: [600, 3600] };
  const load = new MixedLoad([client], options);
  await sleep(seconds * 1000);
  await load.stop();
}

async function makeUsers(member: Member, { ctl }: Side): Promise<void> {
  for (const words of [
    ['role', 'add', 'reader'],
    ['role', 'grant-permission', 'reader', 'read', 'mix/', 'mix0'],
    ['user', 'add', 'alice:secret'],
    ['user', 'grant-role', 'alice', 'reader'],
  ]) {
    await succeeds([...ctl, `--endpoints=${member.endpoint}`, ...words]);
  }
}

/** Restores `path`, compares, saves again, and returns the new file. */
async function restoreAndSave(path: string, side: Side, expected: Observed): Promise<string> {
  const member = await Member.create({ server: side.server, name: 'restored' });
  await succeeds([
    ...side.utl,
    'snapshot',
    'restore',
    path,
    `--data-dir=${member.dataDir}`,
    `--name=${member.name}`,
    `--initial-cluster=${member.name}=${member.peerUrl}`,
    `--initial-advertise-peer-urls=${member.peerUrl}`,
  ]);
  await member.start();
  try {
    await withClient(member, async (client) => assert.deepEqual(await observe(client), expected));
    const saved = join(dirname(member.dataDir), 'saved.db');
    await save(member, side, saved);
    return saved;
  } finally {
    await member.stop();
  }
}

/** Both kinds of tool must find nothing wrong in what either writes. */
async function save(member: Member, { ctl }: Side, path: string): Promise<void> {
  await succeeds([...ctl, `--endpoints=${member.endpoint}`, 'snapshot', 'save', path]);
  await succeeds([...program('kvorumutl'), 'snapshot', 'status', path]);
}

async function checkSameUsers(a: string, b: string): Promise<void> {
  for (const bucket of ['authUsers', 'authRoles']) {
    assert.deepEqual(await bucketContent(a, bucket), await bucketContent(b, bucket), bucket);
  }
}

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
