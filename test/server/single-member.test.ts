import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AlarmAction, AlarmType } from '../../src/api/index.js';
import { type Kvorum, open } from '../../src/embed/index.js';
import { MessageType, makeMessage } from '../../src/raft/index.js';
import { LOCAL_CALL } from '../../src/embed/local-call.js';
import { eventually } from './local-cluster.js';

async function withStore(
  options: Parameters<typeof open>[0],
  run: (store: Kvorum) => Promise<void>,
): Promise<void> {
  const store = await open({ memory: true, ...options });
  try {
    await run(store);
  } finally {
    await store.close();
  }
}

test('a new store is at revision 1, and its first write makes 2', () =>
  withStore({}, async (store) => {
    assert.equal(store.revision, 1);
    assert.equal(await store.put('a', '1'), 2);
    const pair = await store.get('a');
    assert.equal(pair?.value, '1');
    assert.equal(pair?.modRevision, 2);
  }));

test('each answer carries the revision right after its own request, also when many are applied at once', () =>
  withStore({}, async (store) => {
    const revisions = await Promise.all(
      Array.from({ length: 200 }, (_, i) => store.put(`k${i}`, 'v')),
    );
    assert.deepEqual(
      revisions,
      Array.from({ length: 200 }, (_, i) => i + 2),
    );
  }));

test('a refusal at apply reaches its caller only', () =>
  withStore({}, async (store) => {
    const results = await Promise.allSettled([
      store.put('a', '1'),
      store.put('b', '1', { lease: 99n }),
      store.put('c', '1'),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal((results[1] as PromiseRejectedResult).reason.name, 'leaseNotFound');
    assert.equal(store.revision, 3);
  }));

test('a request above maxRequestBytes is refused before it is proposed', () =>
  withStore({ maxRequestBytes: 1000 }, async (store) => {
    await assert.rejects(store.put('a', 'v'.repeat(1000)), { name: 'requestTooLarge' });
    await store.put('a', 'v'.repeat(900));
  }));

test('an expired lease takes its keys with it, not earlier', () =>
  withStore({ electionMs: 50, heartbeatMs: 10 }, async (store) => {
    const begin = Date.now();
    const lease = await store.grantLease(1);
    await store.put('leased', 'v', { lease });
    await eventually(async () => (await store.get('leased')) === undefined);
    assert.ok(Date.now() - begin >= 1000, 'gone before its second was over');
    assert.equal(await store.keepAlive(lease), 0);
  }));

test('keep-alive holds a lease', () =>
  withStore({ electionMs: 50, heartbeatMs: 10 }, async (store) => {
    const lease = await store.grantLease(1);
    await store.put('leased', 'v', { lease });
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      assert.equal(await store.keepAlive(lease), 1);
    }
    assert.ok(await store.get('leased'));
  }));

test('over the quota writes are refused, the alarm is raised, reads and deletes go on', () =>
  withStore({ quotaBackendBytes: 200_000 }, async (store) => {
    await assert.rejects(
      async () => {
        for (let i = 0; i < 100; i++) await store.put(`k${i}`, 'v'.repeat(10_000));
      },
      { name: 'noSpace' },
    );
    const list = { action: AlarmAction.get, memberId: 0n, alarm: AlarmType.none };
    const alarms = await eventually(async () => {
      const answer = await store.services.maintenance.alarm(list, LOCAL_CALL);
      return answer.alarms.length > 0 && answer.alarms;
    });
    assert.deepEqual(alarms, [{ memberId: store.member.memberId, alarm: AlarmType.noSpace }]);
    assert.ok(await store.get('k0'));
    await assert.rejects(store.put('small', 'v'), { name: 'noSpace' });
    assert.equal(await store.delete('k0'), 1);
  }));

test('reading an old revision works until it is compacted', () =>
  withStore({}, async (store) => {
    const first = await store.put('a', '1');
    const second = await store.put('a', '2');
    assert.equal((await store.get('a', { revision: first }))?.value, '1');
    await store.compact(second);
    await assert.rejects(store.get('a', { revision: first }), { name: 'compacted' });
    await assert.rejects(store.get('a', { revision: 99 }), { name: 'futureRev' });
  }));

test('compareAndPut lets one of several win', () =>
  withStore({}, async (store) => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, i) => store.compareAndPut('a', 0, String(i))),
    );
    assert.equal(outcomes.filter((revision) => revision !== undefined).length, 1);
    const pair = await store.get('a');
    assert.equal(await store.compareAndPut('a', pair!.modRevision, 'next'), store.revision);
  }));

test('requests after close are refused', async () => {
  const store = await open({ memory: true });
  await store.close();
  await assert.rejects(store.put('a', '1'), { name: 'stopped' });
  await assert.rejects(store.get('a'), { name: 'stopped' });
});

test('a watch from inside sees whole revisions in order and can start in the past', () =>
  withStore({}, async (store) => {
    for (let i = 0; i < 300; i++) await store.put(`k/${i}`, String(i));
    await store.deletePrefix('k/1');
    const seen: number[] = [];
    for await (const { changes } of store.watch('k/', { prefix: true, startRevision: 2 })) {
      for (const { pair } of changes) seen.push(pair.modRevision);
      if (changes.some(({ type }) => type === 'delete')) break;
    }
    assert.equal(seen.length, 300 + 111);
    assert.deepEqual(
      seen,
      [...seen].sort((a, b) => a - b),
    );
  }));

test('a watch whose start is compacted fails with compacted', () =>
  withStore({}, async (store) => {
    for (let i = 0; i < 10; i++) await store.put('a', String(i));
    await store.compact(8);
    await assert.rejects(
      async () => {
        for await (const { revision } of store.watch('a', { startRevision: 3 })) {
          assert.fail(`an event at ${revision}`);
        }
      },
      { name: 'compacted' },
    );
  }));

test('a watch ends when its store closes, and nothing keeps the process alive', async () => {
  const store = await open({ memory: true });
  const watch = store.watch('a');
  const ended = assert.rejects(
    async () => {
      for await (const { revision } of watch) assert.fail(`an event at ${revision}`);
    },
    { name: 'stopped' },
  );
  await new Promise((resolve) => setImmediate(resolve));
  await store.close();
  await ended;
});

test('a raft message from beyond any real history is dropped: it would be believed for ever', () =>
  withStore({}, async (store) => {
    const { member } = store;
    const { heartbeat, vote, preVote, append } = MessageType;
    for (const type of [heartbeat, vote, preVote, append]) {
      const term = Number.MAX_SAFE_INTEGER;
      member.receive(makeMessage(type, 1234n, member.memberId, { term, index: 1 }));
    }
    await store.put('a', '1');
    assert.equal(member.raft.term, 2);
  }));

test('a hash at a negative revision hashes nothing and says which revision, exactly', () =>
  withStore({}, async (store) => {
    await store.put('a', '1');
    const { maintenance } = store.services;
    const revision = -(2n ** 63n);
    const { hash, hashRevision } = await maintenance.hashKv({ revision }, LOCAL_CALL);
    assert.equal(hashRevision, revision);
    assert.equal(hash, (await maintenance.hashKv({ revision: -1 }, LOCAL_CALL)).hash);
  }));

test('a member without a name is in no initial cluster', async () => {
  const initialCluster = [{ name: '', peerUrls: ['http://localhost:2380'] }];
  await assert.rejects(open({ memory: true, name: '', initialCluster }), {
    message: `couldn't find local name "" in the initial cluster configuration`,
  });
});
