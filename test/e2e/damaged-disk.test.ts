/**
 * A disk that has gone bad: a bit flipped in the log, a torn last write, no space left. A member
 * either serves everything that it has acknowledged, or ends with one line that names the file.
 */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync, truncateSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serverUnderTest } from './support/binaries.js';
import { Client } from './support/client.js';
import { contentEnd, filesIn, flipBit, newestJournal } from './support/damage.js';
import { Member } from './support/member.js';
import { Random, seed } from './support/random.js';
import { checkOneLine } from './support/refusal.js';
import { SmallDisk, skipWithoutSmallDisk } from './support/small-disk.js';
import { tempDir } from './support/temp-dir.js';

const flips = 30;
const keys = 200;
const logFolder = join('member', serverUnderTest === 'kvorum' ? 'log' : 'wal');
const skipOnEtcd = serverUnderTest === 'etcd' && 'this is a promise of Kvorum';

const keyOf = (i: number) => `key/${String(i).padStart(4, '0')}`;
const valueOf = (i: number) => `${i} `.repeat(50);

/** A data dir of a member that was killed after it had acknowledged all keys. */
async function makeDataDir(): Promise<string> {
  const member = await Member.start();
  const client = new Client(member.endpoint);
  for (let i = 0; i < keys; i++) await client.put(keyOf(i), valueOf(i));
  client.close();
  await member.stop('SIGKILL');
  return member.dataDir;
}

function copyOf(dataDir: string): string {
  const copy = join(tempDir(), 'data');
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

/** How many keys there are; all of them are checked to be the first ones, with their values. */
async function countKeys(endpoint: string): Promise<number> {
  const client = new Client(endpoint);
  try {
    await client.connected();
    const pairs = await client.all('key/');
    for (const [i, pair] of pairs.entries()) {
      assert.equal(pair.key, keyOf(i));
      assert.equal(pair.value, valueOf(i), `another value of ${pair.key}`);
    }
    return pairs.length;
  } finally {
    client.close();
  }
}

/** Starts a member on a damaged data dir. Returns the number of keys it serves, or its refusal. */
async function tryStart(dataDir: string): Promise<number | 'refused'> {
  const member = await Member.create({ dataDir });
  const child = member.spawn();
  try {
    await member.ready();
  } catch (error) {
    if (!child.exit) throw error;
    assert.deepEqual(child.exit, { code: 1, signal: null }, child.describe());
    checkOneLine(child, new RegExp(`"error":".*${dataDir}`));
    return 'refused';
  }
  const count = await countKeys(member.endpoint);
  await member.stop();
  return count;
}

describe('the log of a stopped member is damaged', { skip: skipOnEtcd }, () => {
  let dataDir: string;
  before(async () => {
    dataDir = await makeDataDir();
  });

  test('not at all: it serves', async () => {
    assert.equal(await tryStart(copyOf(dataDir)), keys);
  });

  test(`one of ${flips} bits is flipped (seed ${seed})`, { timeout: 120_000 }, async (t) => {
    const random = new Random(seed);
    const files = filesIn(join(dataDir, logFolder));
    let refused = 0;
    for (let flip = 0; flip < flips; flip++) {
      const file = relative(dataDir, files[random.below(files.length)] as string);
      const copy = copyOf(dataDir);
      const position = random.below(contentEnd(join(copy, file)));
      flipBit(join(copy, file), position, random.below(8));
      const result = await tryStart(copy);
      if (result === 'refused') refused++;
      else assert.equal(result, keys, `bit flipped at ${position} of ${file}: keys are lost`);
    }
    t.diagnostic(`${refused} of ${flips} flips were refused, the others did no harm`);
    assert.ok(refused > 0, 'the flips did not hit anything');
  });

  test('a write that was not finished follows the last one: it serves', async () => {
    const copy = copyOf(dataDir);
    const journal = newestJournal(join(copy, logFolder));
    // A record as LevelDB writes them: checksum, length, kind, and less than that length of bytes.
    const torn = Buffer.concat([Buffer.from([1, 2, 3, 4, 0xe8, 0x03, 1]), Buffer.alloc(100, 'x')]);
    appendFileSync(journal, torn);
    assert.equal(await tryStart(copy), keys);
  });

  test('its last bytes are missing: refused, or all but the last write is served', async () => {
    for (const cut of [1, 20, 60]) {
      const copy = copyOf(dataDir);
      const journal = newestJournal(join(copy, logFolder));
      truncateSync(journal, readFileSync(journal).length - cut);
      const result = await tryStart(copy);
      assert.ok(result === 'refused' || result >= keys - 1, `cut by ${cut} bytes: ${result} keys`);
    }
  });
});

const skipFull = skipOnEtcd || skipWithoutSmallDisk();

test(
  'the disk is full: it ends with one line, and nothing is lost',
  { skip: skipFull, timeout: 60_000 },
  async () => {
    const disk = await SmallDisk.mount(12);
    after(() => disk.unmount());
    const dataDir = join(disk.path, 'data');
    const member = await Member.start({ dataDir, wrap: (command) => disk.wrap(command) });
    const client = new Client(member.endpoint);
    after(() => client.close());

    const value = 'x'.repeat(100_000);
    let acked = 0;
    await assert.rejects(async () => {
      for (;;) {
        await client.put(`full/${acked}`, value);
        acked++;
        assert.ok(acked < 1000, 'the disk never fills');
      }
    });
    const child = member.process;
    assert.ok(child);
    await child.until(() => child.exit !== undefined, 10_000, 'end of a member without disk space');
    assert.deepEqual(child.exit, { code: 1, signal: null }, child.describe());
    checkOneLine(child, /no space left on device|ENOSPC/i);

    await disk.resize(100);
    await member.start();
    await client.connected();
    for (let i = 0; i < acked; i++) {
      const { kvs } = await client.range(`full/${i}`);
      assert.equal(kvs[0]?.value, value, `full/${i} was acknowledged and is lost`);
    }
    await client.put('after', '1');
    await member.stop();
  },
);
