import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WatchResponse } from '../../src/api/index.js';
import { SimulatedClient } from '../../src/sim/client.js';
import type { World } from '../../src/sim/world.js';
import { putRequest, watchRequest } from '../../src/sim/workloads/requests.js';
import { startedWorld } from './support.js';

const PUTS = 300;

/** Puts as many as {@link PUTS} values at once, and waits until all are answered. */
async function putMany(world: World, client: SimulatedClient): Promise<void> {
  let done = 0;
  for (let i = 0; i < PUTS; i++) {
    void client.call(0, 'put', putRequest('key', `${i}`)).then(() => done++);
  }
  await world.run(world.nowMs + 20_000, () => done === PUTS);
  assert.equal(done, PUTS);
}

function watched(client: SimulatedClient, place: number) {
  const seen = { revisions: [] as number[], progress: 0, ended: 0 };
  const open = client.watch(place, 1, watchRequest('key', { startRevision: 1 }), {
    response: ({ created, events, header }: WatchResponse) => {
      for (const { kv } of events) seen.revisions.push(kv.modRevision);
      if (!created && events.length === 0) seen.progress = header!.revision;
    },
    ended: () => seen.ended++,
  });
  return { seen, open };
}

const allRevisions = Array.from({ length: PUTS }, (_, i) => i + 2);

describe('a simulated client', () => {
  it('gets every event of a watch in order, however small its window', async () => {
    const world = await startedWorld();
    const client = new SimulatedClient(1, world);
    const { seen, open } = watched(client, 1);
    await world.run(world.nowMs + 100);
    for (let i = 0; i < 20; i++) open.requestProgress();
    await putMany(world, client);
    await world.run(world.nowMs + 2000);
    assert.deepEqual(seen.revisions, allRevisions);
    open.requestProgress();
    await world.run(world.nowMs + 100);
    assert.equal(seen.progress, PUTS + 1);
  });

  it('is told once that its watch is lost, when the member dies', async () => {
    const world = await startedWorld();
    const { seen } = watched(new SimulatedClient(1, world), 1);
    await world.run(world.nowMs + 100);
    world.members[1]!.crash(false);
    await world.run(world.nowMs + 100);
    assert.equal(seen.ended, 1);
    const { watches } = world.history;
    assert.equal(watches[0]!.ended?.why, 'lost');
  });

  it('is told nothing of a watch that it has cancelled', async () => {
    const world = await startedWorld();
    const client = new SimulatedClient(1, world);
    const { seen, open } = watched(client, 1);
    await world.run(world.nowMs + 100);
    open.cancel();
    await putMany(world, client);
    assert.equal(seen.ended, 0);
    assert.deepEqual(seen.revisions, []);
  });

  it('does not know what became of a call whose member died', async () => {
    const world = await startedWorld();
    const node = world.members[0]!;
    let outcome = '';
    void new SimulatedClient(1, world)
      .ask(node, 'put', putRequest('key', 'x'))
      .then(({ kind }) => (outcome = kind));
    await world.run(world.nowMs + 1.6);
    node.crash(false);
    await world.run(world.nowMs + 100);
    assert.equal(outcome, 'unknown');
  });

  it('is refused by a member that is down', async () => {
    const world = await startedWorld();
    const node = world.members[0]!;
    node.crash(false);
    let outcome = '';
    void new SimulatedClient(1, world)
      .ask(node, 'put', putRequest('key', 'x'))
      .then(({ kind }) => (outcome = kind));
    await world.run(world.nowMs + 100);
    assert.equal(outcome, 'refused');
  });

  it('gives up when it is cut off, and does not know', async () => {
    const world = await startedWorld();
    world.network.cut('c1', 'n1');
    let outcome = '';
    void new SimulatedClient(1, world)
      .call(0, 'put', putRequest('key', 'x'))
      .then(({ kind }) => (outcome = kind));
    await world.run(world.nowMs + 9000);
    assert.equal(outcome, '');
    await world.run(world.nowMs + 2000);
    assert.equal(outcome, 'unknown');
    assert.equal(world.leader!.member!.store.currentRevision, 1);
  });

  it('wakes its sleepers when clients are to end', async () => {
    const world = await startedWorld();
    const client = new SimulatedClient(1, world);
    let woken = 0;
    void client.sleep(60_000).then(() => woken++);
    void client.sleep(10).then(() => woken++);
    await world.run(world.nowMs + 100);
    assert.equal(woken, 1);
    world.stopClients();
    await world.run(world.nowMs + 1);
    assert.equal(woken, 2);
    assert.ok(client.stopping);
  });
});
