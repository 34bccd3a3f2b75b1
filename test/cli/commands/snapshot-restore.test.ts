/** `kvorumutl snapshot restore` of files that real etcd saved; what it makes is opened by a member. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hexId } from '../../../src/bytes/index.js';
import { KVORUMUTL } from '../../../src/cli/utl-commands.js';
import { type Kvorum, LocalSwitch, open, openMember, realClock } from '../../../src/embed/index.js';
import { run, type Shown } from '../support/run.js';
import { fixture, fixtureBytes, snapshotFile } from '../support/snapshots.js';
import { tempDir } from '../support/temp-dir.js';

const dir = tempDir();
let folders = 0;
const newFolder = (): string => join(dir, `data${folders++}`);

function restore(path: string, dataDir: string, ...flags: string[]): Promise<Shown> {
  return run(KVORUMUTL, ['snapshot', 'restore', path, `--data-dir=${dataDir}`, ...flags]);
}

async function restored(path: string, ...flags: string[]): Promise<string> {
  const dataDir = newFolder();
  const { code, stdout, stderr } = await restore(path, dataDir, ...flags);
  assert.deepEqual({ code, stdout }, { code: 0, stdout: '' }, stderr);
  return dataDir;
}

/** Opens a restored folder, gives the member to `use`, and closes it. */
async function opened<T>(dataDir: string, use: (store: Kvorum) => Promise<T>): Promise<T> {
  const store = await open({ dataDir });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const HASHES = { '3.4.23': 3612558063, '3.5.16': 1070611194 };

for (const version of ['3.4.23', '3.5.16'] as const) {
  test(`a file of ${version}: a member serves the same keys and leases, twice`, async () => {
    const dataDir = await restored(fixture(version));
    assert.deepEqual(readdirSync(dataDir), ['member']);
    await opened(dataDir, async (store) => {
      const { hash, hashRevision } = await store.member.store.hashKv(122);
      assert.deepEqual({ hash, hashRevision }, { hash: HASHES[version], hashRevision: 122 });
      assert.equal(store.revision, 122);
      assert.equal((await store.list('')).length, 77);
      const { lessor } = store.member;
      const leased = lessor.leases().flatMap((id) => lessor.keys(id));
      assert.ok(leased.includes('/registry/leases/a'), `leases have ${leased.join(' ')}`);
      assert.equal(hexId(store.member.memberId), '8e9e05c52164694d');
      assert.equal(hexId(store.member.clusterId), 'cdf818194e3a8c32');
      const members = store.member.membership.list();
      assert.deepEqual(
        members.map(({ name, peerUrls }) => ({ name, peerUrls })),
        [{ name: 'default', peerUrls: ['http://localhost:2380'] }],
      );
      assert.deepEqual(store.member.membership.removedIds(), []);
      assert.equal(await store.put('new', 'x'), 123);
    });
    await opened(dataDir, async (store) => {
      assert.equal(store.revision, 123);
      assert.equal((await store.get('new'))?.value, 'x');
    });
  });
}

test('ids are those that etcdutl computes from URLs and token', async () => {
  const { stderr } = await restore(
    fixture('3.5.16'),
    newFolder(),
    '--name=m1',
    '--initial-cluster=m1=http://h1:2380,m2=http://h2:2380',
    '--initial-cluster-token=tk',
    '--initial-advertise-peer-urls=http://h1:2380',
  );
  assert.match(stderr, /"member-id": "4d03667af08a6af1", "cluster-id": "15aa5ff74e42d926"\}\n$/);
});

test('a cluster of three, each restored from the file; a fourth that joins gets the keys', async () => {
  const url = (i: number): string => `http://m${i}:1`;
  const initialCluster = [1, 2, 3].map((i) => ({ name: `m${i}`, peerUrls: [url(i)] }));
  const line = initialCluster.map(({ name, peerUrls }) => `${name}=${peerUrls[0]}`).join(',');
  const network = new LocalSwitch(realClock);
  const start = (i: number, dataDir: string, joins = false): Promise<Kvorum> =>
    openMember({
      dataDir,
      name: `m${i}`,
      peerUrls: [url(i)],
      initialCluster: joins
        ? [...initialCluster, { name: `m${i}`, peerUrls: [url(i)] }]
        : initialCluster,
      strictReconfigCheck: false, // it refuses additions in the first five seconds
      initialClusterState: joins ? 'existing' : 'new',
      network: network.connect([url(i)]),
    });
  const stores: Kvorum[] = [];
  try {
    for (const i of [1, 2, 3]) {
      const flags = [`--name=m${i}`, `--initial-advertise-peer-urls=${url(i)}`];
      const dataDir = await restored(
        fixture('3.5.16'),
        `--initial-cluster=${line}`,
        '--initial-cluster-token=etcd-cluster',
        ...flags,
      );
      stores.push(await start(i, dataDir));
    }
    await Promise.all(stores.map((store) => store.member.ready));
    await stores[0]!.put('after', '1');
    await stores[0]!.member.reconfiguration.add([url(4)], true);
    const fourth = await start(4, newFolder(), true);
    stores.push(fourth);
    await fourth.member.ready;
    const hashes = await Promise.all(
      stores.map(async (store) => (await store.member.store.hashKv(122)).hash),
    );
    assert.deepEqual(hashes, Array(4).fill(HASHES['3.5.16']));
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
});

test('--bump-revision with --mark-compacted: revisions go on above, all before are compacted', async () => {
  const dataDir = await restored(fixture('3.5.16'), '--bump-revision=1000', '--mark-compacted');
  await opened(dataDir, async (store) => {
    assert.equal(store.revision, 1122);
    assert.equal(store.member.store.compactRevision, 1122);
    assert.equal((await store.list('')).length, 77);
    await assert.rejects(store.get('a', { revision: 122 }), { name: 'compacted' });
    assert.equal(await store.put('new', 'x'), 1123);
  });
});

describe('a file without its SHA-256', () => {
  const path = join(dir, 'copied.db');
  writeFileSync(path, fixtureBytes('3.5.16').subarray(0, -32));
  test('is refused', async () => {
    const { code, stderr } = await restore(path, newFolder());
    assert.equal(code, 1);
    assert.equal(stderr, 'Error: snapshot missing hash but --skip-hash-check=false\n');
  });
  test('is taken with --skip-hash-check', async () => {
    const dataDir = await restored(path, '--skip-hash-check');
    await opened(dataDir, async (store) => assert.equal(store.revision, 122));
  });
});

describe('refusals that leave nothing behind', () => {
  const whole = fixtureBytes('3.5.16');
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, 8 * 4096, 9 * 4096);
  const record = Buffer.from([0x0a, 0x05, 0x61]);
  const files: [string, () => Promise<Uint8Array> | Uint8Array, string[], RegExp][] = [
    ['a wrong byte', () => damaged, [], /^Error: expected sha256 \[[\d ]+\], got \[[\d ]+\]\n$/],
    ['a wrong byte, not hashed', () => damaged, ['--skip-hash-check'], /^Error: .*page 8/],
    ['a file cut short', () => whole.subarray(0, 100_000), [], /^Error: snapshot missing hash/],
    [
      'a file cut short, not hashed',
      () => whole.subarray(0, 100_000),
      ['--skip-hash-check'],
      /^Error: file truncated/,
    ],
    [
      'no database',
      () => Buffer.from('junk'),
      ['--skip-hash-check'],
      /^Error: invalid database\n$/,
    ],
    [
      "another program's database",
      () => snapshotFile({ widgets: [['a', record]] }),
      [],
      /^Error: the file is not a snapshot of etcd: it has no bucket "key"\n$/,
    ],
    [
      'a bucket that nobody knows',
      () => snapshotFile({ key: [], meta: [], widgets: [['a', record]] }),
      [],
      /^Error: the snapshot has a bucket "widgets", which is not known here\n$/,
    ],
    [
      'a record that is damaged',
      () => snapshotFile({ key: [['\0\0\0\0\0\0\0\x02_\0\0\0\0\0\0\0\0', record]], meta: [] }),
      [],
      /^Error: record 2_0 of bucket key is malformed: /,
    ],
    [
      'a key that is no revision',
      () => snapshotFile({ key: [['x', record]], meta: [] }),
      [],
      /^Error: bucket "key" holds a key that is no revision\n$/,
    ],
    [
      'users and roles',
      () => snapshotFile({ auth: [['authEnabled', Buffer.of(1)]], key: [], meta: [] }),
      [],
      /^Error: the snapshot has authentication enabled, .*--without-auth/,
    ],
  ];
  for (const [what, content, flags, error] of files) {
    test(what, async () => {
      const folder = newFolder();
      mkdirSync(folder);
      const path = join(folder, 'backup');
      writeFileSync(path, await content());
      const { code, stdout, stderr } = await restore(path, join(folder, 'new/data'), ...flags);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
      assert.match(stderr, error);
      assert.deepEqual(readdirSync(folder), ['backup']);
    });
  }

  test('a folder that was there stays, empty', async () => {
    const path = join(dir, 'damaged.db');
    writeFileSync(path, damaged);
    const dataDir = newFolder();
    mkdirSync(dataDir);
    const { code } = await restore(path, dataDir, '--skip-hash-check');
    assert.equal(code, 1);
    assert.deepEqual(readdirSync(dataDir), []);
  });

  const lines: [string[], number, string][] = [
    [['--name=x'], 1, 'couldn\'t find local name "x" in the initial cluster configuration'],
    [['--initial-cluster=default=bad'], 1, 'URL scheme must be http, https, unix, or unixs: bad'],
    [
      ['--initial-advertise-peer-urls=http://127.0.0.1:2'],
      1,
      '--initial-cluster has default=http://localhost:2380 but missing from --initial-advertise-peer-urls=http://127.0.0.1:2',
    ],
    [
      ['--initial-cluster=default=http://localhost:2380,b=http://localhost:2380'],
      1,
      'initial cluster b=http://localhost:2380,default=http://localhost:2380 has duplicate url',
    ],
    [['--bump-revision=5'], 128, '--mark-compacted required if --revision-bump > 0'],
    [['--mark-compacted'], 128, '--mark-compacted required if --revision-bump > 0'],
    [['--wal-dir=w'], 128, '--wal-dir is not supported: the raft log is in the data dir'],
  ];
  for (const [flags, code, message] of lines) {
    test(flags.join(' '), async () => {
      const dataDir = newFolder();
      const shown = await restore(fixture('3.5.16'), dataDir, ...flags);
      assert.deepEqual(shown, { code, stdout: '', stderr: `Error: ${message}\n` });
      assert.ok(!existsSync(dataDir));
    });
  }

  test('a missing file', async () => {
    const dataDir = newFolder();
    const { code, stderr } = await restore('none.db', dataDir);
    assert.equal(code, 1);
    assert.equal(stderr, 'Error: open none.db: no such file or directory\n');
    assert.ok(!existsSync(dataDir));
  });

  test('a data dir that cannot be made', async () => {
    const { code, stderr } = await restore(fixture('3.5.16'), '/dev/null/data');
    assert.equal(code, 1);
    assert.match(stderr, /^Error: (mkdir|data-dir ").*\/dev\/null\/data/);
  });

  test('a data dir in use is left as it is', async () => {
    const dataDir = newFolder();
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'x'), '');
    const { code, stderr } = await restore(fixture('3.5.16'), dataDir);
    assert.equal(code, 1);
    assert.equal(stderr, `Error: data-dir "${dataDir}" not empty or could not be read\n`);
    assert.deepEqual(readdirSync(dataDir), ['x']);
  });
});

test('a restore that was cut short is no new, empty store', async () => {
  const dataDir = newFolder();
  mkdirSync(join(dataDir, 'restoring'), { recursive: true });
  await assert.rejects(open({ dataDir }), {
    code: 'CORRUPT',
    message: `${dataDir} was not restored to the end; remove it and restore it again`,
  });
});

test('users and roles can be left behind on purpose', async () => {
  const path = join(dir, 'auth.db');
  const auth = [['authEnabled', Buffer.of(1)]] as const;
  writeFileSync(path, await snapshotFile({ auth, key: [], meta: [] }));
  await restored(path, '--without-auth');
});
