import assert from 'node:assert/strict';
import test from 'node:test';
import { checkBoltFile, memoryAccess } from '../../src/bolt/index.js';
import { FIXTURES, snapshotOf } from './support/fixtures.js';
import type { RawFile } from './support/raw-file.js';
import {
  branchPage,
  bucket,
  freelistPage,
  inlineLeaf,
  leafPage,
  rawFile,
} from './support/raw-file.js';
import { bytes } from './support/sources.js';

function problemsOf(file: RawFile): Promise<string[]> {
  return checkBoltFile(memoryAccess(rawFile(file)));
}

for (const version of FIXTURES) {
  test(`etcd ${version}: no problems`, async () => {
    assert.deepEqual(await checkBoltFile(memoryAccess(snapshotOf(version))), []);
  });
}

test('a file that cannot be opened is a problem', async () => {
  const [problem, ...more] = await checkBoltFile(memoryAccess(bytes(9000)));
  assert.match(problem!, /^invalid database/);
  assert.deepEqual(more, []);
});

const a = leafPage(2, [{ key: 'a' }]);
const b = leafPage(3, [{ key: 'b' }]);
const ab: [string, number][] = [
  ['a', 2],
  ['b', 3],
];

test('without a freelist, unused pages are free', async () => {
  assert.deepEqual(
    await problemsOf({ root: 4, pages: [a, b, leafPage(4, [bucket('key', 2)])] }),
    [],
  );
});

test('with a freelist, each page is used or free', async () => {
  const file = (ids: number[]) => ({
    root: 4,
    freelist: 5,
    pages: [a, b, leafPage(4, [bucket('key', 2)]), freelistPage(5, ids)],
  });
  assert.deepEqual(await problemsOf(file([3])), []);
  assert.deepEqual(await problemsOf(file([])), ['page 3: is neither reachable nor free']);
  assert.deepEqual(await problemsOf(file([3, 3])), ['page 3: is twice in the freelist']);
  assert.deepEqual(await problemsOf(file([2, 3])), ['page 2: is reachable, yet in the freelist']);
  assert.deepEqual(await problemsOf(file([3, 6, 1])), [
    'page 5: frees page 6, which is out of range',
    'page 5: frees page 1, which is out of range',
  ]);
});

test('a freelist of more than 65,534 pages', async () => {
  const first = 2 + Math.ceil((16 + 8 + 70_000 * 8) / 1024);
  const ids = Array.from({ length: 70_000 }, (_, i) => first + 1 + i);
  const file = (freed: number[]) => ({
    root: first,
    freelist: 2,
    pages: [freelistPage(2, freed), leafPage(first, []), Buffer.alloc(70_000 * 1024)],
  });
  assert.deepEqual(await problemsOf(file(ids)), []);
  assert.deepEqual(await problemsOf(file(ids.slice(0, -1))), [
    `page ${first + 70_000}: is neither reachable nor free`,
  ]);
});

test('a freelist page that is none', async () => {
  const root = leafPage(2, []);
  assert.deepEqual(await problemsOf({ root: 2, freelist: 3, pages: [root, leafPage(3, [])] }), [
    'page 3: is not a freelist',
    'page 3: is neither reachable nor free',
  ]);
  assert.deepEqual(
    await problemsOf({ root: 2, freelist: 3, pages: [root, freelistPage(3, [], { count: 200 })] }),
    ['page 3: 200 ids do not fit'],
  );
});

test('a page in two places', async () => {
  const pages = [a, leafPage(3, [bucket('key', 2), bucket('lease', 2)])];
  assert.deepEqual(await problemsOf({ root: 3, pages }), ['page 2: is referenced more than once']);
});

test('an overflow page that is also a page', async () => {
  const long = leafPage(2, [{ key: 'a' }], { overflow: 1 });
  const pages = [long, b, branchPage(4, ab), leafPage(5, [bucket('key', 4)])];
  assert.deepEqual(await problemsOf({ root: 5, pages }), ['page 3: is referenced more than once']);
});

test('all problems are told, not the first alone', async () => {
  const pages = [
    leafPage(2, [{ key: 'b' }, { key: 'a' }]),
    leafPage(9, []),
    branchPage(4, [['x', 88]]),
    leafPage(5, [bucket('alarm', 2), bucket('key', 3), bucket('lease', 4)]),
  ];
  assert.deepEqual(await problemsOf({ root: 5, pages }), [
    'page 2: key 1 is not above the one before',
    'page 3: carries the number 9',
    'page 88: out of range (2 to 5)',
  ]);
});

test('order between pages', async () => {
  const pages = [
    a,
    b,
    branchPage(4, [
      ['a', 2],
      ['c', 3],
    ]),
    leafPage(5, [bucket('key', 4)]),
  ];
  assert.deepEqual(await problemsOf({ root: 5, pages }), [
    'page 3: first key is below the key of its parent',
  ]);
});

test('buckets in buckets are walked, inline ones are not looked into', async () => {
  const nested = leafPage(2, [bucket('deep', 3)]);
  const inline = bucket('inline', 0, inlineLeaf([{ key: 'b' }, { key: 'a' }]));
  const file = { root: 4, pages: [nested, b, leafPage(4, [inline, bucket('key', 2)])] };
  assert.deepEqual(await problemsOf(file), []);
  const broken = leafPage(3, [{ key: 'b' }, { key: 'a' }]);
  assert.deepEqual(await problemsOf({ ...file, pages: [nested, broken, file.pages[2]!] }), [
    'page 3: key 1 is not above the one before',
  ]);
});

test('a cycle', async () => {
  const pages = [
    branchPage(2, [['a', 3]]),
    branchPage(3, [['a', 2]]),
    leafPage(4, [bucket('k', 2)]),
  ];
  assert.deepEqual(await problemsOf({ root: 4, pages }), ['page 2: is referenced more than once']);
});
