import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isEtcdError,
  type Compare,
  type EtcdErrorName,
  type RequestOp,
  type TxnRequest,
  type TxnResponse,
} from '../../src/api/index.js';
import {
  isReadOnlyTxn,
  isSerializableTxn,
  putCostBytes,
  txnCostBytes,
  type Store,
} from '../../src/mvcc/index.js';
import {
  FakeLeases,
  deleteRequest,
  openStore,
  putRequest,
  rangeRequest,
  txnRequest,
} from './support.js';

const put = (key: string, fields: Parameters<typeof putRequest>[0] = {}): RequestOp => ({
  kind: 'put',
  request: putRequest({ key, ...fields }),
});
const remove = (key: string, rangeEnd = ''): RequestOp => ({
  kind: 'deleteRange',
  request: deleteRequest({ key, rangeEnd }),
});
const get = (key: string, fields: Parameters<typeof rangeRequest>[0] = {}): RequestOp => ({
  kind: 'range',
  request: rangeRequest({ key, ...fields }),
});
const nested = (fields: Partial<TxnRequest>): RequestOp => ({
  kind: 'txn',
  request: txnRequest(fields),
});

const EQUAL = 0;
const GREATER = 1;
const LESS = 2;
const NOT_EQUAL = 3;
const [VERSION, CREATE, MOD, VALUE, LEASE] = [0, 1, 2, 3, 4] as const;

const compare = (fields: Partial<Compare>): Compare => ({
  result: EQUAL,
  target: VERSION,
  key: 'a',
  rangeEnd: '',
  ...fields,
});
const succeeds = (store: Store, fields: Partial<Compare>) =>
  store.txn(txnRequest({ compare: [compare(fields)] })).succeeded;
const refuses = (name: EtcdErrorName, act: () => unknown) =>
  assert.throws(act, (error) => isEtcdError(error, name));

/** a=1 (lease 7, two versions) and b=2; revision 4. */
async function twoKeys() {
  const opened = await openStore({ leases: new FakeLeases(7n) });
  opened.store.put(putRequest({ key: 'a', value: '0' }));
  opened.store.put(putRequest({ key: 'a', value: '1', lease: 7n }));
  opened.store.put(putRequest({ key: 'b', value: '2' }));
  return opened;
}

/** Shape of the answer with revisions of headers only. */
function outline(response: TxnResponse): unknown {
  return response.responses.map(({ kind, response: inner }) => {
    const header = inner.header!.revision;
    return kind === 'txn' ? [kind, header, outline(inner)] : [kind, header];
  });
}

test('headers inside: the revision so far, an empty one for a nested txn', async () => {
  const { store } = await twoKeys();
  const response = store.txn(
    txnRequest({
      success: [
        get('a'),
        remove('x'),
        put('c'),
        nested({ success: [get('c'), remove('b')] }),
        get('a'),
      ],
    }),
  );
  assert.equal(response.header, undefined);
  assert.deepEqual(outline(response), [
    ['range', 4],
    ['deleteRange', 4],
    ['put', 5],
    [
      'txn',
      0,
      [
        ['range', 5],
        ['deleteRange', 5],
      ],
    ],
    ['range', 5],
  ]);
  assert.equal(store.currentRevision, 5);
});

test('a txn that changes nothing is no revision', async () => {
  const { store } = await twoKeys();
  store.txn(txnRequest({ success: [get('a'), remove('x')] }));
  assert.equal(store.currentRevision, 4);
});

test('all compares see the state before, reads see the writes of the txn', async () => {
  const { store } = await twoKeys();
  const isTwo = compare({ target: VALUE, operand: { kind: 'value', value: '2' }, key: 'b' });
  const response = store.txn(
    txnRequest({
      success: [put('b', { value: '3' }), nested({ compare: [isTwo], success: [get('b')] })],
    }),
  );
  const inner = response.responses[1]!.response as TxnResponse;
  assert.equal(inner.succeeded, true);
  const range = inner.responses[0]!;
  assert.ok(range.kind === 'range');
  assert.equal(range.response.kvs[0]!.value, '3');
});

test('an old revision can be read inside a txn', async () => {
  const { store } = await twoKeys();
  const [, old] = store.txn(
    txnRequest({ success: [put('a', { value: 'new' }), get('a', { revision: 2 })] }),
  ).responses;
  assert.ok(old!.kind === 'range');
  assert.equal(old!.response.kvs[0]!.value, '0');
});

test('compare: every target and result, also for a missing key', async () => {
  const { store } = await twoKeys();
  const number = (kind: 'version' | 'create' | 'mod', value: number | bigint) =>
    ({ kind, value }) as const;
  assert.ok(succeeds(store, { target: VERSION, operand: number('version', 2) }));
  assert.ok(succeeds(store, { target: CREATE, operand: number('create', 2) }));
  assert.ok(succeeds(store, { target: MOD, operand: number('mod', 3) }));
  assert.ok(succeeds(store, { target: LEASE, operand: { kind: 'lease', value: 7n } }));
  assert.ok(succeeds(store, { target: MOD, result: LESS, operand: number('mod', 2n ** 62n) }));
  assert.ok(
    succeeds(store, { target: MOD, result: GREATER, operand: number('mod', -(2n ** 62n)) }),
  );
  assert.ok(!succeeds(store, { target: MOD, operand: number('mod', 2n ** 53n + 3n) }));
  assert.ok(
    succeeds(store, { target: VALUE, result: LESS, operand: { kind: 'value', value: '\xff' } }),
  );
  assert.ok(
    succeeds(store, { target: VALUE, result: GREATER, operand: { kind: 'value', value: '' } }),
  );
  assert.ok(succeeds(store, { key: 'x', target: VERSION }));
  assert.ok(succeeds(store, { key: 'x', target: MOD, result: LESS, operand: number('mod', 1) }));
  for (const result of [EQUAL, GREATER, LESS, NOT_EQUAL, 99]) {
    assert.ok(
      !succeeds(store, { key: 'x', target: VALUE, result, operand: { kind: 'value', value: '' } }),
    );
  }
});

test('compare: what etcd makes of odd ones', async () => {
  const { store } = await twoKeys();
  assert.ok(
    succeeds(store, { result: 99, operand: { kind: 'version', value: 99 } }),
    'unknown result',
  );
  assert.ok(succeeds(store, { target: 99, result: EQUAL }), 'unknown target compares equal');
  assert.ok(!succeeds(store, { target: 99, result: GREATER }));
  assert.ok(
    !succeeds(store, { target: VERSION, operand: { kind: 'mod', value: 2 } }),
    'operand of another kind',
  );
  assert.ok(succeeds(store, { key: 'x', target: VERSION, operand: { kind: 'mod', value: 2 } }));
  assert.ok(succeeds(store, { target: VERSION, result: GREATER }), 'no operand is zero');
});

test('compare over a range: all keys, and an empty one as a missing key', async () => {
  const { store } = await twoKeys();
  const version = (value: number, result = EQUAL) =>
    ({ rangeEnd: 'c', result, operand: { kind: 'version', value } }) as const;
  assert.ok(!succeeds(store, version(2)));
  assert.ok(succeeds(store, version(0, GREATER)));
  assert.ok(succeeds(store, { ...version(0), key: 'x', rangeEnd: '\0' }));
  assert.ok(succeeds(store, { ...version(0), key: 'b', rangeEnd: 'a' }));
});

test('all or nothing: a refusal anywhere on the path leaves no trace', async () => {
  const { store, backend } = await twoKeys();
  await store.compact(3).finished;
  const pending = backend.pendingOps;
  const first = put('c');
  const cases: [EtcdErrorName, RequestOp[]][] = [
    ['futureRev', [first, get('a', { revision: 5 })]],
    ['compacted', [first, get('a', { revision: 2 })]],
    ['compacted', [first, get('a', { revision: -1 })]],
    ['leaseNotFound', [first, nested({ success: [put('d', { lease: 9n })] })]],
    ['keyNotFound', [first, put('x', { ignoreValue: true })]],
    ['keyNotFound', [first, put('x', { ignoreValue: true, lease: 9n })]],
    ['keyNotFound', [remove('a', '\0'), put('b', { ignoreLease: true })]],
  ];
  for (const [name, success] of cases) refuses(name, () => store.txn(txnRequest({ success })));
  assert.equal(store.currentRevision, 4);
  assert.equal(backend.pendingOps, pending);
  assert.equal(store.range(rangeRequest({ key: 'c' })).count, 0);
  // What is wrong on the other path does not matter.
  store.txn(txnRequest({ success: [first], failure: [put('x', { ignoreValue: true })] }));
});

test('revision -1 inside passes while nothing was ever compacted, -2 does not', async () => {
  const { store } = await twoKeys();
  const at = (revision: number) => store.txn(txnRequest({ success: [get('a', { revision })] }));
  const [answer] = at(-1).responses;
  assert.ok(answer!.kind === 'range');
  assert.equal(answer!.response.kvs[0]!.value, '1');
  refuses('compacted', () => at(-2));
});

test('a put alone looks for the lease before the key', async () => {
  const { store } = await twoKeys();
  refuses('leaseNotFound', () => store.put(putRequest({ key: 'x', ignoreValue: true, lease: 9n })));
  refuses('keyNotFound', () => store.put(putRequest({ key: 'x', ignoreValue: true })));
});

test('ignore_value and ignore_lease keep what is there; prev_kv tells it', async () => {
  const { store, leases } = await twoKeys();
  const kept = store.put(putRequest({ key: 'a', ignoreValue: true, prevKv: true }));
  assert.deepEqual([kept.prevKv!.value, kept.prevKv!.lease], ['1', 7n]);
  const [afterValue] = store.range(rangeRequest({ key: 'a' })).kvs;
  assert.deepEqual([afterValue!.value, afterValue!.lease], ['1', 0n]);
  assert.deepEqual(leases.attached(), [[7n, []]]);
  store.put(putRequest({ key: 'a', value: 'x', lease: 7n }));
  store.put(putRequest({ key: 'a', value: 'y', ignoreLease: true }));
  const [afterLease] = store.range(rangeRequest({ key: 'a' })).kvs;
  assert.deepEqual([afterLease!.value, afterLease!.lease], ['y', 7n]);
  assert.deepEqual(leases.attached(), [[7n, ['a']]]);
});

test('a delete to the end of the keyspace beside a put loses nothing, not by compaction either', async () => {
  const { store, backend } = await twoKeys();
  store.txn(txnRequest({ success: [remove('a', '\0'), put('b', { value: 'new' })] }));
  await store.compact(5).finished;
  const read = (from: Store) => from.range(rangeRequest({ key: 'a', rangeEnd: '\0' })).kvs;
  assert.deepEqual(
    read(store).map(({ key, value, version }) => [key, value, version]),
    [['b', 'new', 1]],
  );
  const reopened = await openStore({ backend });
  assert.deepEqual(read(reopened.store), read(store));
});

test('read-only and serializable: every operation of both branches decides', () => {
  const local = get('a', { serializable: true });
  const txn = (success: RequestOp[], failure: RequestOp[] = []) => txnRequest({ success, failure });
  assert.ok(isReadOnlyTxn(txn([])) && isSerializableTxn(txn([])));
  assert.ok(
    isReadOnlyTxn(txn([get('a')], [local])) && !isSerializableTxn(txn([get('a')], [local])),
  );
  assert.ok(isSerializableTxn(txn([local], [local])));
  assert.ok(!isReadOnlyTxn(txn([local], [put('a')])));
  assert.ok(!isReadOnlyTxn(txn([nested({})])));
});

test('cost: 256 and key and value a put, the dearer branch of a txn', () => {
  assert.equal(putCostBytes(putRequest({ key: 'ab', value: 'cde' })), 261);
  const cheap = put('ab', { value: 'cde' });
  assert.equal(
    txnCostBytes(txnRequest({ success: [cheap], failure: [cheap, cheap, remove('x')] })),
    522,
  );
  assert.equal(txnCostBytes(txnRequest({ success: [nested({ success: [cheap] })] })), 0);
});
