/** What single workloads must get right beyond their plans. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  kubernetesWorkload,
  kvWorkload,
  leaseWorkload,
  membershipWorkload,
  type KubernetesStep,
  type KvStep,
  type LeaseStep,
  type MembershipStep,
  type Workload,
} from '../../../src/sim/workloads/index.js';
import { prefixEnd } from '../../../src/sim/workloads/requests.js';
import { FakeCluster, makeMember } from './fake-cluster.js';

async function run<Step extends { afterMs: number; place: number }>(
  cluster: FakeCluster,
  workload: Workload<any>,
  steps: readonly Omit<Step, 'afterMs' | 'place'>[],
  id = 1,
): Promise<void> {
  const timed = steps.map((step) => ({ afterMs: 0, place: 0, ...step }));
  await workload.run(cluster.client(id), { steps: timed });
}

function asked(cluster: FakeCluster, kind: string): unknown[] {
  return cluster.calls.filter(([one]) => one === kind).map(([, request]) => request);
}

type Action<Step> = Step extends unknown ? Omit<Step, 'afterMs' | 'place'> : never;

describe('kv', () => {
  test('a swap writes over the revision it has read', async () => {
    const cluster = new FakeCluster();
    cluster.story.put('kv/0', 'old');
    const swap: Action<KvStep> = { op: 'swap', key: 'kv/0', value: 'new' };
    await run<KvStep>(cluster, kvWorkload, [swap]);
    const pair = cluster.story.machine.timeline.pairAt('kv/0', 3);
    assert.equal(pair?.value, 'new');
  });

  test('old reads and compactions count back from what was seen', async () => {
    const cluster = new FakeCluster();
    const put: Action<KvStep> = { op: 'put', key: 'kv/0', value: 'v', prevKv: false };
    const read = { op: 'read', key: 'kv/0', rangeEnd: '', serializable: false, limit: 0 } as const;
    const steps: Action<KvStep>[] = [
      put,
      put,
      put,
      { ...read, back: 0 },
      { ...read, back: 2 },
      { ...read, back: 9 },
      { op: 'compact', back: 1 },
    ];
    await run<KvStep>(cluster, kvWorkload, steps);
    const revisions = asked(cluster, 'range').map((request: any) => request.revision);
    // The last two are at the edge of the compaction.
    assert.deepEqual(revisions, [0, 2, 1, 3, 2]);
    assert.deepEqual(asked(cluster, 'compact'), [{ revision: 3, physical: false }]);
  });
});

describe('lease', () => {
  test('steps speak of leases that were granted, newest first', async () => {
    const cluster = new FakeCluster();
    const steps: Action<LeaseStep>[] = [
      { op: 'attach', lease: 0, key: 'lease/0', value: 'none yet' },
      { op: 'grant', id: 11n, ttlSeconds: 1 },
      { op: 'grant', id: 12n, ttlSeconds: 9 },
      { op: 'attach', lease: 0, key: 'lease/0', value: 'x' },
      { op: 'attach', lease: 1, key: 'lease/1', value: 'y' },
      { op: 'revoke', lease: 2 },
    ];
    await run<LeaseStep>(cluster, leaseWorkload, steps);
    const leases = asked(cluster, 'put').map((request: any) => request.lease);
    assert.deepEqual(leases, [12n, 11n]);
    assert.deepEqual(asked(cluster, 'leaseRevoke'), [{ id: 12n }]);
  });

  test('keep-alives come at a third of the TTL that was granted', async () => {
    const cluster = new FakeCluster();
    const steps: Action<LeaseStep>[] = [
      { op: 'grant', id: 11n, ttlSeconds: 9 },
      { op: 'keepAlive', lease: 0, times: 3 },
    ];
    await run<LeaseStep>(cluster, leaseWorkload, steps);
    const renewals = cluster.story.history.operations.filter(
      ({ kind }) => kind === 'leaseKeepAlive',
    );
    const [first, second, third] = renewals.map(({ invoked }) => Math.round(invoked.ms / 1000));
    assert.deepEqual([second! - first!, third! - second!], [3, 3]);
  });
});

describe('membership', () => {
  const remove: Action<MembershipStep> = { op: 'remove', member: 0 };

  test('no voter is removed that leaves too few', async () => {
    const cluster = new FakeCluster();
    await run<MembershipStep>(cluster, membershipWorkload, [remove]);
    assert.deepEqual(asked(cluster, 'memberRemove'), []);
    cluster.members.push(makeMember(4n));
    await run<MembershipStep>(cluster, membershipWorkload, [remove]);
    assert.deepEqual(asked(cluster, 'memberRemove'), [{ id: 1n }]);
  });

  test('learners are added up to a size, promoted, and removed at will', async () => {
    const cluster = new FakeCluster();
    const add: Action<MembershipStep> = { op: 'addLearner', slot: 4 };
    await run<MembershipStep>(cluster, membershipWorkload, [add, { op: 'promote' }]);
    assert.deepEqual(asked(cluster, 'memberAdd'), [
      { peerUrls: ['http://slot4'], isLearner: true },
    ]);
    assert.deepEqual(asked(cluster, 'memberPromote'), []);
    cluster.members = [...cluster.members, { ...makeMember(9n), isLearner: true }];
    const removeLearner: Action<MembershipStep> = { op: 'remove', member: 3 };
    await run<MembershipStep>(cluster, membershipWorkload, [{ op: 'promote' }, removeLearner]);
    assert.deepEqual(asked(cluster, 'memberPromote'), [{ id: 9n }]);
    assert.deepEqual(asked(cluster, 'memberRemove'), [{ id: 9n }]);
    cluster.members = [1n, 2n, 3n, 4n, 5n, 6n].map(makeMember);
    await run<MembershipStep>(cluster, membershipWorkload, [add]);
    assert.equal(asked(cluster, 'memberAdd').length, 1);
  });

  test('leadership goes to another voter, asked of the leader', async () => {
    const cluster = new FakeCluster();
    cluster.leader = 2n;
    const move: Action<MembershipStep> = { op: 'moveLeader', member: 1 };
    await run<MembershipStep>(cluster, membershipWorkload, [move]);
    assert.deepEqual(asked(cluster, 'moveLeader'), [{ targetId: 3n }]);
    cluster.leader = 0n;
    await run<MembershipStep>(cluster, membershipWorkload, [move]);
    assert.equal(asked(cluster, 'moveLeader').length, 1);
  });
});

describe('kubernetes', () => {
  const write: Action<KubernetesStep> = {
    op: 'create',
    key: '/registry/pods/default/0',
    value: 'v',
  };
  const compact: Action<KubernetesStep> = { op: 'compact' };

  test('one server compacts at what the round before has seen', async () => {
    const cluster = new FakeCluster();
    await run<KubernetesStep>(cluster, kubernetesWorkload, [write, compact, compact, compact]);
    // Revisions: create 2, rounds 3, 4 and 5.
    assert.deepEqual(
      asked(cluster, 'compact').map((request: any) => request.revision),
      [3, 4],
    );
  });

  test('of two servers one does, the other takes note', async () => {
    const cluster = new FakeCluster();
    const first = cluster.client(1);
    const second = cluster.client(2);
    const steps = [{ ...compact, afterMs: 0, place: 0 } as KubernetesStep];
    await kubernetesWorkload.run(first, { steps });
    await kubernetesWorkload.run(second, { steps });
    assert.deepEqual(asked(cluster, 'compact'), []);
    await kubernetesWorkload.run(second, { steps: [...steps, ...steps] });
    assert.equal(asked(cluster, 'compact').length, 1);
  });

  test('creates only what is not there, updates and deletes only what it has seen', async () => {
    const cluster = new FakeCluster();
    const key = '/registry/pods/default/0';
    const steps: Action<KubernetesStep>[] = [
      { op: 'update', key, value: 'too early' },
      { op: 'delete', key },
      { op: 'create', key, value: 'first' },
      { op: 'create', key, value: 'second' },
      { op: 'update', key, value: 'third' },
      { op: 'delete', key },
      { op: 'create', key, value: 'fourth' },
    ];
    await run<KubernetesStep>(cluster, kubernetesWorkload, steps);
    const { timeline } = cluster.story.machine;
    const values = [2, 3, 4, 5].map((revision) => timeline.pairAt(key, revision)?.value);
    assert.deepEqual(values, ['first', 'third', undefined, 'fourth']);
    assert.equal(timeline.currentRevision, 5);
  });

  test('pages are read at the first one’s revision', async () => {
    const cluster = new FakeCluster();
    for (const name of ['0', '1', '2']) cluster.story.put(`/registry/pods/${name}`, 'x');
    const list: Action<KubernetesStep> = { op: 'list', prefix: '/registry/pods/', limit: 2 };
    await run<KubernetesStep>(cluster, kubernetesWorkload, [list]);
    const pages = asked(cluster, 'range').map(({ key, revision }: any) => [key, revision]);
    assert.deepEqual(pages, [
      ['/registry/pods/', 0],
      ['/registry/pods/1\0', 4],
    ]);
  });

  test('events share a lease', async () => {
    const cluster = new FakeCluster();
    const events = Array.from({ length: 12 }, (_, i): Action<KubernetesStep> => {
      const key = `/registry/events/default/${i}`;
      return { op: 'event', key, value: 'e', leaseId: BigInt(i + 1) };
    });
    await run<KubernetesStep>(cluster, kubernetesWorkload, events);
    assert.deepEqual(
      asked(cluster, 'leaseGrant').map((request: any) => request.id),
      [1n, 11n],
    );
  });

  test('lists, watches from there, and lists again when that is compacted', async () => {
    const cluster = new FakeCluster();
    cluster.story.put('/registry/pods/0', 'x');
    await run<KubernetesStep>(cluster, kubernetesWorkload, [{ op: 'listAndWatch' }, write]);
    for (let i = 0; i < 20; i++) await Promise.resolve();
    cluster.story.put('/registry/pods/1', 'x');
    cluster.cancelCompacted(4);
    for (let i = 0; i < 20; i++) await Promise.resolve();
    const starts = cluster.story.history.watches.map(({ request }) => request.startRevision);
    assert.deepEqual(starts, [3, 5]);
  });
});

test('the end of a prefix', () => {
  assert.equal(prefixEnd('a'), 'b');
  assert.equal(prefixEnd('a\xff\xff'), 'b');
  assert.equal(prefixEnd('\xff'), '\0');
  assert.equal(prefixEnd('/registry/'), '/registry0');
});
