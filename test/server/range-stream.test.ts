/** KV.RangeStream over gRPC. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SortOrder, SortTarget, type RangeRequest } from '../../src/api/index.js';
import { DEFAULT_OPTIONS, createClient, rangeOf, type Client } from '../../src/client/index.js';
import { open, type Kvorum } from '../../src/embed/index.js';

let store: Kvorum;
let client: Client;
const KEYS = 3000;
const all: RangeRequest = { ...rangeOf('k'), rangeEnd: 'l' };

before(async () => {
  store = await open({ memory: true });
  const { port } = await store.listen('http://127.0.0.1:0');
  client = createClient({ ...DEFAULT_OPTIONS, endpoints: [`127.0.0.1:${port}`] });
  await Promise.all(
    Array.from({ length: KEYS }, (_, i) => store.put(`k${String(i).padStart(5, '0')}`, `v${i}`)),
  );
});

after(async () => {
  client.close();
  await store.close();
});

async function read(request: RangeRequest) {
  const parts = [];
  for await (const part of client.kv.rangeStream(request)) parts.push(part);
  return parts;
}

test('parts together are the answer of Range; the last has header, more and count', async () => {
  for (const request of [all, { ...all, limit: 100 }, { ...all, keysOnly: true }]) {
    const parts = await read(request);
    const { header, kvs, more, count } = await client.kv.range(request);
    const last = parts.at(-1)!;
    assert.deepEqual(
      parts.flatMap((part) => part.kvs),
      kvs,
    );
    assert.deepEqual([last.header, last.more, last.count], [header, more, count]);
    assert.ok(parts.slice(0, -1).every((part) => part.header === undefined));
    assert.ok(parts.length > 2);
  }
});

test('count_only is one message', async () => {
  const [part, ...others] = await read({ ...all, countOnly: true });
  assert.deepEqual([part?.kvs, part?.count, others], [[], KEYS, []]);
});

test('one key, no key, an empty range', async () => {
  const one = await read(rangeOf('k00007'));
  assert.deepEqual(
    one.map(({ kvs, count }) => [kvs[0]?.value, count]),
    [['v7', 1]],
  );
  for (const request of [rangeOf('x'), { ...rangeOf('l'), rangeEnd: 'k' }]) {
    const parts = await read(request);
    assert.deepEqual(
      parts.map(({ kvs, count, more }) => [kvs, count, more]),
      [[[], 0, false]],
    );
  }
});

test('what it cannot do is refused', async () => {
  const refused = (fields: Partial<RangeRequest>, message: string) =>
    assert.rejects(read({ ...all, ...fields }), { message });
  await refused(
    { sortOrder: SortOrder.descend, sortTarget: SortTarget.key },
    'RangeStream does not support custom sort orders',
  );
  await refused({ minModRevision: 1 }, 'RangeStream does not support revision filters');
  await refused({ key: '' }, 'etcdserver: key is not provided');
  await refused({ revision: 10 ** 9 }, 'etcdserver: mvcc: required revision is a future revision');
  // Ascending by key is the order it has.
  await read({ ...all, limit: 1, sortOrder: SortOrder.ascend, sortTarget: SortTarget.key });
});

test('a reader that goes away ends the reading', async () => {
  for await (const part of client.kv.rangeStream(all)) {
    assert.ok(part.kvs.length > 0);
    break;
  }
  assert.equal((await client.kv.range({ ...all, countOnly: true })).count, KEYS);
});

test('writes meanwhile do not show', async () => {
  const revision = store.revision;
  let count = 0;
  for await (const part of client.kv.rangeStream(all)) {
    count += part.kvs.length;
    await store.put(`k${count}x`, 'later');
    if (part.header !== undefined) assert.equal(part.header.revision, revision);
  }
  assert.equal(count, KEYS);
  await store.deletePrefix('k');
});
