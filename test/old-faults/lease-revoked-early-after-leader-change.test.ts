/**
 * Old fault: after a change of leader a lease is revoked although its holder has kept it alive, because
 * the new leader counts too little, or because the old one, back from a stall, revokes by its own clock.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kvorum } from '../../src/embed/index.js';
import { LOCAL_CALL } from '../../src/embed/local-call.js';
import { Cluster } from './support/cluster.js';
import { eventually } from './support/eventually.js';

/** Seconds of the members in a real one. */
const SPEED = 4;
const TTL_SECONDS = 5;

async function holdKey(store: Kvorum): Promise<bigint> {
  const lease = await store.grantLease(TTL_SECONDS);
  await store.put('held', 'v', { lease });
  return lease;
}

/** The leader of the highest term that is not cut off. */
async function leadsNow(cluster: Cluster, aboveTerm: number): Promise<Kvorum> {
  return eventually(() => {
    const leaders = cluster.nodes
      .filter(({ store, network }) => !network.cut && store.member.isLeader)
      .map(({ store }) => store)
      .sort((a, b) => b.member.raft.term - a.member.raft.term);
    return leaders.find(({ member }) => member.raft.term > aboveTerm);
  });
}

// They mostly wait.
describe('a lease across a change of leader', { concurrency: true }, () => {
  test('a new leader gives a lease its full time from the change on', () =>
    Cluster.run(
      3,
      async (cluster) => {
        const { store: old } = await cluster.leader();
        const lease = await holdKey(old);
        // Most of its time passes before the change.
        await sleep(((TTL_SECONDS - 1) * 1000) / SPEED);
        const { store: target, clock } = await cluster.follower();
        const targetId = target.member.memberId;
        // The change is later than this, but may be long before its answer on a busy machine.
        const changedMs = clock.monotonicMs();
        await old.services.maintenance.moveLeader({ targetId }, LOCAL_CALL);
        await eventually(async () => (await target.get('held')) === undefined);
        const heldMs = clock.monotonicMs() - changedMs;
        assert.ok(heldMs >= TTL_SECONDS * 1000, `revoked ${heldMs} ms after the change`);
        assert.equal(await target.keepAlive(lease), 0);
      },
      { speed: SPEED },
    ));

  test('a leader that wakes from a stall revokes nothing that its successor has kept alive', () =>
    Cluster.run(
      3,
      async (cluster) => {
        const { store: old, network, clock } = await cluster.leader();
        const { term } = old.member.raft;
        const lease = await holdKey(old);
        network.cut = true;
        clock.stall();
        const next = await leadsNow(cluster, term);
        // Twice its time passes; on the old leader's clock it has expired.
        for (let i = 0; i < 2 * TTL_SECONDS; i++) {
          assert.equal(await next.keepAlive(lease), TTL_SECONDS);
          await sleep(1000 / SPEED);
        }
        network.cut = false;
        clock.wake();
        for (let i = 0; i < TTL_SECONDS; i++) {
          assert.equal(await next.keepAlive(lease), TTL_SECONDS);
          assert.ok(await next.get('held'), 'the key went with its lease');
          await sleep(1000 / SPEED);
        }
        await eventually(() => !old.member.isLeader && old.revision === next.revision);
      },
      { speed: SPEED },
    ));

  test('a leader that was cut off and joins again revokes nothing either', () =>
    Cluster.run(
      3,
      async (cluster) => {
        const { store: old, network } = await cluster.leader();
        const { term } = old.member.raft;
        const lease = await holdKey(old);
        network.cut = true;
        for (let i = 0; i < 2 * TTL_SECONDS; i++) {
          if (i === TTL_SECONDS) network.cut = false;
          const leader = await leadsNow(cluster, term);
          assert.equal(await leader.keepAlive(lease), TTL_SECONDS);
          await sleep(1000 / SPEED);
        }
        const leader = await leadsNow(cluster, term);
        assert.ok(await leader.get('held'), 'the key went with its lease');
      },
      { speed: SPEED },
    ));
});
