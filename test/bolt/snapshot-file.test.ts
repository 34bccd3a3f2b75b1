import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { BoltReader, hasSha256, memoryAccess, openSnapshotFile } from '../../src/bolt/index.js';
import { planBoltFile, requireSha256, withSha256 } from '../../src/bolt/index.js';
import { FIXTURES, snapshotOf } from './support/fixtures.js';
import { bytes, concat, numberedPairs, sourceOf } from './support/sources.js';

async function writtenSnapshot(): Promise<Uint8Array> {
  const plan = await planBoltFile(sourceOf({ key: numberedPairs(2000, 8, 300), meta: [] }));
  return concat(withSha256(plan.write()));
}

for (const version of FIXTURES) {
  test(`etcd ${version}: the hash is found right and cut off`, async () => {
    const file = snapshotOf(version);
    const content = await openSnapshotFile(memoryAccess(file));
    assert.equal(content.size, file.length - 32);
    assert.equal((await BoltReader.open(content)).sizeBytes, content.size);
  });
}

test('the hash is that of what was streamed', async () => {
  const file = await writtenSnapshot();
  const content = file.subarray(0, -32);
  assert.ok(hasSha256(file.length));
  assert.deepEqual(Buffer.from(file.subarray(-32)), createHash('sha256').update(content).digest());
  assert.equal((await openSnapshotFile(memoryAccess(file))).size, content.length);
});

test('a file without hash', async () => {
  const access = memoryAccess((await writtenSnapshot()).subarray(0, -32));
  await assert.rejects(openSnapshotFile(access), {
    code: 'MISSING_HASH',
    message: 'snapshot missing hash but --skip-hash-check=false',
  });
  assert.equal(await openSnapshotFile(access, { skipHashCheck: true }), access);
});

test('a changed byte, anywhere', async () => {
  const file = Buffer.from(await writtenSnapshot());
  for (const at of [0, 4096 + 30, file.length >> 1, file.length - 33, file.length - 32]) {
    const damaged = Buffer.from(file);
    damaged[at]! ^= 0x40;
    const access = memoryAccess(damaged);
    await assert.rejects(openSnapshotFile(access), { code: 'HASH_MISMATCH' });
    const content = await openSnapshotFile(access, { skipHashCheck: true });
    assert.equal(content.size, file.length - 32);
  }
});

test('the text of a mismatch is that of etcd: lists of decimal bytes', async () => {
  const file = new Uint8Array(512 + 32).fill(255, 512);
  const actual = createHash('sha256').update(new Uint8Array(512)).digest();
  await assert.rejects(openSnapshotFile(memoryAccess(file)), {
    message: `expected sha256 [${'255 '.repeat(31)}255], got [${[...actual].join(' ')}]`,
  });
});

test('what save requires of a stream', () => {
  requireSha256(4096 * 5 + 32);
  assert.throws(() => requireSha256(4096), {
    code: 'MISSING_HASH',
    message: 'sha256 checksum not found [bytes: 4096]',
  });
  assert.ok(!hasSha256(0) && !hasSha256(31) && hasSha256(32));
});

test('an empty stream has the hash of nothing', async () => {
  async function* nothing(): AsyncGenerator<Uint8Array> {}
  const file = await concat(withSha256(nothing()));
  assert.equal(Buffer.from(file).toString('hex').slice(0, 16), 'e3b0c44298fc1c14');
  assert.equal((await openSnapshotFile(memoryAccess(file))).size, 0);
});

test('chunks pass through as they are', async () => {
  const chunk = bytes(10);
  async function* one(): AsyncGenerator<Uint8Array> {
    yield chunk;
  }
  const { value } = await withSha256(one()).next();
  assert.equal(value, chunk);
});
