/**
 * Old fault: many watches are created at once on one stream and answered in another order than asked,
 * or an event comes before the answer that its watch exists: clients match the answers by their order.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kvorum } from '../../src/embed/index.js';
import { Cluster } from './support/cluster.js';
import { eventually, turns } from './support/eventually.js';
import { GrpcWatch } from './support/grpc-watch.js';
import { numbers, type WatchTape } from './support/watch-tape.js';

const WATCHES = 400;
const PUTS_MEANWHILE = 30;

/** `created` answers in the order of their arrival. */
function created(tape: WatchTape): bigint[] {
  return tape.responses.filter((r) => r.created).map(({ watchId }) => watchId);
}

/** Writes while the requests are on their way, with time in between for some of them. */
async function writeMeanwhile(store: Kvorum): Promise<void> {
  for (let i = 0; i < PUTS_MEANWHILE; i++) {
    await store.put('k', 'v');
    await turns(10);
  }
}

function assertEventsFollowCreation(tape: WatchTape): void {
  const known = new Set<bigint>();
  for (const { watchId, created: isCreated, events } of tape.responses) {
    if (isCreated) known.add(watchId);
    assert.ok(events.length === 0 || known.has(watchId), `events of unknown watch ${watchId}`);
  }
}

test('watches created at once are answered in the order of their requests, before their events', () =>
  Cluster.run(1, async ({ stores: [store] }) => {
    const first = await store!.put('k', 'v');
    const watch = await GrpcWatch.open(store!);
    // Some read history, some are live, some wait, some are refused, some choose their id.
    const chosen = (i: number) => BigInt(1_000_000 + i);
    const expected = numbers(0, WATCHES - 1).map((i) => {
      watch.create({
        // One in ten is given events: enough to come in between.
        ...(i % 10 > 1 && { key: 'quiet' }),
        ...(i % 5 === 0 && { startRevision: first }),
        ...(i % 5 === 1 && { startRevision: 1_000_000 }),
        ...(i % 5 === 2 && { key: 'b', rangeEnd: 'a' }),
        ...(i % 5 === 3 && { watchId: chosen(i) }),
      });
      return i % 5 === 2 ? -1n : i % 5 === 3 ? chosen(i) : undefined;
    });
    await writeMeanwhile(store!);
    await eventually(() => created(watch).length === WATCHES);
    let next = 0n;
    assert.deepEqual(
      created(watch),
      expected.map((id) => id ?? next++),
    );
    await eventually(() => watch.revisions(0n).at(-1) === store!.revision);
    assertEventsFollowCreation(watch);
    watch.close();
  }));

test('cancellations are answered in the order of their requests, too, and nothing comes after', () =>
  Cluster.run(1, async ({ stores: [store] }) => {
    const watch = await GrpcWatch.open(store!);
    const ids = numbers(0, 199).map(BigInt);
    ids.forEach((id) => watch.create({ ...(id % 10n > 0n && { key: 'quiet' }) }));
    for (const id of ids) watch.cancel(id);
    const canceled = () => watch.responses.filter((r) => r.canceled).map(({ watchId }) => watchId);
    await writeMeanwhile(store!);
    await eventually(() => canceled().length === ids.length);
    assert.deepEqual(canceled(), ids);
    for (const id of ids) assert.equal(watch.of(id).at(-1)!.canceled, true);
    watch.close();
  }));
