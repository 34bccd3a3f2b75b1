/** Written files before real etcd tools. Skipped, with the reason, where there are none. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import type { BoltPair, BoltSource } from '../../src/bolt/index.js';
import { planBoltFile, snapshotStatus, withSha256 } from '../../src/bolt/index.js';
import { bytesFromLatin1, crc32c } from '../../src/bytes/index.js';
import { freeUrl, startEtcd } from './support/etcd-server.js';
import type { EtcdTool } from './support/etcd-tools.js';
import { findTool } from './support/etcd-tools.js';
import type { Fixture } from './support/fixtures.js';
import { FIXTURES, hashKvOf, snapshotOf } from './support/fixtures.js';
import { keyRecord, tombstone } from './support/records.js';
import { concat, readerOf, sourceOf } from './support/sources.js';

const dir = mkdtempSync(join(tmpdir(), 'kvorum-bolt-'));
after(() => rmSync(dir, { recursive: true, force: true }));

const etcd = await findTool('etcd');
const etcdctl = await findTool('etcdctl');
const etcdutl = await findTool('etcdutl');
const snapshotTools = [etcdutl, etcdctl].filter((tool) => tool && tool.version < 3.6);
if (etcdutl && etcdutl.version >= 3.6) snapshotTools.push(etcdutl);
const noTool = snapshotTools.length === 0 && 'no etcdutl, and no etcdctl before 3.6, on the PATH';

let files = 0;

/** A snapshot file with the source's content. */
async function writeSnapshot(source: BoltSource, pageSize = 4096) {
  const plan = await planBoltFile(source, { pageSize });
  const path = join(dir, `${files++}.db`);
  const bytes = await concat(withSha256(plan.write()));
  writeFileSync(path, bytes);
  return { path, bytes };
}

/** Records under short and long keys, with values of several pages: branches of two levels. */
function records(): BoltPair[] {
  const pairs: BoltPair[] = [];
  for (let main = 2; main < 6000; main++) {
    const key = main % 1000 === 0 ? 'long'.repeat(3000) + main : `key-${main % 5000}`;
    const value = main % 2000 === 0 ? 'v'.repeat(300_000) : 'v'.repeat(main % 200);
    pairs.push(
      main % 7 === 0 ? tombstone(main, 0, `key-${main - 1}`) : keyRecord(main, 0, key, value),
    );
  }
  return pairs;
}

const EMPTY = { alarm: [], auth: [], authRoles: [], authUsers: [], cluster: [] };

function storeSource(key: readonly BoltPair[]): BoltSource {
  const meta: BoltPair[] = [
    ['consistent_index', new Uint8Array(8).fill(9, 7)],
    ['storageVersion', Buffer.from('3.6.0')],
    ['term', new Uint8Array(8).fill(2, 7)],
  ];
  return sourceOf({ ...EMPTY, key, lease: [], members: [], members_removed: [], meta });
}

async function assertSameStatus(tool: EtcdTool, path: string, bytes: Uint8Array): Promise<void> {
  const edition = tool.version < 3.6 ? '3.5' : '3.6';
  const { version, ...numbers } = await snapshotStatus(await readerOf(bytes), edition);
  const expected = edition === '3.6' ? { ...numbers, version } : numbers;
  const answer = await tool.run(['snapshot', 'status', path, '-w', 'json']);
  assert.deepEqual(JSON.parse(answer), expected);
}

test(
  'snapshot status accepts a written file, and says what ours says',
  { skip: noTool },
  async () => {
    const source = storeSource(records());
    for (const pageSize of [4096, 1024, 16384]) {
      const { path, bytes } = await writeSnapshot(source, pageSize);
      for (const tool of snapshotTools) await assertSameStatus(tool!, path, bytes);
    }
  },
);

test('snapshot status of fixtures, as they are and written again', { skip: noTool }, async () => {
  for (const version of FIXTURES) {
    const original = join(dir, `${version}.db`);
    writeFileSync(original, snapshotOf(version));
    const reader = await readerOf(snapshotOf(version));
    const { path, bytes } = await writeSnapshot(reader);
    for (const tool of snapshotTools) {
      await assertSameStatus(tool!, original, snapshotOf(version));
      await assertSameStatus(tool!, path, bytes);
    }
  }
});

const noHashKv = !(etcdutl && etcdutl.version >= 3.6) && 'no etcdutl from 3.6 on the PATH';
test('hashkv builds a keyspace from a written file', { skip: noHashKv }, async () => {
  const pairs = records();
  const { path } = await writeSnapshot(storeSource(pairs));
  let hash = crc32c(Buffer.from('key'));
  for (const [key, value] of pairs) hash = crc32c(value, crc32c(bytesFromLatin1(key), hash));
  const answer = JSON.parse(await etcdutl!.run(['hashkv', path, '-w', 'json'])) as object;
  assert.deepEqual(answer, { hash, hashRevision: 5999, compactRevision: -1 });
});

/** The fixture that a server of this version can start from. */
function fixtureFor(version: number): Fixture {
  return version < 3.5 ? '3.4.23' : '3.5.16';
}

const restorer = snapshotTools.find((tool) => tool!.version === etcd?.version);
const noServer = !(etcd && etcdctl && restorer) && 'no etcd with a restore tool of its version';
test('etcd restores a written file and serves its keys', { skip: noServer }, async (t) => {
  const version = fixtureFor(etcd!.version);
  const reader = await readerOf(snapshotOf(version));
  const { path } = await writeSnapshot(reader);
  const [dataDir, peerUrl, name] = [join(dir, 'data'), await freeUrl(), 'one'];
  const cluster = `--initial-cluster=${name}=${peerUrl}`;
  const flags = [`--data-dir=${dataDir}`, `--name=${name}`, cluster];
  const own = `--initial-advertise-peer-urls=${peerUrl}`;
  await restorer!.run(['snapshot', 'restore', path, ...flags, own]);
  const server = await startEtcd(etcd!, { dataDir, peerUrl, name });
  t.after(() => server.stop());
  const control = (...args: string[]) => etcdctl!.run([`--endpoints=${server.url}`, ...args]);

  const all = JSON.parse(await control('get', '', '--from-key', '-w', 'json')) as { count: number };
  assert.equal(all.count, (await snapshotStatus(reader)).totalKey);
  const [hashKv] = JSON.parse(await control('endpoint', 'hashkv', '-w', 'json')) as [
    { HashKV: { hash: number } },
  ];
  assert.equal(hashKv.HashKV.hash, hashKvOf(version));
  await control('put', 'after', 'restore');
  assert.equal(await control('get', 'after', '--print-value-only'), 'restore\n');
});
