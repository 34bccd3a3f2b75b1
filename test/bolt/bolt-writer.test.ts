import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { BoltErrorCode, BoltPair, BoltSource } from '../../src/bolt/index.js';
import { BoltError, planBoltFile } from '../../src/bolt/index.js';
import { decodeMeta } from '../../src/bolt/format.js';
import { FIXTURES, snapshotOf } from './support/fixtures.js';
import type { Content } from './support/sources.js';
import { bytes, concat, contentOf, fileOf } from './support/sources.js';
import { numberedPairs, printableContent, readerOf, sourceOf } from './support/sources.js';

function hasCode(code: BoltErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof BoltError && error.code === code;
}

async function assertRoundTrip(content: Content, pageSize?: number): Promise<Uint8Array> {
  const plan = await planBoltFile(sourceOf(content), pageSize === undefined ? {} : { pageSize });
  const file = await concat(plan.write());
  assert.equal(file.length, plan.sizeBytes);
  const reader = await readerOf(file);
  assert.equal(reader.sizeBytes, plan.sizeBytes);
  assert.deepEqual(await reader.check(), []);
  assert.deepEqual(await contentOf(reader), printableContent(content));
  return file;
}

test('no buckets at all', async () => {
  const file = await assertRoundTrip({});
  assert.equal(file.length, 3 * 4096);
});

test('empty buckets', async () => {
  await assertRoundTrip({ alarm: [], auth: [], key: [] });
});

test('the smallest pairs', async () => {
  await assertRoundTrip({ k: [['\x00', bytes(0)]], m: [['\xff', bytes(1)]] });
});

test('the largest key, also in a branch', async () => {
  const key = (c: string) => c.repeat(32768);
  const pairs = 'abcdefgh'.split('').map((c): BoltPair => [key(c), bytes(10)]);
  await assertRoundTrip({ key: pairs });
});

test('values of several pages between small ones', async () => {
  const sizes = [1, 300_000, 2, 5000, 4096, 1_500_000, 0, 0, 12_000];
  await assertRoundTrip({ key: sizes.map((size, i) => [`k${i}`, bytes(size, i)]) });
});

test('branches of several levels', async () => {
  await assertRoundTrip({ key: numberedPairs(8000, 60, 3) }, 1024);
});

test('more buckets than fit in a page', async () => {
  const names = numberedPairs(500, 20, 0).map(([name]) => name);
  await assertRoundTrip(Object.fromEntries(names.map((name) => [name + '.', [['a', bytes(3)]]])));
});

test('sizes around the ends of a page', async () => {
  for (const pageSize of [1024, 4096]) {
    for (let delta = -20; delta <= 20; delta++) {
      await assertRoundTrip({ key: [['k', bytes(pageSize - 33 + delta)]] }, pageSize);
    }
  }
});

test('any content comes back', async () => {
  const key = fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.constantFrom(1, 1, 1, 5, 200))
    .map(([part, times]) => String.fromCharCode(...part).repeat(times));
  const length = fc.oneof(fc.nat(40), fc.integer({ min: 880, max: 1060 }), fc.nat(5000));
  const pairs = fc.array(fc.tuple(key, length), { maxLength: 150, size: 'max' });
  const content = fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), pairs, { maxKeys: 6 });
  await fc.assert(
    fc.asyncProperty(content, fc.constantFrom(1024, 4096, 65536), async (drawn, pageSize) => {
      await assertRoundTrip(sortedContent(drawn), pageSize);
    }),
    { numRuns: 60 },
  );
});

function sortedContent(drawn: Record<string, [string, number][]>): Content {
  const buckets = Object.keys(drawn).sort();
  return Object.fromEntries(buckets.map((name) => [name, sortedPairs(drawn[name]!)]));
}

function sortedPairs(drawn: [string, number][]): BoltPair[] {
  const unique = new Map(drawn.map(([key, length], i) => [key, bytes(length, i)]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1));
}

for (const version of FIXTURES) {
  test(`etcd ${version}: written again, it has the same content in no more room`, async () => {
    const original = await readerOf(snapshotOf(version));
    const written = await readerOf(await fileOf(original));
    assert.deepEqual(await written.check(), []);
    assert.deepEqual(await contentOf(written), await contentOf(original));
    assert.ok(written.sizeBytes <= original.sizeBytes);
  });
}

test('metas carry the transaction and the one before it, and no freelist', async () => {
  const file = await fileOf(sourceOf({ key: [] }), { txid: 41n });
  const [first, second] = [0, 4096].map((start) => decodeMeta(file.subarray(start + 16)));
  assert.ok(typeof first === 'object' && typeof second === 'object');
  assert.equal(first.txid, 41n);
  assert.deepEqual(second, { ...first, txid: 40n });
  assert.equal(first.freelist, undefined);
  assert.equal(first.highWater * 4096, file.length);
});

test('options out of range are refused', async () => {
  for (const options of [
    { pageSize: 512 },
    { pageSize: 5000 },
    { pageSize: 131072 },
    { txid: 0n },
  ]) {
    await assert.rejects(planBoltFile(sourceOf({}), options), RangeError);
  }
});

test('fill is close to bbolt: a tenth of each page stays free', async () => {
  const pairs = numberedPairs(20_000, 17, 60);
  const { sizeBytes } = await planBoltFile(sourceOf({ key: pairs }));
  const content = pairs.length * (16 + 17 + 60);
  assert.ok(content / sizeBytes > 0.86 && content / sizeBytes < 0.92, String(content / sizeBytes));
});

test('a plan can be written more than once', async () => {
  const plan = await planBoltFile(sourceOf({ key: numberedPairs(300, 8, 90) }));
  assert.deepEqual(await concat(plan.write()), await concat(plan.write()));
});

test('chunks are not touched again after they were given out', async () => {
  const plan = await planBoltFile(sourceOf({ key: numberedPairs(5000, 8, 90) }));
  const copies: Uint8Array[] = [];
  const chunks: Uint8Array[] = [];
  for await (const chunk of plan.write()) {
    chunks.push(chunk);
    copies.push(chunk.slice());
  }
  assert.ok(chunks.length > 3);
  chunks.forEach((chunk, i) => assert.equal(Buffer.compare(chunk, copies[i]!), 0));
});

const BAD: [string, Content][] = [
  ['buckets out of order', { b: [], a: [] }],
  [
    'keys out of order',
    {
      key: [
        ['b', bytes(1)],
        ['a', bytes(1)],
      ],
    },
  ],
  [
    'a key twice',
    {
      key: [
        ['a', bytes(1)],
        ['a', bytes(1)],
      ],
    },
  ],
  ['an empty key', { key: [['', bytes(1)]] }],
  ['a key too long', { key: [['a'.repeat(32769), bytes(1)]] }],
  ['an empty name', { '': [] }],
];
for (const [what, content] of BAD) {
  test(`refused: ${what}`, async () => {
    await assert.rejects(planBoltFile(sourceOf(content)), hasCode('BAD_SOURCE'));
  });
}

/** The source is `before` in the first walk and `after` in the second. */
function changing(before: Content, after: Content): BoltSource {
  let walks = 0;
  const current = () => sourceOf(walks < 2 ? before : after);
  return {
    buckets: () => (walks++, current().buckets()),
    pairs: (bucket) => current().pairs(bucket),
  };
}

const many = numberedPairs(3000, 8, 100);
const CHANGES: [string, BoltPair[]][] = [
  ['a value', many.with(1500, [many[1500]![0], bytes(100, 9999)])],
  ['the last value', many.with(2999, [many[2999]![0], bytes(100, 9999)])],
  ['the length of a value', many.with(10, [many[10]![0], bytes(99, 10)])],
  ['a key', many.with(10, ['0000000:', bytes(100, 10)])],
  ['one pair less', many.slice(0, -1)],
  ['many pairs less', many.slice(0, 1000)],
  ['one pair more', [...many, ['zzz', bytes(1)]]],
  ['many pairs more', [...many, ...many.map(([key, value]): BoltPair => ['z' + key, value])]],
  ['nothing left', []],
];
for (const [what, after] of CHANGES) {
  test(`source changed between the walks: ${what}`, async () => {
    const source = changing({ key: many, lease: [] }, { key: after, lease: [] });
    const plan = await planBoltFile(source);
    let given = 0;
    const consume = async () => {
      for await (const chunk of plan.write()) given += chunk.length;
    };
    await assert.rejects(consume(), hasCode('SOURCE_CHANGED'));
    assert.ok(given < plan.sizeBytes, 'never a whole file');
  });
}

test('source changed: a bucket more, a bucket of another name', async () => {
  for (const after of [{ key: [], lease: [] }, { kez: [] }] as Content[]) {
    const plan = await planBoltFile(changing({ key: [] }, after));
    await assert.rejects(concat(plan.write()), hasCode('SOURCE_CHANGED'));
  }
});

test('an error of the source comes through', async () => {
  const failing: BoltSource = {
    buckets: () => ['key'],
    // oxlint-disable-next-line require-yield
    async *pairs() {
      throw new Error('disk on fire');
    },
  };
  await assert.rejects(planBoltFile(failing), /disk on fire/);
});
