import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type StorageError, openDisk, openMemoryDisk } from '../../src/storage/index.js';
import { diskRefusal } from '../../src/storage/errors.js';
import { entriesFrom } from './raft-log-contract.js';
import { TemporaryFolders } from './temporary.js';

const folders = new TemporaryFolders();
after(() => folders.remove());

async function refused(dataDir: string, code: string): Promise<string> {
  const error = await openDisk(dataDir).then(
    async (disk) => {
      await disk.close();
      return assert.fail(`${dataDir} opened`);
    },
    (refusal: StorageError) => refusal,
  );
  assert.equal(error.code, code, error.message);
  assert.ok(error.message.includes(dataDir), error.message);
  assert.doesNotMatch(error.message, /\n/);
  return error.message;
}

describe('openDisk', () => {
  it('keeps log and keyspace over a close, in folders that are nobody else’s', async () => {
    const dataDir = join(folders.fresh(), 'deeper', 'still');
    const disk = await openDisk(dataDir);
    await disk.log.append({ entries: entriesFrom(1, 3, 1), sync: true });
    disk.backend.put('key', 'a', Buffer.from('1'));
    await disk.close();
    await disk.close();
    const again = await openDisk(dataDir);
    assert.equal(again.log.lastIndex(), 3);
    assert.equal(String(again.backend.get('key', 'a')), '1');
    await again.close();
    for (const folder of ['', 'lock', 'member', 'member/log', 'member/keyspace', 'spool']) {
      assert.equal(statSync(join(dataDir, folder)).mode & 0o777, 0o700, folder);
    }
  });

  it(
    'refuses a place where no folder can be made',
    { skip: process.platform !== 'linux' },
    async () => {
      assert.match(await refused('/proc/nope', 'IO'), /no such file/);
      assert.match(await refused('/proc/nope/deeper', 'IO'), /no such file/);
    },
  );

  it('refuses a second opener, here and in another process', async () => {
    const dataDir = folders.fresh();
    const disk = await openDisk(dataDir);
    assert.match(await refused(dataDir, 'LOCKED'), /in use by another process/);
    const storage = new URL('../../src/storage/index.js', import.meta.url).href;
    const script = `import(${JSON.stringify(storage)})
      .then(({ openDisk }) => openDisk(${JSON.stringify(dataDir)}))
      .then(() => console.log('opened'), (error) => console.log(error.code));`;
    const child = spawn(process.execPath, ['-e', script]);
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    await once(child, 'close');
    assert.equal(output.trim(), 'LOCKED');
    await disk.close();
    await (await openDisk(dataDir)).close();
  });

  it('opens although the lock’s own files are damaged: they hold nothing', async () => {
    const dataDir = folders.fresh();
    await (await openDisk(dataDir)).close();
    writeFileSync(join(dataDir, 'lock', 'CURRENT'), 'nonsense');
    await (await openDisk(dataDir)).close();
  });

  it('refuses a data dir of etcd and leaves it alone', async () => {
    for (const name of ['wal', 'snap']) {
      const dataDir = folders.fresh();
      mkdirSync(join(dataDir, 'member', name), { recursive: true });
      assert.match(await refused(dataDir, 'FORMAT'), /is an etcd data dir .* restore a snapshot/);
      assert.deepEqual(readdirSync(join(dataDir, 'member')), [name]);
    }
  });

  it('starts over after a crash while the data dir was being made', async () => {
    const dataDir = folders.fresh();
    mkdirSync(join(dataDir, 'member.unfinished', 'log'), { recursive: true });
    await (await openDisk(dataDir)).close();
    assert.deepEqual(readdirSync(dataDir).sort(), ['lock', 'member', 'spool']);
  });

  it('refuses a data dir in which a part is missing', async () => {
    for (const part of ['log', 'keyspace']) {
      const dataDir = folders.fresh();
      await (await openDisk(dataDir)).close();
      rmSync(join(dataDir, 'member', part), { recursive: true });
      assert.match(await refused(dataDir, 'CORRUPT'), new RegExp(`${part} is missing`));
    }
  });

  it('says in one line why the system refuses', async () => {
    const file = folders.fresh();
    writeFileSync(file, '');
    await refused(file, 'IO');
    assert.match(await refused(join(file, 'below'), 'IO'), /part of the path is not a directory/);
    const closed = diskRefusal('open', '/data', Object.assign(new Error('x'), { code: 'EACCES' }));
    assert.equal(closed.message, 'cannot open /data: permission denied');
    const odd = diskRefusal('write', '/data', new Error('IO error: a\n b'));
    assert.equal(odd.message, 'cannot write /data: IO error: a b');
  });

  it('lets go of everything when it refuses', async () => {
    const dataDir = folders.fresh();
    await (await openDisk(dataDir)).close();
    const pointer = join(dataDir, 'member', 'keyspace', 'generation');
    rmSync(pointer);
    await refused(dataDir, 'CORRUPT');
    await refused(dataDir, 'CORRUPT');
  });
});

for (const [name, open] of [
  ['openDisk', () => openDisk(folders.fresh())],
  ['openMemoryDisk', async () => openMemoryDisk()],
] as const) {
  describe(`a spool of ${name}`, () => {
    it('gives back what was appended, at any offset', async () => {
      const disk = await open();
      const spool = await disk.createSpool();
      const other = await disk.createSpool();
      const bytes = Buffer.from('hello');
      await spool.append(bytes);
      bytes.fill(0);
      await Promise.all([
        spool.append(Buffer.alloc(100_000, 'x')),
        spool.append(Buffer.from('end')),
      ]);
      assert.equal(spool.size, 100_008);
      assert.equal(Buffer.from(await spool.read(0, 5)).toString(), 'hello');
      assert.equal(Buffer.from(await spool.read(100_004, 50)).toString(), 'xend');
      assert.equal((await spool.read(100_008, 5)).length, 0);
      assert.equal((await spool.read(200_000, 5)).length, 0);
      assert.equal(other.size, 0);
      await spool.close();
      await other.close();
      await disk.close();
    });
  });
}

describe('spools in a data dir', () => {
  it('are gone when closed, and those of a killed process at the next start', async () => {
    const dataDir = folders.fresh();
    const disk = await openDisk(dataDir);
    const closed = await disk.createSpool();
    await closed.append(Buffer.from('1'));
    await closed.close();
    assert.deepEqual(readdirSync(join(dataDir, 'spool')), []);
    const left = await disk.createSpool();
    await left.append(Buffer.from('2'));
    const killed = folders.afterKill(dataDir);
    assert.equal(readdirSync(join(killed, 'spool')).length, 1);
    await (await openDisk(killed)).close();
    assert.deepEqual(readdirSync(join(killed, 'spool')), []);
    await left.close();
    await disk.close();
  });
});
