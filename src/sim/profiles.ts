/** What a seed becomes: ready mixes of faults and traffic. */
import type { MemberConfig } from '../server/index.js';
import { type Chance, ChanceStreams } from './chance.js';
import { type DiskTiming, FAST_DISK } from './disk.js';
import { type FaultWeights, drawFaults } from './faults.js';
import { GOOD_LINK, type LinkCondition } from './network.js';
import type { Scenario, Traffic } from './simulation.js';
import type { PlanOptions, Workload } from './workloads/workload-client.js';
import {
  kubernetesWorkload,
  kvWorkload,
  leaseWorkload,
  membershipWorkload,
  watchWorkload,
} from './workloads/index.js';

export const PROFILES = ['raft', 'kv', 'watch', 'lease', 'kubernetes', 'everything'] as const;
export type ProfileName = (typeof PROFILES)[number];

export interface ScenarioOptions {
  readonly profile?: ProfileName;
  /** Founders; drawn from the seed (three or five) unless said. */
  readonly members?: number;
  /** Of faults and traffic, in virtual seconds; 30 unless said. */
  readonly seconds?: number;
}

/** Clients of a workload. */
interface Part {
  readonly workload: Workload<any>;
  readonly clients: number;
  readonly meanPauseMs: number;
}

interface Profile {
  readonly parts: readonly Part[];
  readonly weights: FaultWeights;
}

const PROCESS_FAULTS: FaultWeights = { crash: 10, restart: 3, blackout: 1, pause: 5 };
const NETWORK_FAULTS: FaultWeights = {
  partition: 10,
  cut: 6,
  slowLink: 4,
  badNetwork: 6,
  cutClients: 2,
};
const DISK_FAULTS: FaultWeights = { slowDisk: 3, fullDisk: 2, readError: 2, bitFlip: 2 };
const CLOCK_FAULTS: FaultWeights = { drift: 2, wallJump: 2 };
const ALL_FAULTS: FaultWeights = {
  ...PROCESS_FAULTS,
  ...NETWORK_FAULTS,
  ...DISK_FAULTS,
  ...CLOCK_FAULTS,
  transfer: 4,
  replace: 1,
};

const KV: Part = { workload: kvWorkload, clients: 4, meanPauseMs: 120 };
const WATCH: Part = { workload: watchWorkload, clients: 2, meanPauseMs: 400 };
const LEASE: Part = { workload: leaseWorkload, clients: 2, meanPauseMs: 400 };
const KUBERNETES: Part = { workload: kubernetesWorkload, clients: 4, meanPauseMs: 200 };
const MEMBERSHIP: Part = { workload: membershipWorkload, clients: 1, meanPauseMs: 4000 };

const PROFILE_TABLE: Readonly<Record<ProfileName, Profile>> = {
  raft: {
    parts: [{ ...KV, clients: 6, meanPauseMs: 50 }, MEMBERSHIP],
    weights: { ...ALL_FAULTS, crash: 20, partition: 30, transfer: 8 },
  },
  kv: { parts: [{ ...KV, clients: 6 }], weights: ALL_FAULTS },
  watch: { parts: [KV, { ...WATCH, clients: 4 }], weights: ALL_FAULTS },
  lease: { parts: [KV, { ...LEASE, clients: 4 }], weights: { ...ALL_FAULTS, transfer: 8 } },
  kubernetes: { parts: [KUBERNETES], weights: ALL_FAULTS },
  everything: { parts: [KV, WATCH, LEASE, MEMBERSHIP], weights: ALL_FAULTS },
};

/** The scenario of a seed: the same for the same options, everywhere. */
export function scenarioOf(seed: number, options: ScenarioOptions = {}): Scenario {
  const { parts, weights } = PROFILE_TABLE[options.profile ?? 'everything'];
  const streams = new ChanceStreams(seed);
  const shape = streams.stream('shape');
  const members = options.members ?? (shape.happens(0.6) ? 3 : 5);
  const durationMs = (options.seconds ?? 30) * 1000;
  const faults = drawFaults(streams.stream('faults'), {
    weights,
    members,
    fromMs: 2000,
    untilMs: durationMs,
    everyMs: shape.pick([700, 1500, 3000]),
  });
  const traffic = parts.map((part) => trafficOf(part, streams, durationMs));
  const config = drawConfig(shape);
  return { seed, members, durationMs, faults, traffic, config, ...drawHardware(shape) };
}

function trafficOf(part: Part, streams: ChanceStreams, durationMs: number): Traffic {
  const { workload, clients, meanPauseMs } = part;
  const options: PlanOptions = { clients, durationMs, meanPauseMs };
  return { workload, plan: workload.plan(streams.stream(`traffic ${workload.name}`), options) };
}

/** Short timers and short logs, so that elections, snapshots and compactions happen all the time. */
function drawConfig(shape: Chance): Partial<MemberConfig> {
  const heartbeatMs = shape.pick([50, 100]);
  const snapshotCount = shape.pick([30, 100, 500]);
  return {
    heartbeatMs,
    electionMs: heartbeatMs * 10,
    snapshotCount,
    snapshotCatchupEntries: shape.pick([5, snapshotCount]),
    preVote: shape.happens(0.8),
    backendBatchIntervalMs: shape.pick([20, 100, 1000]),
    backendBatchLimit: shape.pick([10, 10_000]),
    watchProgressNotifyMs: shape.pick([1000, 5000]),
    strictReconfigCheck: shape.happens(0.8),
  };
}

function drawHardware(shape: Chance): { link: LinkCondition; disk: DiskTiming } {
  const delayUs = shape.pick([
    [50, 500],
    [100, 1500],
    [2000, 20_000],
  ] as const);
  const syncUs = shape.pick([
    [100, 1000],
    [200, 3000],
    [5000, 30_000],
  ] as const);
  return { link: { ...GOOD_LINK, delayUs }, disk: { ...FAST_DISK, syncUs } };
}
