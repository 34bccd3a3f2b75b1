/**
 * A cluster of real processes under fire: phases of faults with traffic, after each of which everything
 * heals and the cluster must recover; in the end what clients saw is judged by the simulator's checkers.
 * The seed decides the schedule of faults, the traffic and the members' settings; timing is real.
 */
import { setMaxListeners } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { ChanceStreams } from '../../src/sim/chance.js';
import { shownRevision } from '../../src/sim/checkers/observed-floor.js';
import {
  checkProgressAfterHeal,
  type ProgressQuestion,
} from '../../src/sim/checkers/progress-after-heal.js';
import type { Violation } from '../../src/sim/checkers/violation.js';
import { type History, HistoryRecorder } from '../../src/sim/history.js';
import { type FinishedRun, judge } from '../../src/sim/judgement.js';
import { Chronicle } from './chronicle.js';
import { type FireFaultKind, drawFireFaults } from './fire-faults.js';
import { FireClient, type FireWorld } from './fire-client.js';
import { FireCluster, type Settings } from './fire-cluster.js';
import { FireInjector } from './fire-injector.js';
import type { FireMember } from './fire-member.js';
import { FireRecovery, type FireMemberState } from './recovery.js';
import { longestStallMs } from './stall.js';
import { FireTraffic } from './traffic.js';

export interface FireOptions {
  readonly seed: number;
  /** Of faults and traffic, with the pauses in which everything heals. */
  readonly durationMs: number;
  readonly members?: number;
  /** Called about every {@link PROGRESS_MS}. */
  readonly progress?: (progress: FireProgress) => void;
}

export interface FireProgress {
  readonly elapsedMs: number;
  readonly operations: number;
  readonly acknowledged: number;
  readonly faults: ReadonlyMap<FireFaultKind, number>;
  readonly longestStallMs: number;
  readonly longestRecoveryMs: number;
  /** How late this process's own timers were at most: what the machine, not the cluster, took. */
  readonly ownDelayMs: number;
}

export interface FireResult extends FireProgress {
  readonly settings: Settings;
  readonly violations: readonly Violation[];
  /** Keys whose linearizability the search could not decide within its steps. */
  readonly undecided: readonly string[];
  readonly history: History;
  readonly watchEvents: number;
  readonly revision: number;
  readonly judgedMs: number;
  /** What was judged; undefined when the run did not get so far. */
  readonly run: FinishedRun | undefined;
  /** What happened to the cluster when, a line each. */
  readonly diary: readonly string[];
  readonly logs: ReadonlyMap<string, string>;
}

const PHASE_MS = 45_000;
/** The cluster must have recovered so soon after everything healed: on a busy machine a start takes long. */
export const RECOVERY_BOUND_MS = 60_000;
/** Between two phases. */
const CALM_MS = 1000;
const FAULT_EVERY_MS = 1500;
const PROGRESS_MS = 5000;
/** Clients end within this once they are told to. */
const CLIENTS_END_MS = 15_000;
/** Watchers get what there is within this. */
const SETTLE_MS = 3000;
/** The record of the keyspace's past is complete within this. */
const CHRONICLE_MS = 10_000;
/** Clients that write down what there is; their numbers are far from the workloads'. */
const WITNESS_ID = 9200;

export class FireRun {
  readonly #options: FireOptions;
  /** The history's zero: the cluster serves. */
  #startMs = performance.now();
  readonly #history = new HistoryRecorder(() => this.#nowMs);
  readonly #chronicle = new Chronicle(() => this.#nowMs);
  readonly #violations: Violation[] = [];
  /** Workloads' clients come to an end. */
  readonly #stopping = new AbortController();
  /** The run itself comes to an end. */
  readonly #over = new AbortController();
  readonly #ownDelay = monitorEventLoopDelay();
  readonly #witnesses: FireClient[] = [];
  #injector: FireInjector | undefined;
  #longestRecoveryMs = 0;

  constructor(options: FireOptions) {
    this.#options = options;
    for (const { signal } of [this.#stopping, this.#over]) setMaxListeners(0, signal);
  }

  /** Runs it, once. Rejects only for what is wrong with the run itself. */
  async run(): Promise<FireResult> {
    const { seed, members = 3 } = this.#options;
    const streams = new ChanceStreams(seed);
    const settings = drawSettings(streams);
    const traffic = new FireTraffic(streams, this.#options.durationMs);
    const cluster = await FireCluster.start({
      members,
      settings,
      exited: (member, child) => this.#report('members-do-not-crash', member, child.describe()),
    });
    this.#startMs = performance.now();
    this.#ownDelay.enable();
    const ticker = setInterval(() => this.#options.progress?.(this.#progress()), PROGRESS_MS);
    try {
      const run = await this.#play(cluster, streams, settings, traffic);
      const judgeFromMs = performance.now();
      const judgement = run === undefined ? { violations: [], undecided: [] } : judge(run);
      const { violations, undecided } = judgement;
      return {
        ...this.#progress(),
        settings,
        violations: [...this.#violations, ...this.#chronicle.violations, ...violations],
        undecided,
        history: this.#history,
        watchEvents: eventsOf(this.#history),
        revision: this.#chronicle.revision,
        judgedMs: performance.now() - judgeFromMs,
        run,
        diary: this.#injector?.diary ?? [],
        logs: new Map(cluster.members.map(({ name, log }) => [name, log])),
      };
    } finally {
      clearInterval(ticker);
      this.#ownDelay.disable();
      this.#over.abort();
      this.#stopping.abort();
      this.#injector?.close();
      traffic.close();
      for (const witness of this.#witnesses) witness.close();
      await cluster.stop();
    }
  }

  get #nowMs(): number {
    return performance.now() - this.#startMs;
  }

  async #play(
    cluster: FireCluster,
    streams: ChanceStreams,
    settings: Settings,
    traffic: FireTraffic,
  ): Promise<FinishedRun | undefined> {
    const clientsWorld = this.#world(cluster, this.#stopping.signal);
    const ownWorld = this.#world(cluster, this.#over.signal);
    this.#listen(cluster, ownWorld);
    const injector = (this.#injector = new FireInjector(cluster, ownWorld, () => this.#nowMs));
    const recovery = new FireRecovery(ownWorld);
    const untilMs = this.#options.durationMs;
    traffic.start(clientsWorld);

    for (let phase = 0; this.#nowMs < untilMs; phase++) {
      const durationMs = Math.min(PHASE_MS, untilMs - this.#nowMs);
      const faults = drawFireFaults(streams.stream(`faults ${phase}`), {
        members: cluster.members.length,
        durationMs,
        everyMs: FAULT_EVERY_MS,
      });
      injector.begin(faults);
      await pause(durationMs);
      if (!(await this.#recover(injector, recovery, cluster))) return undefined;
      await pause(CALM_MS);
    }
    const healedMs = this.#nowMs;
    this.#stopping.abort();
    if (!(await traffic.end(CLIENTS_END_MS))) {
      this.#report('calls-end', undefined, `clients still wait ${CLIENTS_END_MS} ms after the end`);
    }
    return this.#finish(recovery, cluster, settings, healedMs);
  }

  /** Everything heals; false when the cluster is not well within the bound. */
  async #recover(
    injector: FireInjector,
    recovery: FireRecovery,
    cluster: FireCluster,
  ): Promise<boolean> {
    const committedAtHeal = await recovery.committed();
    await injector.heal();
    const healedMs = this.#nowMs;
    await recovery.probe(committedAtHeal, RECOVERY_BOUND_MS);
    this.#longestRecoveryMs = Math.max(this.#longestRecoveryMs, this.#nowMs - healedMs);
    const states = await recovery.states();
    const question: ProgressQuestion = {
      healedMs,
      boundMs: RECOVERY_BOUND_MS,
      members: cluster.members.map(({ id }) => id),
      committedAtHeal,
    };
    const broken = checkProgressAfterHeal(this.#history, states, question);
    this.#violations.push(...broken);
    return broken.length === 0 && this.#violations.length === 0;
  }

  async #finish(
    recovery: FireRecovery,
    cluster: FireCluster,
    { electionMs }: Settings,
    healedMs: number,
  ): Promise<FinishedRun> {
    const committedAtHeal = await recovery.committed();
    await recovery.probe(committedAtHeal, RECOVERY_BOUND_MS);
    const settledRevision = highestRevision(this.#history);
    await pause(SETTLE_MS);
    await recovery.hashes();
    const finalStates = await recovery.dump();
    if (finalStates.length < cluster.members.length) {
      this.#report('progress-after-heal', undefined, 'not every member could be read in the end');
    }
    const voters = await recovery.states();
    await this.#completeChronicle(highestRevision(this.#history));
    this.#over.abort();
    recovery.close();
    return {
      history: this.#history,
      truth: this.#chronicle.truth,
      seenAtMs: (revision) => this.#chronicle.seenAtMs(revision),
      config: { electionMs },
      clockDrift: 0, // one machine, one clock
      voters: voters satisfies FireMemberState[],
      finalStates,
      settledRevision,
      healedMs,
      boundMs: RECOVERY_BOUND_MS,
      committedAtHeal,
      endMs: this.#nowMs,
    };
  }

  async #completeChronicle(revision: number): Promise<void> {
    await this.#chronicle.reaches(revision, AbortSignal.timeout(CHRONICLE_MS));
    const known = this.#chronicle.revision;
    if (known >= revision) return;
    const text = `no member's watch of everything tells of revision ${known + 1}; ${revision} was seen`;
    this.#report('one-history', undefined, text);
  }

  #world(cluster: FireCluster, stopping: AbortSignal): FireWorld {
    return {
      history: this.#history,
      members: cluster.members,
      stopping,
      witnessed: (revision) => this.#chronicle.reaches(revision, stopping),
    };
  }

  #listen(cluster: FireCluster, world: FireWorld): void {
    let watchers = 0;
    cluster.members.forEach((only, i) => {
      const client = new FireClient(world, { id: WITNESS_ID + i, direct: true, only });
      this.#witnesses.push(client);
      this.#chronicle.listen(client, () => WITNESS_ID * 100_000 + watchers++);
    });
  }

  #report(promise: string, member: FireMember | undefined, text: string): void {
    const explanation = member === undefined ? text : `${member.name}: ${text}`;
    this.#violations.push({ promise, explanation });
  }

  #progress(): FireProgress {
    const { operations } = this.#history;
    return {
      elapsedMs: this.#nowMs,
      operations: operations.length,
      acknowledged: operations.filter(({ outcome }) => outcome.kind === 'ok').length,
      faults: this.#injector?.counts ?? new Map(),
      longestStallMs: longestStallMs(operations),
      longestRecoveryMs: this.#longestRecoveryMs,
      ownDelayMs: this.#ownDelay.max / 1e6,
    };
  }
}

/** Short logs, so that snapshots and compactions happen all the time; timers that a busy machine can keep. */
function drawSettings(streams: ChanceStreams): Settings {
  const shape = streams.stream('shape');
  const heartbeatMs = shape.pick([100, 150]);
  const snapshotCount = shape.pick([50, 200, 1000]);
  return {
    heartbeatMs,
    electionMs: heartbeatMs * 10,
    snapshotCount,
    snapshotCatchupEntries: shape.pick([5, snapshotCount]),
    preVote: shape.happens(0.8),
    backendBatchMs: shape.pick([20, 100, 1000]),
  };
}

function highestRevision({ operations, watches }: History): number {
  let highest = 1;
  for (const operation of operations) {
    highest = Math.max(highest, shownRevision(operation) ?? 0);
  }
  for (const { arrivals } of watches) {
    for (const { response } of arrivals)
      highest = Math.max(highest, response.header?.revision ?? 0);
  }
  return highest;
}

function eventsOf({ watches }: History): number {
  let events = 0;
  for (const { arrivals } of watches) {
    for (const { response } of arrivals) events += response.events.length;
  }
  return events;
}
