import assert from 'node:assert/strict';
import test from 'node:test';
import type { BoltPair } from '../../src/bolt/index.js';
import { snapshotStatus } from '../../src/bolt/index.js';
import { crc32c } from '../../src/bytes/index.js';
import { FIXTURES, snapshotOf, statusOf } from './support/fixtures.js';
import { keyRecord, tombstone } from './support/records.js';
import { branchPage, bucket, leafPage, rawFile } from './support/raw-file.js';
import type { Content } from './support/sources.js';
import { bytes, fileOf, readerOf, sourceOf } from './support/sources.js';

const statusOfContent = async (content: Content, edition?: '3.5' | '3.6') =>
  snapshotStatus(await readerOf(await fileOf(sourceOf(content))), edition);

/** Live user keys of the fixtures, counted from `get "" --from-key`. */
const LIVE_KEYS = 77;

for (const version of FIXTURES) {
  test(`etcd ${version}: what etcdctl says of it`, async () => {
    const reader = await readerOf(snapshotOf(version));
    const { version: storageVersion, ...status } = await snapshotStatus(reader, '3.5');
    assert.deepEqual(status, statusOf(version));
    assert.equal(storageVersion, '');
    assert.deepEqual(await snapshotStatus(reader), {
      ...statusOf(version),
      totalKey: LIVE_KEYS,
      version: '',
    });
  });

  test(`etcd ${version}: written again, nothing but the size differs`, async () => {
    const file = await fileOf(await readerOf(snapshotOf(version)));
    assert.deepEqual(await snapshotStatus(await readerOf(file), '3.5'), {
      ...statusOf(version),
      totalSize: file.length,
      version: '',
    });
  });
}

test('keys: all entries up to 3.5, living user keys from 3.6', async () => {
  const key: BoltPair[] = [
    keyRecord(2, 0, 'a', 'x'),
    keyRecord(3, 0, 'b', 'x'),
    keyRecord(3, 1, 'a', 'y'),
    tombstone(4, 0, 'b'),
    keyRecord(5, 0, 'c', ''),
    tombstone(6, 0, 'c'),
    keyRecord(7, 0, 'c', ''),
  ];
  const meta: BoltPair[] = [['storageVersion', Buffer.from('3.6.0')]];
  const old = await statusOfContent({ key, meta }, '3.5');
  const now = await statusOfContent({ key, meta });
  assert.deepEqual([old.totalKey, old.revision, old.version], [8, 7, '']);
  assert.deepEqual([now.totalKey, now.revision, now.version], [2, 7, '3.6.0']);
});

test('the hash runs over names, keys and values, and over nothing between', async () => {
  const { hash } = await statusOfContent({
    auth: [],
    meta: [
      ['k', Buffer.from('v')],
      ['l', Buffer.from('')],
    ],
  });
  assert.equal(hash, crc32c(Buffer.from('authmetakvl')));
});

test('a large revision', async () => {
  const { revision } = await statusOfContent({ key: [keyRecord(2 ** 53 - 1, 0, 'a', '')] }, '3.5');
  assert.equal(revision, 2 ** 53 - 1);
});

test('nothing in it', async () => {
  const status = { hash: 0, revision: 0, totalKey: 0, totalSize: 3 * 4096, version: '' };
  assert.deepEqual(await statusOfContent({}), status);
});

test('a last key that is no revision', async () => {
  for (const key of ['short', '\xff'.repeat(17)]) {
    const pair: BoltPair = [key, new Uint8Array(0)];
    await assert.rejects(statusOfContent({ key: [pair] }, '3.5'), { code: 'CORRUPT' });
  }
});

test('a record that does not parse is an error from 3.6 only', async () => {
  const [key] = keyRecord(2, 0, 'a', '');
  const content = { key: [[key, bytes(5)] as const] };
  assert.equal((await statusOfContent(content, '3.5')).totalKey, 1);
  await assert.rejects(statusOfContent(content), {
    code: 'CORRUPT',
    message: 'bucket key holds a malformed record',
  });
});

test('the check comes first', async () => {
  const file = rawFile({
    root: 4,
    pages: [
      leafPage(2, [{ key: 'b' }, { key: 'a' }]),
      branchPage(3, [['a', 99]]),
      leafPage(4, [bucket('key', 2), bucket('meta', 3)]),
    ],
  });
  await assert.rejects(snapshotStatus(await readerOf(file)), (error: Error & { code: string }) => {
    const [first, ...problems] = error.message.split('\n');
    assert.equal(error.code, 'CHECK_FAILED');
    assert.equal(first, 'snapshot file integrity check failed. 2 errors found.');
    assert.equal(problems.length, 2);
    return true;
  });
});
