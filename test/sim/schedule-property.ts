/** Every schedule of faults and operations keeps every promise; one that does not is made small and told. */
import fc from 'fast-check';
import type * as Simulator from '../../src/sim/index.js';
import type { Scenario } from '../../src/sim/index.js';
import { kvWorkload, leaseWorkload, watchWorkload } from '../../src/sim/workloads/index.js';
import { faultSchedule } from './fault-arbitrary.js';
import { smallerScenario } from './smaller-scenario.js';
import { kvPlan, leasePlan, watchPlan } from './workloads/arbitraries.js';

export interface PropertyOptions {
  readonly seed: number;
  readonly runs: number;
  /** Smaller scenarios that are tried once one has failed: so many by fast-check, so many after it. */
  readonly shrinks: number;
  /** Virtual time of faults and operations. */
  readonly durationMs: number;
}

/** Faults, operations and the seed of all chance: one value. */
function anyScenario(durationMs: number): fc.Arbitrary<Scenario> {
  const shape = { clients: 2, maxSteps: 12, maxPauseMs: Math.floor(durationMs / 12) };
  const kinds = fc.record({
    kv: fc.option(kvPlan(shape)),
    watch: fc.option(watchPlan(shape)),
    lease: fc.option(leasePlan(shape)),
  });
  return fc
    .record({
      kinds,
      faults: faultSchedule({ members: 3, untilMs: durationMs, maxFaults: 6 }),
      seed: fc.nat(1000),
      snapshotCount: fc.constantFrom(30, 500),
      backendBatchIntervalMs: fc.constantFrom(20, 1000),
    })
    .map(({ seed, faults, kinds: { kv, watch, lease }, ...config }) => ({
      seed,
      members: 3,
      durationMs,
      faults,
      config: { heartbeatMs: 50, electionMs: 500, ...config },
      traffic: [
        ...(kv === null ? [] : [{ workload: kvWorkload, plan: kv }]),
        ...(watch === null ? [] : [{ workload: watchWorkload, plan: watch }]),
        ...(lease === null ? [] : [{ workload: leaseWorkload, plan: lease }]),
      ],
    }));
}

/**
 * Runs the simulator that it is given. Undefined when the property holds; else what a person must know:
 * the promise, the smallest schedule and history that break it, and one command that replays them.
 */
export async function brokenSchedule(
  simulator: typeof Simulator,
  options: PropertyOptions,
): Promise<string | undefined> {
  let shrinksLeft = options.shrinks;
  let hasFailed = false;
  const property = fc.asyncProperty(anyScenario(options.durationMs), async (scenario) => {
    if (hasFailed && shrinksLeft-- <= 0) return true;
    const { violations } = await new simulator.Simulation(scenario).run();
    hasFailed ||= violations.length > 0;
    return violations.length === 0;
  });
  const { seed, runs } = options;
  const details = await fc.check(property, { seed, numRuns: runs });
  if (!details.failed) return undefined;
  if (details.counterexample === null) throw details.errorInstance;
  const fails = async (scenario: Scenario) =>
    (await new simulator.Simulation(scenario).run()).violations.length > 0;
  const smallest = await smallerScenario(details.counterexample[0], fails, options.shrinks);
  return tell(simulator, smallest, seed);
}

async function tell(
  simulator: typeof Simulator,
  scenario: Scenario,
  seed: number,
): Promise<string> {
  const { violations, history } = await new simulator.Simulation(scenario).run();
  const steps = scenario.traffic.flatMap(({ workload, plan }) =>
    plan.clients.flatMap((client, i) =>
      client.steps.map(
        (step) => `  ${workload.name} client ${i + 1}: ${JSON.stringify(step, plainly)}`,
      ),
    ),
  );
  return [
    `the schedule property fails (fast-check seed ${seed})`,
    ...violations.slice(0, 3).map((one) => `violation ${one.promise}: ${one.explanation}`),
    `smallest schedule: seed ${scenario.seed}, ${scenario.faults.length} faults, ${steps.length} steps`,
    ...scenario.faults.map((fault) => `  ${JSON.stringify(fault)}`),
    ...steps,
    'its history:',
    ...simulator.historyLines(history).map((line) => `  ${line}`),
    'again:',
    simulator.scheduleCommand(scenario),
  ].join('\n');
}

function plainly(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString(16) : value;
}
