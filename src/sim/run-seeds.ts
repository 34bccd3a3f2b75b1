/** Runs seed after seed and tells of those that fail. */
import { performance } from 'node:perf_hooks';
import type { Violation } from './checkers/violation.js';
import { type ScenarioOptions, scenarioOf } from './profiles.js';
import { Simulation, type SimulationResult } from './simulation.js';

export interface SeedRun {
  readonly first: number;
  /** So many seeds; undefined: as many as the time allows. */
  readonly count: number | undefined;
  /** Wall time after which no other seed is begun; undefined: none. */
  readonly minutes: number | undefined;
  readonly scenario: ScenarioOptions;
  /** Runs every seed twice and compares the traces. */
  readonly replay: boolean;
}

export interface SeedReport {
  readonly seed: number;
  readonly members: number;
  readonly violations: readonly Violation[];
}

export interface SeedTotals {
  readonly seeds: number;
  readonly failures: number;
  readonly virtualMs: number;
  readonly wallMs: number;
  readonly operations: number;
  readonly entries: number;
  /** Keys whose linearizability could not be decided. */
  readonly undecided: number;
}

export interface SeedListener {
  failed(report: SeedReport): void;
  progress(totals: SeedTotals): void;
}

export async function runSeeds(run: SeedRun, listener: SeedListener): Promise<SeedTotals> {
  const startedMs = performance.now();
  let totals: SeedTotals = {
    seeds: 0,
    failures: 0,
    virtualMs: 0,
    wallMs: 0,
    operations: 0,
    entries: 0,
    undecided: 0,
  };
  for (let seed = run.first; isWanted(run, totals); seed++) {
    const { report, result } = await runSeed(seed, run);
    if (report.violations.length > 0) listener.failed(report);
    totals = {
      seeds: totals.seeds + 1,
      failures: totals.failures + (report.violations.length > 0 ? 1 : 0),
      virtualMs: totals.virtualMs + result.virtualMs,
      wallMs: performance.now() - startedMs,
      operations: totals.operations + result.operationsDone,
      entries: totals.entries + result.commitIndex,
      undecided: totals.undecided + result.undecided.length,
    };
    listener.progress(totals);
  }
  return totals;
}

function isWanted({ count, minutes }: SeedRun, { seeds, wallMs }: SeedTotals): boolean {
  return seeds < (count ?? Infinity) && wallMs < (minutes ?? Infinity) * 60_000;
}

async function runSeed(
  seed: number,
  { scenario: options, replay }: SeedRun,
): Promise<{ report: SeedReport; result: SimulationResult }> {
  const scenario = scenarioOf(seed, options);
  const result = await new Simulation(scenario).run();
  const violations = [...result.violations];
  if (replay) {
    const again = await new Simulation(scenario).run();
    if (again.traceHash !== result.traceHash) {
      const explanation = `two runs have traces ${result.traceHash} and ${again.traceHash}`;
      violations.push({ promise: 'same-seed-same-trace', explanation });
    }
  }
  return { report: { seed, members: scenario.members, violations }, result };
}

/** The command that runs one seed again, with its whole trace. */
export function replayCommand(
  seed: number,
  { profile, members, seconds }: ScenarioOptions,
): string {
  const words = ['npm run sim --', '--seed', seed];
  if (profile !== undefined) words.push('--profile', profile);
  if (members !== undefined) words.push('--members', members);
  if (seconds !== undefined) words.push('--seconds', seconds);
  return words.join(' ');
}
