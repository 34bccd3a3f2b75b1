/** Faults that the simulator has found, each as the shortest story that shows it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SimulatedClient } from '../../src/sim/client.js';
import type { OperationKind, OperationTypes, Outcome } from '../../src/sim/history.js';
import type { Node } from '../../src/sim/node.js';
import type { World } from '../../src/sim/world.js';
import { startedWorld } from './support.js';

type Answer<Kind extends OperationKind> = Outcome<OperationTypes[Kind]['response']>;

/** Asks `node`; the result is filled in when the answer comes. */
function ask<Kind extends OperationKind>(
  world: World,
  node: Node,
  kind: Kind,
  request: OperationTypes[Kind]['request'],
): { answer?: Answer<Kind> } {
  const result: { answer?: Answer<Kind> } = {};
  void new SimulatedClient(1, world)
    .ask(node, kind, request)
    .then((answer) => (result.answer = answer));
  return result;
}

async function answered<Kind extends OperationKind>(
  world: World,
  node: Node,
  kind: Kind,
  request: OperationTypes[Kind]['request'],
): Promise<OperationTypes[Kind]['response']> {
  const result = ask(world, node, kind, request);
  await world.run(world.nowMs + 5000, () => result.answer !== undefined);
  if (result.answer?.kind !== 'ok') assert.fail(`${kind}: ${JSON.stringify(result.answer)}`);
  return result.answer.response;
}

const LEASE = { id: 77n };

/** A cluster with a lease whose leader is paused and has been replaced. */
async function deposed(ttl: number): Promise<{ world: World; old: Node; leader: Node }> {
  const world = await startedWorld();
  const old = world.leader!;
  await answered(world, old, 'leaseGrant', { ...LEASE, ttl });
  old.pause();
  await world.run(world.nowMs + 5000, () => world.leader !== old);
  return { world, old, leader: world.leader! };
}

async function secondsLeft(world: World, leader: Node): Promise<number> {
  return (await answered(world, leader, 'leaseTimeToLive', { ...LEASE, keys: false })).ttl;
}

describe('a leader that was paused and deposed without knowing', () => {
  it('renews no lease of which its successor knows nothing', async () => {
    const { world, old, leader } = await deposed(10);
    for (const { host } of world.members) world.network.cut(host, old.host);
    await world.run(world.nowMs + 3000);
    const renewal = ask(world, old, 'leaseKeepAlive', LEASE);
    await world.run(world.nowMs + 500);
    old.resume();
    await world.run(world.nowMs + 300);
    assert.ok(!('answer' in renewal), 'no quorum can have confirmed it');
    world.network.heal();
    await world.run(world.nowMs + 10_000, () => renewal.answer !== undefined);
    const { answer } = renewal;
    assert.equal(answer?.kind, 'ok');
    const left = await secondsLeft(world, leader);
    assert.ok(left >= 8, `promised 10 s, but ${left} are left`);
  });

  it('does not revoke a lease that its successor has renewed', async () => {
    const { world, old, leader } = await deposed(2);
    for (let i = 0; i < 6; i++) {
      await world.run(world.nowMs + 1000);
      await answered(world, leader, 'leaseKeepAlive', LEASE);
    }
    old.resume();
    await world.run(world.nowMs + 1500);
    assert.ok((await secondsLeft(world, leader)) >= 0);
  });
});

describe('a member that is added in place of one that lost its disk', () => {
  it('does not take the old id from somebody who has not heard of the change', async () => {
    const config = { strictReconfigCheck: false };
    const world = await startedWorld({ members: 5, config });
    const [first, , , lagging, lost] = world.members as [Node, Node, Node, Node, Node];
    const others = world.members.filter((node) => node !== lagging && node !== lost);
    const cutOff = (host: string) => {
      for (const other of others) {
        world.network.cut(host, other.host);
        world.network.cut(other.host, host);
      }
    };
    cutOff(lagging.host);
    await world.run(world.nowMs + 5000, () => others.includes(world.leader!));
    const { id, host } = lost;
    world.retire(lost);
    await answered(world, first, 'memberRemove', { id });
    await answered(world, first, 'memberAdd', {
      peerUrls: lost.config.peerUrls,
      isLearner: true,
    });
    cutOff(host);
    await world.run(world.nowMs + 3000);
    const joiner = world.members.find((node) => node.host === host)!;
    const idOf = (node: Node) => node.disk.durableLog.identity?.memberId;
    assert.equal(idOf(joiner), undefined);
    world.network.heal();
    await world.run(world.nowMs + 20_000, () => joiner.alive);
    assert.notEqual(idOf(joiner), id);
    assert.ok(joiner.alive);
  });
});
