/** The store beside its slow twin: any history, read at any revision, gives the same pairs. */
import { revisionHeader } from '../../src/mvcc/txn.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isEtcdError, type KeyValue, type RequestOp } from '../../src/api/index.js';
import type { Backend } from '../../src/backend/index.js';
import { endOfRange, mainOfRecordKey, subOfRecordKey, type Store } from '../../src/mvcc/index.js';
import { Model } from './model.js';
import {
  FakeLeases,
  deleteRequest,
  openStore,
  putRequest,
  rangeRequest,
  txnRequest,
  type Opened,
} from './support.js';

const KEYS = ['a', 'a\0', 'aa', 'b', 'b\xff', 'c', '\xff', '\xff\xff'];
const ENDS = ['', '\0', ...KEYS];
const LEASES = [0n, 0n, 7n, -1n, 9223372036854775807n];

const key = fc.constantFrom(...KEYS);
const range = fc.record({ key, rangeEnd: fc.constantFrom(...ENDS) });
const value = fc.constantFrom('', 'x', 'y', '\xff\0\x80', 'long'.repeat(50));
const put = fc.record({
  kind: fc.constant('put' as const),
  key,
  value,
  lease: fc.constantFrom(...LEASES),
  ignoreValue: fc.boolean(),
});
const remove = fc.record({ kind: fc.constant('delete' as const), range });
const write = fc.oneof(put, remove);
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  { arbitrary: write, weight: 5 },
  {
    arbitrary: fc.record({
      kind: fc.constant('txn' as const),
      ops: fc.array(write, { maxLength: 4 }),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: fc.constant('compact' as const), back: fc.nat(6) }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('deleteKeys' as const),
      keys: fc.array(key, { maxLength: 4 }),
    }),
    weight: 1,
  },
  { arbitrary: fc.constant({ kind: 'reopen' as const }), weight: 1 },
);

function requestOf(op: Write): RequestOp {
  return op.kind === 'put'
    ? { kind: 'put', request: putRequest({ ...op, value: op.ignoreValue ? '' : op.value }) }
    : { kind: 'deleteRange', request: deleteRequest(op.range) };
}

const LAST_WRITE: Write = { kind: 'put', key: 'a', value: 'last', lease: 0n, ignoreValue: false };

test('reads at every revision, leases and indexes equal the model after any history', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40, size: 'max' }),
      fc.constantFrom(0, 300, 1_000_000),
      async (steps, cacheBytes) => {
        const model = new Model();
        let opened = await openStore({ cacheBytes, leases: new FakeLeases(...LEASES) });
        for (const one of steps) {
          const { store, backend } = opened;
          switch (one.kind) {
            case 'put':
            case 'delete':
              applyAlone(store, model, one);
              break;
            case 'txn':
              applyTxn(store, model, one.ops);
              break;
            case 'deleteKeys':
              applyDeleteKeys(store, model, one.keys);
              break;
            case 'compact':
              await compact(opened, model, model.revision - one.back);
              break;
            case 'reopen':
              await store.close();
              opened = await openStore({ cacheBytes, backend, leases: new FakeLeases(...LEASES) });
              break;
          }
          opened.store.check();
          assert.equal(opened.store.currentRevision, model.revision);
        }
        // One more revision, so that no compaction has left a hash of the last one.
        applyAlone(opened.store, model, LAST_WRITE);
        checkEveryRevision(opened.store, model);
        assert.deepEqual(opened.leases.attached(), attachedIn(model));
        const reopened = await openStore({
          backend: opened.backend,
          leases: new FakeLeases(...LEASES),
        });
        checkEveryRevision(reopened.store, model);
        assert.deepEqual(reopened.leases.attached(), attachedIn(model));
        assert.deepEqual(
          await reopened.store.hashKv(model.revision),
          await opened.store.hashKv(model.revision),
        );
      },
    ),
    { numRuns: 150 },
  );
});

function applyAlone(store: Store, model: Model, op: Write): void {
  const missing = op.kind === 'put' && op.ignoreValue && !model.current.has(op.key);
  const request = requestOf(op);
  const act = () => {
    if (request.kind === 'put') store.put(request.request);
    else if (request.kind === 'deleteRange') store.deleteRange(request.request);
  };
  if (missing) assert.throws(act, (error) => isEtcdError(error, 'keyNotFound'));
  else {
    act();
    model.write((write) => applyTo(write, op));
  }
}

function applyTo(write: Parameters<Parameters<Model['write']>[0]>[0], op: Write): void {
  if (op.kind === 'put') {
    const value = op.ignoreValue ? write.state.get(op.key)!.value : op.value;
    write.put(op.key, value, op.lease);
  } else {
    write.deleteRange(op.range.key, endOfRange(op.range.key, op.range.rangeEnd));
  }
}

/** Any order of puts and deletes, as if validation had let it pass: the log may hold it. */
function applyTxn(store: Store, model: Model, ops: readonly Write[]): void {
  const act = () => store.txn(txnRequest({ success: ops.map(requestOf) }));
  const deleted: string[] = [];
  for (const op of ops) {
    if (op.kind === 'delete') {
      deleted.push(
        ...KEYS.filter((k) => k >= op.range.key && k < endOfRange(op.range.key, op.range.rangeEnd)),
      );
    } else if (op.ignoreValue && (!model.current.has(op.key) || deleted.includes(op.key))) {
      assert.throws(act, (error) => isEtcdError(error, 'keyNotFound'));
      return;
    }
  }
  const response = act();
  assert.equal(response.responses.length, ops.length);
  model.write((write) => {
    for (const op of ops) applyTo(write, op);
  });
}

function applyDeleteKeys(store: Store, model: Model, keys: readonly string[]): void {
  const living = new Set(keys.filter((k) => model.current.has(k)));
  // The lessor has a key once; the store must not mind hearing of it twice.
  assert.equal(store.deleteKeys(keys), living.size);
  model.write((write) => {
    for (const k of [...living].sort()) write.deleteRange(k, k + '\0');
  });
}

async function compact({ store, backend }: Opened, model: Model, revision: number): Promise<void> {
  if (revision <= model.compactRevision) {
    assert.throws(
      () => store.compact(revision),
      (error) => isEtcdError(error, 'compacted'),
    );
    return;
  }
  model.compactRevision = revision;
  const { finished } = store.compact(revision);
  checkEveryRevision(store, model);
  await finished;
  assert.deepEqual(await recordsIn(backend), recordsAfterCompaction(model));
}

async function recordsIn(backend: Backend): Promise<string[]> {
  const pairs = await backend.scan('key', { from: '', limit: Infinity });
  return pairs.map(([name]) => describeRecord(mainOfRecordKey(name), subOfRecordKey(name)));
}

/** All above the compaction, and of each key the newest below if it is a put, or exactly there. */
function recordsAfterCompaction(model: Model): string[] {
  const { compactRevision } = model;
  const records = model.events.flatMap((events, main) =>
    events.map(({ type, kv }, sub) => ({ main, sub, type, key: kv.key })),
  );
  const newest = new Map<string, (typeof records)[0]>();
  for (const record of records) {
    if (record.main <= compactRevision) newest.set(record.key, record);
  }
  return records
    .filter((record) => {
      if (record.main > compactRevision) return true;
      if (newest.get(record.key) !== record) return false;
      return record.type === 'put' || record.main === compactRevision;
    })
    .map(({ main, sub }) => describeRecord(main, sub));
}

function describeRecord(main: number, sub: number): string {
  return `${main}_${sub}`;
}

function checkEveryRevision(store: Store, model: Model): void {
  for (let revision = 1; revision <= model.revision; revision++) {
    const request = rangeRequest({ key: '\0', rangeEnd: '\0', revision });
    if (revision < model.compactRevision) {
      assert.throws(
        () => store.range(request),
        (error) => isEtcdError(error, 'compacted'),
      );
      continue;
    }
    const expected = model.range('', '\u0100', revision);
    const { kvs, count, more } = store.range(request);
    assert.deepEqual({ kvs, count, more }, { kvs: expected, count: expected.length, more: false });
    for (const pair of expected) {
      const { kvs: one } = store.range(rangeRequest({ key: pair.key, revision }));
      assert.deepEqual(one, [pair]);
    }
  }
}

function attachedIn(model: Model): [bigint, string[]][] {
  return [...new Set(LEASES)].map((id) => [
    id,
    id === 0n
      ? []
      : [...model.current.values()]
          .filter((pair) => pair.lease === id)
          .map((pair) => pair.key)
          .sort(),
  ]);
}

test('any range request equals the definition: fetch, filter, sort, cut', async () => {
  const bound = fc.constantFrom<number | bigint>(0, 0, 0, 3, 5, -1, 2n ** 62n, -(2n ** 62n));
  const request = fc.record({
    key,
    rangeEnd: fc.constantFrom(...ENDS),
    limit: fc.constantFrom<number | bigint>(0, 1, 2, 3, 100, -1, 2n ** 62n),
    sortOrder: fc.nat(2),
    sortTarget: fc.nat(4),
    keysOnly: fc.boolean(),
    countOnly: fc.boolean(),
    minModRevision: bound,
    maxModRevision: bound,
    minCreateRevision: bound,
    maxCreateRevision: bound,
    back: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { maxLength: 15, size: 'max' }),
      fc.array(request),
      async (writes, requests) => {
        const model = new Model();
        const { store } = await openStore({ leases: new FakeLeases(...LEASES) });
        for (const op of writes) applyAlone(store, model, op);
        for (const { back, ...fields } of requests) {
          const revision = Math.max(1, model.revision - back);
          const asked = rangeRequest({ ...fields, revision });
          const expected = expectedRange(model, asked, revision);
          // Ties have no defined order in etcd; here both sides keep them in key order.
          assert.deepEqual(store.range(asked), expected);
          const header = revisionHeader(model.revision);
          assert.deepEqual(await store.rangeInSlices(asked), { header, ...expected });
        }
      },
    ),
    { numRuns: 150 },
  );
});

type Asked = ReturnType<typeof rangeRequest>;
interface Answer {
  kvs: KeyValue[];
  count: number;
  more: boolean;
}

function expectedRange(model: Model, asked: Asked, revision: number): Answer {
  const all = model.range(asked.key, endOfRange(asked.key, asked.rangeEnd), revision);
  const count = all.length;
  if (asked.countOnly) return { kvs: [], count, more: false };
  const bounds = [
    asked.minModRevision,
    asked.maxModRevision,
    asked.minCreateRevision,
    asked.maxCreateRevision,
  ];
  const on = bounds.map((bound) => Number(bound) !== 0);
  const limited = asked.limit > 0;
  const pushed =
    limited &&
    !on.some(Boolean) &&
    (asked.sortOrder === 0 || (asked.sortOrder === 1 && asked.sortTarget === 0));
  const fetched = pushed ? all.slice(0, Number(asked.limit) + 1) : all;
  const kept = fetched.filter(
    (pair) =>
      !(on[0] && pair.modRevision < asked.minModRevision) &&
      !(on[1] && pair.modRevision > asked.maxModRevision) &&
      !(on[2] && pair.createRevision < asked.minCreateRevision) &&
      !(on[3] && pair.createRevision > asked.maxCreateRevision),
  );
  const sorted = kept.sort((a, b) => {
    const [x, y] = [sortField(a, asked.sortTarget), sortField(b, asked.sortTarget)];
    return (asked.sortOrder === 2 ? -1 : 1) * (x < y ? -1 : x > y ? 1 : 0);
  });
  const cut = limited ? sorted.slice(0, Number(asked.limit)) : sorted;
  const kvs = cut.map((pair) => (asked.keysOnly ? { ...pair, value: '' } : pair));
  return { kvs, count, more: cut.length < sorted.length };
}

function sortField(pair: KeyValue, target: number): string | number {
  return [pair.key, pair.version, pair.createRevision, pair.modRevision, pair.value][target]!;
}
