/**
 * Old fault: a transaction that writes, and reads at an old revision, succeeds on members where that
 * revision is not compacted yet and fails on others, so that the members' keyspaces part.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TxnRequest, isEtcdError } from '../../src/api/index.js';
import type { Kvorum } from '../../src/embed/index.js';
import { LOCAL_CALL } from '../../src/embed/local-call.js';
import { Cluster } from './support/cluster.js';

const ROUNDS = 40;

/** Puts `key`, and reads key "k" as it was at `revision`. */
function putAndRead(key: string, revision: number): TxnRequest {
  const put = { key, value: '', lease: 0n, prevKv: false, ignoreValue: false, ignoreLease: false };
  const range = {
    key: 'k',
    rangeEnd: '',
    limit: 0,
    revision,
    sortOrder: 0,
    sortTarget: 0,
    serializable: false,
    keysOnly: false,
    countOnly: false,
    minModRevision: 0,
    maxModRevision: 0,
    minCreateRevision: 0,
    maxCreateRevision: 0,
  };
  const ops = [
    { kind: 'put', request: put },
    { kind: 'range', request: range },
  ] as const;
  return { compare: [], success: [...ops], failure: [] };
}

/** What key "k" was at `revision` according to the transaction, or undefined when it was refused. */
async function valueOrRefused(store: Kvorum, key: string, revision: number) {
  try {
    const { responses } = await store.txn(putAndRead(key, revision));
    const [, range] = responses;
    return range?.kind === 'range' ? range.response.kvs[0]!.value : assert.fail('no range');
  } catch (error) {
    assert.ok(isEtcdError(error, 'compacted'), String(error));
    return undefined;
  }
}

async function hashes(stores: readonly Kvorum[], revision: number): Promise<number[]> {
  return Promise.all(stores.map(async ({ member }) => (await member.store.hashKv(revision)).hash));
}

test('a txn that reads at a revision being compacted does the same on every member', () =>
  Cluster.run(3, async (cluster) => {
    const { stores } = cluster;
    let [done, refused] = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const old = await stores[0]!.put('k', `old ${round}`);
      const next = await stores[0]!.put('k', `new ${round}`);
      const compaction = stores[round % 3]!.services.kv.compact(
        { revision: next, physical: round % 2 === 0 },
        LOCAL_CALL,
      );
      const asked = Array.from({ length: 6 }, (_, i) => `txn ${round} ${i}`);
      const txns = asked.map((key, i) => valueOrRefused(stores[i % 3]!, key, old));
      const [values] = await Promise.all([Promise.all(txns), compaction]);
      for (const [i, value] of values.entries()) {
        const key = asked[i]!;
        if (value === undefined) refused++;
        else done++;
        assert.ok(value === undefined || value === `old ${round}`, `${key} read ${value}`);
        const written = (await stores[(i + 1) % 3]!.get(key)) !== undefined;
        assert.equal(written, value !== undefined, `${key} answered one thing and did another`);
      }
    }
    assert.ok(done > 0 && refused > 0, `of both kinds: ${done} done, ${refused} refused`);
    const { revision } = stores[0]!;
    await cluster.settle(revision);
    assert.deepEqual(
      stores.map((store) => store.revision),
      [revision, revision, revision],
    );
    assert.equal(new Set(await hashes(stores, revision)).size, 1);
  }));
