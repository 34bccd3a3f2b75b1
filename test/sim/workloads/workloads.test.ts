/** Plans are plain and repeatable; run on a right cluster, every workload leaves a right history. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SeededRandom } from '../../../src/raft/index.js';
import { checkLinearizableByRevision } from '../../../src/sim/checkers/linearizable-by-revision.js';
import { checkLinearizableBySearch } from '../../../src/sim/checkers/linearizable-by-search.js';
import { checkSerializableReads } from '../../../src/sim/checkers/serializable-reads.js';
import { checkWatchGuarantees } from '../../../src/sim/checkers/watch-guarantees.js';
import type { OperationKind } from '../../../src/sim/history.js';
import {
  kubernetesWorkload,
  kvWorkload,
  leaseWorkload,
  membershipWorkload,
  watchWorkload,
  type Plan,
  type Workload,
} from '../../../src/sim/workloads/index.js';
import {
  kubernetesPlan,
  kvPlan,
  leasePlan,
  membershipPlan,
  watchPlan,
  type PlanShape,
} from './arbitraries.js';
import { FakeCluster } from './fake-cluster.js';

interface Case {
  readonly workload: Workload<any>;
  readonly ops: readonly string[];
  readonly arbitrary: (shape: PlanShape) => fc.Arbitrary<Plan<any>>;
  /** Requests that a long run must have made. */
  readonly kinds: readonly OperationKind[];
}

const CASES: readonly Case[] = [
  {
    workload: kvWorkload,
    ops: ['put', 'delete', 'read', 'txn', 'swap', 'compact', 'hash'],
    arbitrary: kvPlan,
    kinds: ['put', 'deleteRange', 'range', 'txn', 'compact', 'hashKv'],
  },
  {
    workload: watchWorkload,
    ops: ['open', 'move', 'progress', 'close', 'put', 'delete', 'putAll', 'burst', 'compact'],
    arbitrary: watchPlan,
    kinds: ['put', 'deleteRange', 'txn', 'compact'],
  },
  {
    workload: leaseWorkload,
    ops: ['grant', 'attach', 'keepAlive', 'revoke', 'timeToLive', 'list', 'read'],
    arbitrary: leasePlan,
    kinds: [
      'leaseGrant',
      'put',
      'leaseKeepAlive',
      'leaseRevoke',
      'leaseTimeToLive',
      'leaseLeases',
      'range',
    ],
  },
  {
    workload: membershipWorkload,
    ops: ['addLearner', 'promote', 'remove', 'update', 'moveLeader', 'list'],
    arbitrary: membershipPlan,
    kinds: ['memberList', 'memberAdd', 'memberUpdate', 'moveLeader', 'status'],
  },
  {
    workload: kubernetesWorkload,
    ops: [
      'listAndWatch',
      'progress',
      'create',
      'update',
      'delete',
      'get',
      'list',
      'event',
      'compact',
    ],
    arbitrary: kubernetesPlan,
    kinds: ['range', 'txn', 'compact', 'leaseGrant'],
  },
];

const OPTIONS = { clients: 3, durationMs: 60_000, meanPauseMs: 200 };

/** Runs all clients of a plan at once. */
async function play(workload: Workload<any>, plan: Plan<any>, loseEvery = 0): Promise<FakeCluster> {
  const cluster = new FakeCluster();
  cluster.loseEvery = loseEvery;
  await Promise.all(plan.clients.map((part, i) => workload.run(cluster.client(i + 1), part)));
  cluster.deliver();
  return cluster;
}

function violationsOf({ story }: FakeCluster) {
  const { history, truth } = story;
  const settledRevision = story.machine.revision;
  return [
    ...checkLinearizableByRevision(history, truth),
    ...checkLinearizableBySearch(history).violations,
    ...checkSerializableReads(history, truth),
    ...checkWatchGuarantees(history, truth, { settledRevision }),
  ];
}

for (const { workload, ops, arbitrary, kinds } of CASES) {
  describe(workload.name, () => {
    test('a seed draws the same plan, of plain values, within its time', () => {
      const draw = (seed: number) => workload.plan(new SeededRandom(seed), OPTIONS);
      const plan = draw(7);
      assert.deepEqual(draw(7), plan);
      assert.notDeepEqual(draw(8), plan);
      assert.deepEqual(structuredClone(plan), plan);
      assert.equal(plan.clients.length, OPTIONS.clients);
      for (const { steps } of plan.clients) {
        const totalMs = steps.reduce((sum, step) => sum + step.afterMs, 0);
        assert.ok(totalMs <= OPTIONS.durationMs && totalMs > OPTIONS.durationMs / 2);
        // Pauses keep their mean within a third.
        const meanMs = totalMs / steps.length;
        assert.ok(meanMs > 130 && meanMs < 270, `mean pause ${meanMs}`);
      }
    });

    test('draws everything it has', () => {
      const { clients } = workload.plan(new SeededRandom(1), OPTIONS);
      const drawn = new Set(clients.flatMap(({ steps }) => steps.map((step) => step.op)));
      assert.deepEqual(drawn, new Set(ops));
    });

    test('values and ids are nobody else’s', () => {
      const { clients } = workload.plan(new SeededRandom(1), OPTIONS);
      const steps = clients.flatMap((client) => client.steps);
      const values = steps.flatMap((step) => step.value ?? step.values ?? []);
      const ids = steps.flatMap((step) => step.id ?? []);
      assert.equal(new Set(values).size, values.length);
      assert.equal(new Set(ids).size, ids.length);
    });

    test('asks for everything, and leaves a right history', async () => {
      const plan = workload.plan(new SeededRandom(3), OPTIONS);
      const cluster = await play(workload, plan);
      const asked = new Set(cluster.calls.map(([kind]) => kind));
      for (const kind of kinds) assert.ok(asked.has(kind), `never asked for ${kind}`);
      assert.deepEqual(violationsOf(cluster), []);
      const { operations } = cluster.story.history;
      const done = operations.filter(({ outcome }) => outcome.kind === 'ok').length;
      assert.ok(done > operations.length / 2, `${done} of ${operations.length} succeeded`);
    });

    test('goes on when answers get lost', async () => {
      const plan = workload.plan(new SeededRandom(4), { ...OPTIONS, durationMs: 10_000 });
      const cluster = await play(workload, plan, 7);
      const unknown = cluster.story.history.operations.filter(
        ({ outcome }) => outcome.kind === 'unknown',
      );
      assert.ok(unknown.length > 0);
      assert.deepEqual(violationsOf(cluster), []);
    });

    test('ends soon when it is told to', async () => {
      const cluster = new FakeCluster();
      const plan = workload.plan(new SeededRandom(3), OPTIONS);
      cluster.stopping = true;
      await workload.run(cluster.client(), plan.clients[0]!);
      assert.deepEqual(cluster.calls, []);
    });

    test('any generated plan runs and leaves a right history', async () => {
      const shape = { clients: 2, maxSteps: 15, maxPauseMs: 500 };
      await fc.assert(
        fc.asyncProperty(arbitrary(shape), fc.constantFrom(0, 5), async (plan, loseEvery) => {
          assert.deepEqual(violationsOf(await play(workload, plan, loseEvery)), []);
        }),
        { numRuns: 25 },
      );
    });
  });
}
