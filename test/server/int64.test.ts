/** Lease ids and compare operands from all of int64, through services, log, keyspace and lessor. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompareResult, CompareTarget, type Compare } from '../../src/api/index.js';
import { LOCAL_CALL } from '../../src/embed/local-call.js';
import { type Kvorum, open } from '../../src/embed/index.js';

/** The ends of int64, of what a double holds, of 32 bits; and neighbours that a double takes for equal. */
const EDGES = [
  -(2n ** 63n),
  -(2n ** 63n) + 1n,
  -(2n ** 53n) - 1n,
  -(2n ** 53n),
  -(2n ** 32n),
  -1n,
  1n,
  2n ** 31n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 63n - 2n,
  2n ** 63n - 1n,
];

async function withLeases(run: (store: Kvorum) => Promise<void>): Promise<void> {
  const store = await open({ memory: true });
  try {
    for (const id of EDGES) {
      await store.services.lease.grant({ id, ttl: 1000 }, LOCAL_CALL);
      await store.put(`k${id}`, 'v', { lease: id });
    }
    await run(store);
  } finally {
    await store.close();
  }
}

async function holds(store: Kvorum, compare: Omit<Compare, 'rangeEnd'>): Promise<boolean> {
  const request = { compare: [{ rangeEnd: '', ...compare }], success: [], failure: [] };
  return (await store.services.kv.txn(request, LOCAL_CALL)).succeeded;
}

test('a lease is found by its own id only, and keeps its own keys', () =>
  withLeases(async (store) => {
    const { lease } = store.services;
    const { leases } = lease.leases(LOCAL_CALL);
    assert.deepEqual(new Set(leases.map(({ id }) => id)), new Set(EDGES));
    for (const id of EDGES) {
      const left = await lease.timeToLive({ id, keys: true }, LOCAL_CALL);
      assert.deepEqual([left.id, left.grantedTtl, left.keys], [id, 1000, [`k${id}`]]);
      assert.equal((await lease.keepAlive({ id })).ttl, 1000);
      await assert.rejects(lease.grant({ id, ttl: 1000 }, LOCAL_CALL), { name: 'leaseExist' });
    }
  }));

test('a revoked lease takes its own keys and no others', () =>
  withLeases(async (store) => {
    for (const [i, id] of EDGES.entries()) {
      await store.services.lease.revoke({ id }, LOCAL_CALL);
      const left = (await store.list('k')).map(({ key }) => key);
      assert.deepEqual(new Set(left), new Set(EDGES.slice(i + 1).map((other) => `k${other}`)));
    }
  }));

test('the lease of a key is compared exactly', () =>
  withLeases(async (store) => {
    for (const [i, id] of EDGES.entries()) {
      for (const [j, operand] of EDGES.entries()) {
        const { equal, greater, less, notEqual } = CompareResult;
        const expected = new Map<number, boolean>([
          [equal, i === j],
          [notEqual, i !== j],
          [greater, i > j],
          [less, i < j],
        ]);
        for (const [result, outcome] of expected) {
          const target = CompareTarget.lease;
          const compare = {
            key: `k${id}`,
            target,
            result,
            operand: { kind: 'lease', value: operand },
          };
          assert.equal(await holds(store, compare as never), outcome, `${id} ${result} ${operand}`);
        }
      }
    }
  }));

test('revisions and versions are compared exactly with operands that no revision reaches', () =>
  withLeases(async (store) => {
    const kinds = ['version', 'create', 'mod'] as const;
    for (const kind of kinds) {
      for (const value of EDGES) {
        const target = CompareTarget[kind];
        const compare = { key: `k${EDGES[0]}`, target, operand: { kind, value } };
        const isGreater = await holds(store, { ...compare, result: CompareResult.greater });
        const isLess = await holds(store, { ...compare, result: CompareResult.less });
        // The key was created and changed at revision 2, once.
        const actual = kind === 'version' ? 1n : 2n;
        assert.deepEqual([isGreater, isLess], [actual > value, actual < value], `${kind} ${value}`);
      }
    }
  }));
