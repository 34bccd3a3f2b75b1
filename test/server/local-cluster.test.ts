import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOCAL_CALL } from '../../src/embed/local-call.js';
import type { Kvorum, OpenOptions } from '../../src/embed/index.js';
import { type LocalCluster, eventually, peerUrlOf, startLocalCluster } from './local-cluster.js';

async function withCluster(
  names: readonly string[],
  run: (cluster: LocalCluster) => Promise<void>,
  options: OpenOptions = {},
): Promise<void> {
  const cluster = await startLocalCluster(names, options);
  try {
    await run(cluster);
  } finally {
    await cluster.close();
  }
}

const THREE = ['a', 'b', 'c'];

async function hashOf(store: Kvorum, revision: number): Promise<number> {
  return (await store.member.store.hashKv(revision)).hash;
}

/** All members have applied `revision` and hold the same keyspace there. */
async function assertSame(stores: readonly Kvorum[], revision: number): Promise<void> {
  await eventually(() => stores.every((store) => store.revision >= revision));
  const hashes = await Promise.all(stores.map((store) => hashOf(store, revision)));
  assert.equal(new Set(hashes).size, 1, `hashes at revision ${revision}: ${hashes}`);
}

test('any member takes writes and linearizable reads', () =>
  withCluster(THREE, async ({ stores }) => {
    for (const [i, store] of stores.entries()) await store.put(`k${i}`, 'v');
    for (const store of stores) assert.equal((await store.list('k')).length, 3);
    await assertSame(stores, stores[0]!.revision);
  }));

test('when the leader stops another takes over and nothing acknowledged is lost', () =>
  withCluster(THREE, async (cluster) => {
    const written: string[] = [];
    for (let round = 0; round < 2; round++) {
      const store = await cluster.follower();
      for (let i = 0; i < 20; i++) {
        await store.put(`r${round}/${i}`, 'v');
        written.push(`r${round}/${i}`);
      }
      if (round === 0) await (await cluster.leader()).close();
    }
    const leader = await cluster.leader();
    assert.deepEqual((await leader.list('r')).map(({ key }) => key).sort(), written.sort());
  }));

test('a leader that closes hands over: the others need no election timeout', () =>
  withCluster(THREE, async (cluster) => {
    const leader = await cluster.leader();
    const others = cluster.stores.filter((store) => store !== leader);
    const { term } = leader.member.raft;
    await leader.close();
    await eventually(() => others.some(({ member }) => member.isLeader));
    assert.equal(others[0]!.member.raft.term, term + 1);
  }));

test('MoveLeader moves the leadership, and refuses strangers and non-leaders', () =>
  withCluster(THREE, async (cluster) => {
    const leader = await cluster.leader();
    const follower = await cluster.follower();
    const move = (store: Kvorum, targetId: bigint) =>
      store.services.maintenance.moveLeader({ targetId }, LOCAL_CALL);
    await assert.rejects(move(leader, 12345n), { name: 'badLeaderTransferee' });
    await assert.rejects(move(follower, follower.member.memberId), { name: 'notLeader' });
    await move(leader, follower.member.memberId);
    assert.ok(follower.member.isLeader);
  }));

test('keep-alive and time to live on a follower are answered by the leader', () =>
  withCluster(THREE, async (cluster) => {
    const follower = await cluster.follower();
    const lease = await follower.grantLease(100);
    await follower.put('leased', 'v', { lease });
    assert.equal(await follower.keepAlive(lease), 100);
    assert.equal(await follower.keepAlive(lease + 1n), 0);
    const left = await follower.services.lease.timeToLive({ id: lease, keys: true }, LOCAL_CALL);
    assert.equal(left.grantedTtl, 100);
    assert.ok(left.ttl >= 98 && left.ttl <= 100, `ttl ${left.ttl}`);
    assert.deepEqual(left.keys, ['leased']);
  }));

test('a lease survives a leader change and is revoked by the new leader, not early', () =>
  withCluster(THREE, async (cluster) => {
    const leader = await cluster.leader();
    const lease = await leader.grantLease(1);
    await leader.put('leased', 'v', { lease });
    await leader.close();
    const begin = Date.now();
    const next = await cluster.leader();
    await eventually(async () => (await next.get('leased')) === undefined);
    assert.ok(Date.now() - begin >= 900, 'the new leader gave it less than its time');
  }));

test('a member that was away gets the log, or a snapshot when the log is gone', () =>
  withCluster(
    THREE,
    async (cluster) => {
      const { stores } = cluster;
      const leader = await cluster.leader();
      const lease = await leader.grantLease(1000);
      await leader.put('leased', 'v', { lease });
      const { membership } = leader.member;
      const voters = membership.list().length;
      for (let i = 0; i < 300; i++) await leader.put(`k${i % 50}`, String(i));
      await leader.compact(leader.revision - 20);
      const newcomer = await addMember(cluster, 'd', true);
      await eventually(() => newcomer.revision === leader.revision);
      assert.ok(
        newcomer.member.raft.status().commitIndex >= leader.member.raft.status().commitIndex - 5,
      );
      await assertSame([...stores], leader.revision);
      assert.equal(newcomer.member.membership.list().length, voters + 1);
      assert.deepEqual(newcomer.member.lessor.keys(lease), ['leased']);
    },
    // Strict checks would refuse a fourth member in the first five seconds.
    { snapshotCount: 50, snapshotCatchupEntries: 10, strictReconfigCheck: false },
  ));

test('a learner serves no linearizable reads, is promoted when in sync, and then counts', () =>
  withCluster(['a'], async (cluster) => {
    const [first] = cluster.stores as [Kvorum];
    await first.put('a', '1');
    const learner = await addMember(cluster, 'b', true);
    await assert.rejects(learner.get('a'), { name: 'notSupportedForLearner' });
    await eventually(async () => (await learner.get('a', { serializable: true })) !== undefined);
    const { cluster: service } = first.services;
    await eventually(() =>
      service.promote({ id: learner.member.memberId }, LOCAL_CALL).then(
        () => true,
        () => false,
      ),
    );
    await eventually(() => !learner.member.isLearner);
    assert.equal((await learner.get('a'))?.value, '1');
    assert.equal(first.member.membership.voters().length, 2);
  }));

test('a removed member ends, and its id stays gone', () =>
  withCluster(THREE, async (cluster) => {
    const leader = await cluster.leader();
    const follower = await cluster.follower();
    const { memberId } = follower.member;
    await eventually(() =>
      leader.services.cluster.remove({ id: memberId }, LOCAL_CALL).then(
        () => true,
        (error) => (error.name === 'unhealthy' ? false : Promise.reject(error)),
      ),
    );
    assert.equal(await follower.member.ended, 'removed');
    assert.ok(leader.member.membership.isRemoved(memberId));
    await leader.put('after', 'v');
  }));

test('strict reconfiguration refuses a voter while the cluster is young, and what would lose quorum', () =>
  withCluster(THREE, async (cluster) => {
    const { cluster: service } = (await cluster.leader()).services;
    const add = service.add({ peerUrls: ['http://d:2380'], isLearner: false }, LOCAL_CALL);
    await assert.rejects(add, { name: 'unhealthy' });
    const bad = service.add({ peerUrls: ['nonsense'], isLearner: false }, LOCAL_CALL);
    await assert.rejects(bad, { name: 'memberBadURLs' });
  }));

async function addMember(cluster: LocalCluster, name: string, isLearner: boolean): Promise<Kvorum> {
  const leader = await cluster.leader();
  const request = { peerUrls: [peerUrlOf(name)], isLearner };
  const { members } = await leader.services.cluster.add(request, LOCAL_CALL);
  const initialCluster = members.map((member) => ({
    name: member.name || name,
    peerUrls: member.peerUrls,
  }));
  const store = await cluster.join({ name, initialCluster });
  await store.member.ready;
  return store;
}
