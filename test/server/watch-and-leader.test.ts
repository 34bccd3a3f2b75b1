/** Watches while the leader is lost: what a client that resumes sees, and streams that ask for a leader. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchCreateRequest, WatchResponse } from '../../src/api/index.js';
import type { Kvorum } from '../../src/embed/index.js';
import { LOCAL_CALL } from '../../src/embed/local-call.js';
import { type LocalCluster, eventually, startLocalCluster } from './local-cluster.js';

async function withCluster(run: (cluster: LocalCluster) => Promise<void>): Promise<void> {
  const cluster = await startLocalCluster(['a', 'b', 'c']);
  try {
    await run(cluster);
  } finally {
    await cluster.close();
  }
}

interface Stream {
  /** Revisions of events. */
  readonly seen: number[];
  ended: unknown;
  cancel(): void;
}

function watch(store: Kvorum, startRevision: number, metadata: Record<string, string>): Stream {
  const stream: Stream = { seen: [], ended: undefined, cancel: () => reader.cancel() };
  const reader = store.services.watch.open(
    {
      respond: (_head: WatchResponse, batch) => {
        stream.seen.push(...(batch?.events ?? []).map(({ kv }) => kv.modRevision));
        return true;
      },
      onDrain: () => {},
      end: (error) => (stream.ended = error ?? 'ok'),
    },
    { ...LOCAL_CALL, metadata: (name) => metadata[name] },
  );
  const request: WatchCreateRequest = {
    key: 'k',
    rangeEnd: '',
    startRevision,
    progressNotify: false,
    filters: [],
    prevKv: false,
    watchId: 0n,
    fragment: false,
  };
  void reader.message({ kind: 'create', request });
  return stream;
}

test('a watch that resumes on another member after the loss of the leader misses and repeats nothing', () =>
  withCluster(async (cluster) => {
    const leader = await cluster.leader();
    const first = leader.revision + 1;
    const before = watch(leader, first, {});
    for (let i = 0; i < 50; i++) await leader.put('k', String(i));
    const writes = Array.from({ length: 50 }, (_, i) => leader.put('k', `at the loss ${i}`));
    void Promise.allSettled(writes);
    await eventually(() => before.seen.length > 50);
    await leader.close();
    await Promise.allSettled(writes);
    const next = await cluster.leader();
    for (let i = 0; i < 20; i++) await next.put('k', `after ${i}`);
    const after = watch(next, (before.seen.at(-1) ?? 0) + 1, {});
    await eventually(() => after.seen.at(-1) === next.revision);
    const expected = Array.from({ length: next.revision - first + 1 }, (_, i) => first + i);
    assert.deepEqual([...before.seen, ...after.seen], expected);
    after.cancel();
  }));

test('hasleader ends the streams of a member without a leader; others stay open', () =>
  withCluster(async (cluster) => {
    const leader = await cluster.leader();
    const alone = await cluster.follower();
    const asking = watch(alone, 0, { hasleader: 'true' });
    const notAsking = watch(alone, 0, {});
    const revision = await leader.put('k', 'v');
    await eventually(() => asking.seen.includes(revision) && notAsking.seen.includes(revision));
    await Promise.all(cluster.stores.filter((store) => store !== alone).map((s) => s.close()));
    const error = await eventually(() => asking.ended);
    assert.equal((error as Error).name, 'noLeader');
    assert.equal(notAsking.ended, undefined);
    notAsking.cancel();
  }));
