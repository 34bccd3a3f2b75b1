/**
 * Old fault: hundreds of watches with prev_kv share a stream whose client reads slowly, while history is
 * compacted: some of them lose events without being cancelled, or their cancellation gets lost.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kvorum } from '../../src/embed/index.js';
import { Cluster } from './support/cluster.js';
import { eventually } from './support/eventually.js';
import { GrpcWatch } from './support/grpc-watch.js';
import { numbers, type WatchTape } from './support/watch-tape.js';

const WATCHES = 300;
const VALUE = 'x'.repeat(2000);

async function write(store: Kvorum, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await store.put('k', VALUE);
}

/** All from `first` through `last`, or the beginning of it and then the truth about a compaction. */
function assertAllOrCompacted(tape: WatchTape, id: bigint, first: number, last: number): boolean {
  const seen = tape.revisions(id);
  const reached = seen.at(-1) ?? first - 1;
  assert.deepEqual(seen, numbers(first, reached), `watch ${id}`);
  const end = tape.of(id).at(-1)!;
  if (end.canceled) {
    assert.ok(end.compactRevision > reached + 1, `watch ${id} stood at ${reached}`);
  } else {
    assert.equal(reached, last, `watch ${id} was left at ${reached}`);
  }
  return end.canceled;
}

/** The pair before, unless it lay below a compaction. */
function assertPrevious(tape: WatchTape, id: bigint): void {
  for (const { kv, prevKv } of tape.events(id)) {
    if (prevKv !== undefined) assert.equal(prevKv.modRevision, kv.modRevision - 1);
  }
}

test('each watch of a slow stream gets every event, or learns that it was compacted', () =>
  Cluster.run(1, async ({ stores: [store] }) => {
    await write(store!, 1);
    const first = store!.revision + 1;
    const watch = await GrpcWatch.open(store!);
    for (let i = 0; i < WATCHES; i++) watch.create({ key: 'k', rangeEnd: '', prevKv: true });
    await eventually(() => watch.responses.length === WATCHES);
    let compactRevision = 0;
    for (let round = 0; round < 4; round++) {
      watch.stopReading();
      await write(store!, 15);
      compactRevision = store!.revision - 3;
      await store!.compact(compactRevision);
      watch.readOn();
      await write(store!, 1);
    }
    await write(store!, 1);
    const last = store!.revision;
    const ids = numbers(0, WATCHES - 1).map(BigInt);
    const settled = (id: bigint) =>
      watch.of(id).at(-1)!.canceled || watch.revisions(id).at(-1) === last;
    let waiting = ids;
    await eventually(() => (waiting = waiting.filter((id) => !settled(id))).length === 0);
    const canceled = ids.filter((id) => assertAllOrCompacted(watch, id, first, last));
    for (const id of ids) assertPrevious(watch, id);
    assert.ok(canceled.length > 0, 'the stream was never slow enough');
    // Cancelled by the client, they hold back progress no longer.
    for (const id of canceled) watch.cancel(id);
    watch.requestProgress();
    if (canceled.length < WATCHES) await eventually(() => watch.progress().length > 0);
    watch.close();
  }));
