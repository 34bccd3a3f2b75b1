import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { RandomAccess } from '../../src/bolt/index.js';
import { BoltError, BoltReader, memoryAccess } from '../../src/bolt/index.js';
import { FIXTURES, snapshotOf } from './support/fixtures.js';
import type { RawFile } from './support/raw-file.js';
import { branchPage, bucket, inlineLeaf, leafPage, rawFile } from './support/raw-file.js';
import { bytes, contentOf, fileOf, numberedPairs, pairsOf } from './support/sources.js';
import { printable, readerOf, sourceOf } from './support/sources.js';

const BUCKETS =
  'alarm auth authRoles authUsers cluster key lease members members_removed meta'.split(' ');

for (const version of FIXTURES) {
  test(`etcd ${version}: buckets, and get finds what the walk finds`, async () => {
    const reader = await readerOf(snapshotOf(version));
    assert.deepEqual(reader.buckets(), BUCKETS);
    for (const name of BUCKETS) {
      for (const [key, hex] of await pairsOf(reader, name)) {
        assert.equal(printable([key, (await reader.get(name, key))!])[1], hex);
        assert.equal(await reader.get(name, key + '\0'), undefined);
      }
    }
  });
}

test('known entries of the fixture', async () => {
  const reader = await readerOf(snapshotOf('3.5.16'));
  const text = (value: Uint8Array | undefined) => Buffer.from(value!).toString();
  assert.equal(text(await reader.get('cluster', 'clusterVersion')), '3.5.0');
  assert.deepEqual(await pairsOf(reader, 'members_removed'), []);
  assert.equal((await pairsOf(reader, 'lease')).length, 2);
  assert.deepEqual(
    (await pairsOf(reader, 'authUsers')).map(([name]) => name),
    ['alice', 'root'],
  );
});

test('what is not there', async () => {
  const reader = await readerOf(await fileOf(sourceOf({ key: [['b', bytes(1)]] })));
  assert.equal(await reader.get('nothing', 'b'), undefined);
  assert.equal(await reader.get('key', 'a'), undefined);
  assert.deepEqual(await pairsOf(reader, 'nothing'), []);
});

test('a walk from any key gives what a filter of all gives', async () => {
  const pairs = numberedPairs(3000, 5, 20);
  const reader = await readerOf(await fileOf(sourceOf({ key: pairs }), { pageSize: 1024 }));
  const all = pairs.map(printable);
  const from = fc.oneof(
    fc.nat(3100).map((n) => String(n).padStart(5, '0')),
    fc.constantFrom('', '0', '00000', '02999', '02999x', 'z', '00199\0'),
  );
  await fc.assert(
    fc.asyncProperty(from, async (start) => {
      const expected = all.filter(([key]) => key >= start);
      assert.deepEqual(await pairsOf(reader, 'key', start), expected);
    }),
    { numRuns: 40 },
  );
});

test('chunks are bounded, and memory by the windows read', async () => {
  const file = await fileOf(sourceOf({ key: numberedPairs(3000, 8, 1000) }));
  let largest = 0;
  const access = memoryAccess(file);
  const reader = await BoltReader.open({
    size: access.size,
    read: (offset, length) => ((largest = Math.max(largest, length)), access.read(offset, length)),
  });
  for await (const chunk of reader.pairs('key')) assert.ok(chunk.length <= 300);
  assert.ok(largest <= 65536);
});

test('inline buckets, empty and not', async () => {
  const pair = { key: 'version', value: bytes(7) };
  const file = rawFile({
    root: 2,
    pages: [leafPage(2, [bucket('a', 0, inlineLeaf([pair])), bucket('b', 0, inlineLeaf([]))])],
  });
  const reader = await readerOf(file);
  assert.deepEqual(await contentOf(reader), { a: [printable(['version', bytes(7)])], b: [] });
  assert.deepEqual(await reader.get('a', 'version'), bytes(7));
  assert.equal(await reader.get('b', 'version'), undefined);
});

test('empty leaves within a tree are passed over', async () => {
  const file = rawFile({
    root: 6,
    pages: [
      leafPage(2, []),
      leafPage(3, [{ key: 'c' }]),
      leafPage(4, []),
      branchPage(5, [
        ['a', 2],
        ['c', 3],
        ['d', 4],
      ]),
      leafPage(6, [bucket('key', 5)]),
    ],
  });
  assert.deepEqual(await contentOf(await readerOf(file)), { key: [['c', '']] });
});

test('a file longer than its pages is read as bbolt leaves it', async () => {
  const file = await fileOf(sourceOf({ key: numberedPairs(10, 4, 4) }));
  const longer = await readerOf(Buffer.concat([file, new Uint8Array(5000)]));
  assert.equal(longer.sizeBytes, file.length);
  assert.equal((await pairsOf(longer, 'key')).length, 10);
});

test('metas: the higher transaction wins, a damaged one is passed over', async () => {
  const file = Buffer.from(await fileOf(sourceOf({}), { txid: 9n }));
  assert.equal((await readerOf(file)).txid, 9n);
  const swapped = Buffer.concat([
    file.subarray(4096, 8192),
    file.subarray(0, 4096),
    file.subarray(8192),
  ]);
  assert.equal((await readerOf(swapped)).txid, 9n);
  file[16 + 60]! ^= 1;
  assert.equal((await readerOf(file)).txid, 8n);
  file[4096 + 16]! ^= 1;
  await assert.rejects(readerOf(file), { code: 'NOT_BOLT', message: /page 0: .*page 1: / });
});

test('page size is found also when the first meta is damaged', async () => {
  for (let pageSize = 1024; pageSize <= 65536; pageSize *= 2) {
    const file = Buffer.from(
      await fileOf(sourceOf({ key: numberedPairs(50, 9, 90) }), { pageSize }),
    );
    assert.equal((await readerOf(file)).pageSize, pageSize);
    file.fill(0, 0, 80);
    const reader = await readerOf(file);
    assert.equal(reader.pageSize, pageSize);
    assert.equal((await pairsOf(reader, 'key')).length, 50);
  }
});

test('a page size that is no power of two', async () => {
  const options = { pageSize: 1536 };
  const file = rawFile({
    ...options,
    root: 3,
    pages: [leafPage(2, [{ key: 'a' }], options), leafPage(3, [bucket('key', 2)], options)],
  });
  assert.deepEqual(await contentOf(await readerOf(file)), { key: [['a', '']] });
});

test('no bbolt file at all', async () => {
  for (const size of [0, 1, 79, 80, 4096, 100_000]) {
    await assert.rejects(readerOf(bytes(size)), { code: 'NOT_BOLT', message: /^invalid database/ });
  }
});

test('a file cut short, before and while it is read', async () => {
  const file = await fileOf(sourceOf({ key: numberedPairs(1000, 8, 300) }));
  for (const size of [file.length - 1, file.length - 4096, 8192]) {
    await assert.rejects(readerOf(file.subarray(0, size)), {
      code: 'CORRUPT',
      message: /truncated/,
    });
  }
  let size = file.length;
  const shrinking: RandomAccess = {
    size,
    read: (at, length) => Promise.resolve(file.subarray(at, Math.min(size, at + length))),
  };
  const reader = await BoltReader.open(shrinking);
  size = 20_000;
  await assert.rejects(pairsOf(reader, 'key'), { code: 'CORRUPT', message: /truncated/ });
});

test('an error of the file comes through', async () => {
  const file = memoryAccess(await fileOf(sourceOf({})));
  const failing = {
    size: file.size,
    read: (at: number, length: number) =>
      length > 1000 ? Promise.reject(new Error('EIO')) : file.read(at, length),
  };
  await assert.rejects(BoltReader.open(failing), /EIO/);
});

/** One bucket, `key`, whose tree starts at page 2. */
function tree(...pages: Uint8Array[]): RawFile {
  return {
    root: 2 + pages.length,
    pages: [...pages, leafPage(2 + pages.length, [bucket('key', 2)])],
  };
}

const a = { key: 'a' };
const b = { key: 'b' };
const MALFORMED: [string, RawFile, RegExp][] = [
  ['root out of range', { root: 9, pages: [leafPage(2, [])] }, /^page 9: out of range \(2 to 2\)$/],
  [
    'bucket root out of range',
    { root: 2, pages: [leafPage(2, [bucket('key', 77)])] },
    /^page 77: /,
  ],
  ['bucket root a meta', { root: 2, pages: [leafPage(2, [bucket('key', 1)])] }, /^page 1: out of/],
  ['child out of range', tree(branchPage(2, [['a', 50]])), /^page 50: out of range/],
  ['child past 2^53', tree(branchPage(2, [['a', 2 ** 60]])), /^page \d+: out of range/],
  ['cycle of one', tree(branchPage(2, [['a', 2]])), /^page 2: /],
  ['cycle of two', tree(branchPage(2, [['a', 3]]), branchPage(3, [['a', 2]])), /^page [23]: /],
  ['wrong page number', tree(leafPage(7, [a])), /^page 2: carries the number 7$/],
  [
    'no kind',
    tree(leafPage(2, [a], { flags: 0 })),
    /^page 2: neither branch nor leaf \(flags 0x0\)/,
  ],
  ['two kinds', tree(leafPage(2, [a], { flags: 3 })), /^page 2: neither/],
  ['a freelist', tree(leafPage(2, [a], { flags: 16 })), /^page 2: neither/],
  ['overflow past the end', tree(leafPage(2, [a], { overflow: 2 })), /^page 2: 2 overflow pages/],
  ['too many elements', tree(leafPage(2, [a], { count: 64 })), /^page 2: 64 elements do not fit/],
  ['branch without elements', tree(branchPage(2, [])), /^page 2: branch without/],
  ['keys out of order', tree(leafPage(2, [b, a])), /^page 2: key 1 is not above/],
  ['a key twice', tree(leafPage(2, [a, a])), /^page 2: key 1 is not above/],
  [
    'branch keys out of order',
    tree(
      branchPage(2, [
        ['b', 3],
        ['a', 4],
      ]),
      leafPage(3, [b]),
      leafPage(4, [a]),
    ),
    /^page 2: key 1/,
  ],
  ['key below its parent', tree(branchPage(2, [['b', 3]]), leafPage(3, [a])), /^page 3: first key/],
  [
    'key at the next sibling',
    tree(
      branchPage(2, [
        ['a', 3],
        ['b', 4],
      ]),
      leafPage(3, [a, b]),
      leafPage(4, []),
    ),
    /^page 3: last key/,
  ],
  [
    'a leaf twice',
    tree(
      branchPage(2, [
        ['a', 3],
        ['b', 3],
      ]),
      leafPage(3, [a]),
    ),
    /^page 3: first key is below/,
  ],
  ['bucket in a bucket', tree(leafPage(2, [bucket('x', 2)])), /^page 2: element 0 is a bucket in/],
  ['directory of plain pairs', { root: 2, pages: [leafPage(2, [a])] }, /element 0 is not a bucket/],
  [
    'bucket entry too short',
    { root: 2, pages: [leafPage(2, [{ key: 'key', value: bytes(15), flags: 1 }])] },
    /^page 2: element 0: bucket entry of 15 bytes$/,
  ],
  [
    'inline without page',
    { root: 2, pages: [leafPage(2, [bucket('key', 0)])] },
    /^page 2: no room/,
  ],
  [
    'inline branch',
    { root: 2, pages: [leafPage(2, [bucket('key', 0, branchPage(0, [['a', 2]]).slice(0, 40))])] },
    /^page 2: element 0: inline bucket is not a leaf$/,
  ],
  [
    'inline leaf past its value',
    { root: 2, pages: [leafPage(2, [bucket('k', 0, inlineLeaf([{ key: 'abc' }]).slice(0, -1))])] },
    /^page 2: element 0 ends past the page$/,
  ],
];
for (const [what, file, message] of MALFORMED) {
  test(`malformed: ${what}`, async () => {
    const walk = async () => contentOf(await readerOf(rawFile(file)));
    await assert.rejects(walk, (error) => {
      assert.ok(error instanceof BoltError, String(error));
      assert.equal(error.code, 'CORRUPT');
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  });
}

test('malformed: a value or key past the page', async () => {
  for (const field of [4, 8, 12]) {
    const leaf = leafPage(2, [a]);
    leaf.writeUInt32LE(0xfffffff0, 16 + field);
    await assert.rejects(async () => contentOf(await readerOf(rawFile(tree(leaf)))), {
      message: 'page 2: element 0 ends past the page',
    });
  }
});

test('get ends on a cycle', async () => {
  const reader = await readerOf(rawFile(tree(branchPage(2, [['a', 2]]))));
  await assert.rejects(reader.get('key', 'a'), { message: 'page 2: deeper than 64 levels' });
});
