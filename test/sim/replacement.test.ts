import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SimulatedClient } from '../../src/sim/client.js';
import { Replacement } from '../../src/sim/replacement.js';
import type { World } from '../../src/sim/world.js';
import { startedWorld } from './support.js';

async function removeOne(world: World): Promise<void> {
  const leader = world.leader!;
  const victim = world.members.find((node) => node !== leader)!;
  void new SimulatedClient(1, world).ask(leader, 'memberRemove', { id: victim.id });
  await world.run(world.nowMs + 10_000, () => !victim.alive);
  world.retire(victim);
  assert.equal(victim.alive, false);
}

function begun(world: World): boolean {
  const replacement = new Replacement(world, new SimulatedClient(2, world));
  replacement.begin(world.members[0]!);
  return replacement.isUnderWay;
}

describe('the replacement of a lost disk', () => {
  it('takes a disk where the others are a quorum', async () => {
    assert.ok(begun(await startedWorld()));
  });

  // Seed 144 of `everything`: a voter had been removed, and one of the two that were left was lost.
  it('takes none of two voters', async () => {
    const world = await startedWorld();
    await removeOne(world);
    assert.equal(begun(world), false);
  });

  it('takes none while another member is down', async () => {
    const world = await startedWorld();
    world.members[2]!.crash(false);
    assert.equal(begun(world), false);
  });
});
