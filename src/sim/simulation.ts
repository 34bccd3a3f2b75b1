/**
 * A run of a whole cluster from a seed: faults and traffic for a while, then everything heals, the
 * cluster must recover, and what clients saw is judged.
 */
import { DEFAULT_CONFIG, type MemberConfig } from '../server/index.js';
import { RaftInvariants } from './checkers/raft-invariants.js';
import { replay } from './checkers/true-history.js';
import { type Violation, ViolationError } from './checkers/violation.js';
import { SimulatedClient } from './client.js';
import type { DiskTiming } from './disk.js';
import { FaultInjector } from './fault-injector.js';
import type { Fault } from './faults.js';
import type { History } from './history.js';
import type { LinkCondition } from './network.js';
import { type Judgement, judge } from './judgement.js';
import { MAX_CLOCK_DRIFT } from './node-clock.js';
import { Recovery } from './recovery.js';
import type { TraceListener } from './trace.js';
import type { Plan, Workload, WorkloadClient } from './workloads/workload-client.js';
import { World } from './world.js';

/** One workload and what its clients will do. */
export interface Traffic {
  readonly workload: Workload<any>;
  readonly plan: Plan<any>;
}

/** Everything that decides a run: two runs of one scenario have the same trace, byte for byte. */
export interface Scenario {
  readonly seed: number;
  /** Founders: 1, 3, 5 … */
  readonly members: number;
  /** Virtual milliseconds of faults and traffic; healing and judging come after. */
  readonly durationMs: number;
  readonly faults: readonly Fault[];
  readonly traffic: readonly Traffic[];
  /** Differences from the server's defaults. */
  readonly config?: Partial<MemberConfig>;
  readonly link?: Readonly<LinkCondition>;
  readonly disk?: DiskTiming;
}

export interface SimulationOptions {
  /** Sees every line of the trace as it happens. */
  readonly trace?: TraceListener;
  /**
   * Clients of your own, beside the scenario's traffic: each runs until it returns. A loop should end
   * when `client.stopping` is true.
   */
  readonly clients?: readonly ((client: WorkloadClient) => Promise<void>)[];
}

export interface SimulationResult {
  /** Empty when every promise was kept. */
  readonly violations: readonly Violation[];
  /** Keys whose linearizability could not be decided in reasonable time: neither right nor wrong. */
  readonly undecided: readonly string[];
  readonly history: History;
  /** 16 hex digits: equal for equal runs. */
  readonly traceHash: string;
  readonly virtualMs: number;
  readonly events: number;
  /** Operations that were answered with success. */
  readonly operationsDone: number;
  /** Highest index that was committed. */
  readonly commitIndex: number;
}

/** The cluster must have recovered so soon after everything healed. */
export const RECOVERY_BOUND_MS = 30_000;
/** Traffic goes on for so long after everything healed. */
const CALM_MS = 3000;
/** Clients end within this once they are told to: their longest call, and a little. */
const CLIENTS_END_MS = 15_000;
/** All members have applied everything, and watchers have got it, within this after the last write. */
const SETTLE_MS = 5000;

export class Simulation {
  readonly scenario: Scenario;
  readonly #options: SimulationOptions;

  constructor(scenario: Scenario, options: SimulationOptions = {}) {
    this.scenario = scenario;
    this.#options = options;
  }

  /** Runs it once, from the start. Never rejects for what the cluster does: that is in the result. */
  async run(): Promise<SimulationResult> {
    const invariants = new RaftInvariants();
    const { seed, members, config, link, disk } = this.scenario;
    const traceListener = this.#options.trace;
    const checkers = [invariants];
    const world = new World({ seed, members, config, link, disk, traceListener, checkers });
    const { violations, undecided } = await this.#judgementOf(world, invariants);
    return {
      violations,
      undecided,
      history: world.history,
      traceHash: world.trace.hash,
      virtualMs: world.nowMs,
      events: world.loop.executed,
      operationsDone: world.history.operations.filter(({ outcome }) => outcome.kind === 'ok')
        .length,
      commitIndex: invariants.commitIndex,
    };
  }

  async #judgementOf(world: World, invariants: RaftInvariants): Promise<Judgement> {
    try {
      return await this.#play(world, invariants);
    } catch (error) {
      if (error instanceof ViolationError) {
        return { violations: [error.violation], undecided: [] };
      }
      throw error;
    }
  }

  async #play(world: World, invariants: RaftInvariants): Promise<Judgement> {
    const { config } = this.scenario;
    const injector = new FaultInjector(world);
    injector.schedule(this.scenario.faults);
    world.start();
    const clients = this.#startClients(world);
    await world.run(this.scenario.durationMs);

    const healedMs = world.nowMs;
    const committedAtHeal = invariants.commitIndex;
    injector.heal();
    await world.run(healedMs + CALM_MS);
    world.stopClients();
    await world.run(world.nowMs + CLIENTS_END_MS, () => clients.areDone);

    const recovery = new Recovery(world);
    recovery.start();
    const boundMs = healedMs + RECOVERY_BOUND_MS;
    const hasRecovered = () => recovery.hasAnswered && recovery.isEven && injector.isSettled;
    await world.run(boundMs, hasRecovered);
    recovery.stop();
    const settledRevision = world.leader?.member?.store.currentRevision ?? 0;
    await world.run(world.nowMs + SETTLE_MS);
    const hashes = settled(recovery.hashes());
    const dump = recovery.dump();
    const dumped = settled(dump);
    await world.run(world.nowMs + CLIENTS_END_MS, () => hashes.isDone && dumped.isDone);
    invariants.finish(world);
    const voters = recovery.voters();
    return judge({
      history: world.history,
      truth: replay(invariants.appliedEntries()),
      appliedAtMs: (index) => world.appliedAtMs(index),
      config: { electionMs: config?.electionMs ?? DEFAULT_CONFIG.electionMs },
      clockDrift: MAX_CLOCK_DRIFT,
      voters,
      finalStates: dumped.isDone ? await dump : [],
      settledRevision,
      healedMs,
      boundMs: RECOVERY_BOUND_MS,
      committedAtHeal,
      endMs: world.nowMs,
    });
  }

  #startClients(world: World): { readonly areDone: boolean } {
    let next = 1;
    const runs: Promise<void>[] = [];
    for (const { workload, plan } of this.scenario.traffic) {
      for (const part of plan.clients) {
        runs.push(workload.run(new SimulatedClient(next++, world), part));
      }
    }
    for (const run of this.#options.clients ?? [])
      runs.push(run(new SimulatedClient(next++, world)));
    const all = settled(Promise.all(runs), (error) => world.fail(asError(error)));
    return {
      get areDone() {
        return all.isDone;
      },
    };
  }
}

/** Whether a promise has come to its end, without waiting for it. */
function settled(
  promise: Promise<unknown>,
  failed: (error: unknown) => void = () => {},
): { readonly isDone: boolean } {
  const state = { isDone: false };
  promise.then(
    () => (state.isDone = true),
    (error: unknown) => {
      state.isDone = true;
      failed(error);
    },
  );
  return state;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
