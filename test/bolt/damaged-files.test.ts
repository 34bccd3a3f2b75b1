/**
 * Files with random damage: whatever is wrong with one, the reader ends with an answer or a BoltError,
 * in time and reads in proportion to the file, and never outside of it.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { RandomAccess } from '../../src/bolt/index.js';
import { BoltError, BoltReader, checkBoltFile, snapshotStatus } from '../../src/bolt/index.js';
import { decodeMeta, encodeMetaPage } from '../../src/bolt/format.js';
import { snapshotOf } from './support/fixtures.js';
import { branchPage, bucket, freelistPage, inlineLeaf, leafPage } from './support/raw-file.js';
import { rawFile } from './support/raw-file.js';
import { bytes, fileOf, numberedPairs, sourceOf } from './support/sources.js';

/** Bytes read by one method may be so many times the file: windows are read again, runs overlap. */
const MAX_READ_FACTOR = 150;

class WatchedFile implements RandomAccess {
  readonly size: number;
  readonly #bytes: Uint8Array;
  #readBytes = 0;

  constructor(file: Uint8Array) {
    this.#bytes = file;
    this.size = file.length;
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    assert.ok(Number.isSafeInteger(offset) && offset >= 0 && length > 0, `${offset}, ${length}`);
    assert.ok(offset + length <= this.size, `reads ${length} at ${offset} of ${this.size}`);
    this.#readBytes += length;
    assert.ok(this.#readBytes <= this.size * MAX_READ_FACTOR, 'reads without end');
    return Promise.resolve(this.#bytes.subarray(offset, offset + length));
  }
}

/** The step's result, or undefined when it refused the file as it should. */
async function attempt<T>(step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof BoltError) return undefined;
    throw error;
  }
}

/** Every method on the file. A file without a problem must also be walked without one. */
async function exercise(file: Uint8Array): Promise<void> {
  const problems = await checkBoltFile(new WatchedFile(file));
  for (const problem of problems) assert.doesNotMatch(problem, /\n/);
  const reader = await attempt(() => BoltReader.open(new WatchedFile(file)));
  if (reader === undefined) return;
  await attempt(() => snapshotStatus(reader));
  for (const name of reader.buckets().slice(0, 20)) {
    await attempt(() => reader.get(name, '00000100'));
    await attempt(() => countPairs(reader, name, ''));
    await attempt(() => countPairs(reader, name, '00000100'));
  }
}

async function countPairs(reader: BoltReader, bucket: string, from: string): Promise<number> {
  let count = 0;
  for await (const chunk of reader.pairs(bucket, from)) count += chunk.length;
  return count;
}

/** A number where the format has one, of a kind that does harm there. */
const damage = fc.record({
  /** Where, as a share of the file's pages, and in the page. */
  page: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  offset: fc.oneof(fc.nat(63), fc.nat(1023)),
  width: fc.constantFrom(1, 2, 4),
  value: fc.oneof(
    fc.nat(60),
    fc.constantFrom(0x0f, 0x10, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 0x10000),
    fc.nat(0xffff),
  ),
});
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function damaged(file: Uint8Array, all: readonly Damage[], pageSize: number): Uint8Array {
  const copy = Buffer.from(file);
  for (const { page, offset, width, value } of all) {
    const start = Math.floor(page * (file.length / pageSize)) * pageSize + offset;
    const at = Math.min(start, file.length - width);
    copy.writeUIntLE(value % 2 ** (8 * width), at, width);
  }
  return copy;
}

async function assertHarmless(file: Uint8Array, pageSize: number, numRuns: number): Promise<void> {
  await exercise(file);
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 6 }), (all) =>
      exercise(damaged(file, all, pageSize)),
    ),
    { numRuns },
  );
}

test('damage in a written file with branches and overflow pages', async () => {
  const pairs = numberedPairs(600, 40, 20).toSpliced(300, 1, ['0'.repeat(38) + '300', bytes(5000)]);
  const sorted = pairs.sort(([x], [y]) => (x < y ? -1 : 1));
  const file = await fileOf(sourceOf({ key: sorted, lease: [], meta: [['x', bytes(3)]] }), {
    pageSize: 1024,
  });
  await assertHarmless(file, 1024, 150);
});

test('damage in a small file with a freelist, inline and nested buckets', async () => {
  const entries = [
    bucket('inline', 0, inlineLeaf([{ key: 'a', value: bytes(9) }, { key: 'b' }])),
    bucket('key', 5),
    bucket('other', 2),
  ];
  const file = rawFile({
    root: 6,
    freelist: 7,
    pages: [
      leafPage(2, [bucket('nested', 3)]),
      leafPage(3, [{ key: 'a' }]),
      leafPage(4, [{ key: 'b', value: bytes(600) }]),
      branchPage(5, [['b', 4]]),
      leafPage(6, entries),
      freelistPage(7, [8]),
      leafPage(8, []),
    ],
  });
  await assertHarmless(file, 1024, 600);
});

test('damage in a file of etcd', async () => {
  await assertHarmless(snapshotOf('3.5.16').subarray(0, -32), 4096, 25);
});

test('a file cut anywhere', async () => {
  const file = await fileOf(sourceOf({ key: numberedPairs(100, 8, 60) }), { pageSize: 1024 });
  await fc.assert(
    fc.asyncProperty(fc.nat(file.length - 1), async (size) => {
      const opened = await attempt(() => BoltReader.open(new WatchedFile(file.subarray(0, size))));
      assert.equal(opened, undefined);
    }),
  );
});

test('metas with a right checksum and wrong content', async () => {
  const file = await fileOf(sourceOf({ key: numberedPairs(100, 8, 60) }), { pageSize: 1024 });
  const meta = decodeMeta(file.subarray(16));
  assert.ok(typeof meta === 'object');
  const pageId = fc.oneof(fc.nat(40), fc.constantFrom(2 ** 31, 2 ** 32, 2 ** 53 - 1));
  const wrong = fc.record({
    root: pageId,
    highWater: pageId,
    freelist: fc.option(pageId, { nil: undefined }),
    pageSize: fc.constantFrom(512, 1024, 1025, 2048, 4096),
  });
  await fc.assert(
    fc.asyncProperty(wrong, async (fields) => {
      const copy = Buffer.from(file);
      copy.set(encodeMetaPage(0, { ...meta, ...fields, txid: 99n }).subarray(0, 80));
      await exercise(copy);
    }),
    { numRuns: 200 },
  );
});

test('pages that claim all pages after them', async () => {
  const children = Array.from({ length: 40 }, (_, i): [string, number] => [key(i), 3 + i]);
  const leaves = children.map(([name, id], i) =>
    leafPage(id, [{ key: name }], { overflow: children.length - 1 - i }),
  );
  const root = 3 + children.length;
  const file = rawFile({
    root,
    pages: [branchPage(2, children), ...leaves, leafPage(root, [bucket('key', 2)])],
  });
  await exercise(file);
  const reader = await BoltReader.open(new WatchedFile(file));
  await assert.rejects(countPairs(reader, 'key', ''), { message: /its tree has more pages than/ });
});

function key(i: number): string {
  return String(i).padStart(3, '0');
}

test('long chains of branches', async () => {
  const chain = Array.from({ length: 200 }, (_, i) => branchPage(2 + i, [['a', 3 + i]]));
  const pages = [...chain, leafPage(202, [{ key: 'a' }]), leafPage(203, [bucket('key', 2)])];
  const file = rawFile({ root: 203, pages });
  await exercise(file);
  const reader = await BoltReader.open(new WatchedFile(file));
  await assert.rejects(countPairs(reader, 'key', ''), {
    message: 'page 66: deeper than 64 levels',
  });
  await assert.rejects(reader.get('key', 'a'), { message: /deeper than 64 levels/ });
});
