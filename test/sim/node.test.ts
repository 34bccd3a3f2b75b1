import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SimulatedClient } from '../../src/sim/client.js';
import { putRequest } from '../../src/sim/workloads/requests.js';
import type { World } from '../../src/sim/world.js';
import { startedWorld } from './support.js';

/** Puts through the node at `place`; undefined while there is no answer. */
function put(world: World, place: number, value: string) {
  const answer: { outcome?: string } = {};
  void new SimulatedClient(1, world)
    .call(place, 'put', putRequest('key', value))
    .then(({ kind }) => (answer.outcome = kind));
  return answer;
}

async function within(world: World, ms: number, done: () => boolean): Promise<void> {
  await world.run(world.nowMs + ms, done);
  assert.ok(done(), `not so after ${ms} virtual ms`);
}

describe('a node', () => {
  it('serves clients in virtual time', async () => {
    const world = await startedWorld();
    for (const place of [0, 1, 2]) {
      const answer = put(world, place, `${place}`);
      await within(world, 1000, () => answer.outcome === 'ok');
    }
    const leader = world.leader!.member!;
    assert.equal(leader.store.currentRevision, 4);
  });

  it('keeps what it acknowledged over a power loss of the whole cluster', async () => {
    const world = await startedWorld();
    const answer = put(world, 0, 'kept');
    await within(world, 1000, () => answer.outcome === 'ok');
    for (const node of world.members) node.crash(true);
    await world.run(world.nowMs + 1000);
    for (const node of world.members) node.start();
    await within(world, 10_000, () => world.leader?.process?.isServing === true);
    assert.equal(world.leader!.member!.store.currentRevision, 2);
  });

  it('has nothing of its process left after a crash', async () => {
    const world = await startedWorld();
    const node = world.leader!;
    const { process } = node;
    node.crash(false);
    assert.equal(process!.isAlive, false);
    assert.equal(node.alive, false);
    await within(world, 10_000, () => world.leader !== undefined && world.leader !== node);
    assert.equal(node.alive, false);
  });

  it('counts its processes', async () => {
    const world = await startedWorld();
    const node = world.members[0]!;
    assert.equal(node.incarnation, 0);
    node.crash(true);
    node.start();
    await within(world, 5000, () => node.alive);
    assert.equal(node.incarnation, 1);
  });

  it('does nothing while it is paused, and then what was due', async () => {
    const world = await startedWorld();
    const old = world.leader!;
    old.pause();
    const answer = put(world, world.members.indexOf(old), 'late');
    await within(world, 10_000, () => world.leader !== old);
    assert.equal(old.role, 'leader');
    assert.equal(answer.outcome, undefined);
    old.resume();
    await within(world, 10_000, () => answer.outcome !== undefined && old.role === 'follower');
  });

  it('hands over and stops when it is told to', async () => {
    const world = await startedWorld();
    const old = world.leader!;
    old.stop();
    await within(world, 5000, () => !old.isUp);
    assert.notEqual(world.leader, old);
    old.start();
    await within(world, 5000, () => old.alive && old.appliedIndex === world.leader?.commitIndex);
  });

  it('starts again by itself after its disk was full', async () => {
    const world = await startedWorld();
    const node = world.members.find((other) => other !== world.leader)!;
    node.disk.faults.full = true;
    put(world, 0, 'x');
    await within(world, 3000, () => !node.isUp);
    node.disk.faults.full = false;
    await within(world, 5000, () => node.alive && node.appliedIndex === world.leader?.commitIndex);
  });

  it('refuses to start on a damaged disk until it is repaired', async () => {
    const world = await startedWorld();
    const node = world.members[0]!;
    node.crash(true);
    node.disk.faults.corrupt = true;
    node.start();
    await world.run(world.nowMs + 5000);
    assert.equal(node.isUp, false);
    node.disk.faults.corrupt = false;
    node.start();
    await within(world, 5000, () => node.alive);
  });
});
