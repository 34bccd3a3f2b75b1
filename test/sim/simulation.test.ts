import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PROFILES, type ProfileName, scenarioOf } from '../../src/sim/profiles.js';
import { Simulation, type SimulationResult } from '../../src/sim/simulation.js';
import { type TraceEvent, traceLine } from '../../src/sim/trace.js';
import { putRequest, rangeRequest } from '../../src/sim/workloads/requests.js';
import type { WorkloadClient } from '../../src/sim/workloads/workload-client.js';

async function run(seed: number, profile: ProfileName, seconds: number): Promise<SimulationResult> {
  const scenario = scenarioOf(seed, { profile, members: 3, seconds });
  return new Simulation(scenario).run();
}

function kept({ violations }: SimulationResult, what: string): void {
  assert.deepEqual(
    violations.map(({ promise, explanation }) => `${promise}: ${explanation}`),
    [],
    what,
  );
}

describe('a simulated run', () => {
  for (const profile of PROFILES) {
    it(`keeps every promise: profile ${profile}`, async () => {
      const result = await run(1, profile, 10);
      kept(result, `npm run sim -- --seed 1 --profile ${profile} --members 3 --seconds 10`);
      assert.ok(result.operationsDone > 50, `${result.operationsDone} operations done`);
    });
  }

  it('is the same twice, line by line, and another for another seed', async () => {
    const scenario = scenarioOf(3, { seconds: 8 });
    const runs: string[][] = [[], []];
    const hashes: string[] = [];
    for (const lines of runs) {
      const trace = (event: TraceEvent) => void lines.push(traceLine(event));
      hashes.push((await new Simulation(scenario, { trace }).run()).traceHash);
    }
    assert.ok(runs[0]!.length > 1000);
    assert.deepEqual(runs[0], runs[1]);
    assert.equal(hashes[0], hashes[1]);
    assert.equal((await new Simulation(scenario).run()).traceHash, hashes[0]);
    const other = await new Simulation(scenarioOf(4, { seconds: 8 })).run();
    assert.notEqual(other.traceHash, hashes[0]);
  });

  it("runs a program's own clients and judges what they saw", async () => {
    const seen: string[] = [];
    const client = async (c: WorkloadClient) => {
      for (let i = 0; !c.stopping; i++) {
        const put = await c.call(i, 'put', putRequest('counter', `${i}`));
        if (put.kind !== 'ok') continue;
        const read = await c.call(i + 1, 'range', rangeRequest('counter'));
        if (read.kind === 'ok') seen.push(read.response.kvs[0]!.value);
        await c.sleep(20);
      }
    };
    const scenario = { seed: 1, members: 3, durationMs: 5000, faults: [], traffic: [] };
    const result = await new Simulation(scenario, { clients: [client] }).run();
    kept(result, 'own clients');
    assert.ok(seen.length > 50, `${seen.length}`);
    assert.equal(seen.at(-1), `${Math.max(...seen.map(Number))}`);
  });

  it('tells of a client that throws', async () => {
    const scenario = { seed: 1, members: 1, durationMs: 2000, faults: [], traffic: [] };
    const failing = async () => {
      throw new Error('a fault of the test');
    };
    await assert.rejects(
      new Simulation(scenario, { clients: [failing] }).run(),
      /a fault of the test/,
    );
  });

  it('repairs at the end what no fault plan has repaired', async () => {
    const faults = [0, 1].map(
      (node) => ({ atMs: 2000, kind: 'bitFlip', node, repairMs: 1e6 }) as const,
    );
    const scenario = { seed: 1, members: 3, durationMs: 4000, faults, traffic: [] };
    kept(await new Simulation(scenario).run(), 'both disks were damaged');
  });
});

describe('each kind of fault', () => {
  const places = { node: 1, from: 0, to: 1, groups: [[0], [1, 2]] };
  const extent = { forMs: 1500, downMs: 1500, repairMs: 1500, delayMs: 300, factor: 100 };
  const other = { powerLoss: true, loss: 0.3, duplicate: 0.3, reorder: 0.3, share: 1, byMs: -9000 };
  const kinds = [
    'crash',
    'restart',
    'blackout',
    'pause',
    'partition',
    'cut',
    'cutClients',
    'slowLink',
    'badNetwork',
    'drift',
    'wallJump',
    'slowDisk',
    'fullDisk',
    'readError',
    'bitFlip',
    'replace',
    'transfer',
  ] as const;
  const client = async (c: WorkloadClient) => {
    for (let i = 0; !c.stopping; i++) {
      await c.call(i, 'put', putRequest(`k${i % 5}`, `${c.id} ${i}`));
      await c.sleep(30);
    }
  };

  for (const kind of kinds) {
    it(`is survived: ${kind}`, async () => {
      const fault = { atMs: 2500, kind, ...places, ...extent, ...other } as const;
      const scenario = { seed: 5, members: 3, durationMs: 4500, faults: [fault], traffic: [] };
      const result = await new Simulation(scenario, { clients: [client, client] }).run();
      kept(result, kind);
      assert.ok(result.operationsDone > 20, `${result.operationsDone}`);
    });
  }
});
