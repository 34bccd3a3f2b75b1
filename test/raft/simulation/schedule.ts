/** What happens in one run of the simulation, as one value that can be generated, shrunk and printed. */
import fc from 'fast-check';
import {
  ConfChangeTransition,
  ConfChangeType,
  type ConfChangeV2,
} from '../../../src/raft/index.js';
import { changeProposal } from './random-change.js';
import { World } from './world.js';

/** Fixed for a run. */
export interface Setup {
  readonly founders: number;
  readonly preVote: boolean;
  readonly checkQuorum: boolean;
  readonly tightLimits: boolean;
  readonly freshSnapshots: boolean;
  readonly seed: number;
}

/** Rounds in which everybody ticks, writes, applies and talks; the other figures are percentages. */
export interface Life {
  readonly rounds: number;
  /** Things that don't happen this round; messages lost, repeated, delayed or out of order. */
  readonly lag: number;
  readonly requests: number;
  readonly campaigns: number;
  readonly crashes: number;
  readonly changes: number;
  readonly partitions: number;
  readonly seed: number;
}

/** Members are named by number, modulo their count; messages by place in the network, likewise. */
export type Step =
  | ({ readonly do: 'live' } & Life)
  | { readonly do: 'tick'; readonly who: number; readonly times: number }
  | { readonly do: 'ready' | 'campaign' | 'read' | 'flush' | 'start'; readonly who: number }
  | {
      readonly do: 'persist';
      readonly who: number;
      readonly count: number;
      readonly grouped: boolean;
    }
  | { readonly do: 'apply' | 'propose'; readonly who: number; readonly count: number }
  | { readonly do: 'deliver' | 'drop' | 'duplicate'; readonly slot: number }
  | {
      readonly do: 'crash';
      readonly who: number;
      readonly survivors: number;
      readonly loseUnsynced: boolean;
    }
  | { readonly do: 'part'; readonly mask: number }
  | { readonly do: 'compact'; readonly who: number; readonly keep: number }
  | { readonly do: 'transfer' | 'unreachable'; readonly who: number; readonly to: number }
  | {
      readonly do: 'change';
      readonly who: number;
      readonly single: boolean;
      readonly transition: ConfChangeV2['transition'];
      readonly changes: readonly (readonly [ConfChangeType, number])[];
    };

export interface Schedule {
  readonly setup: Setup;
  readonly steps: readonly Step[];
}

const who = fc.nat(4);

const setup: fc.Arbitrary<Setup> = fc.record({
  founders: fc.constantFrom(1, 2, 3, 3, 3, 4, 5),
  preVote: fc.boolean(),
  checkQuorum: fc.boolean(),
  tightLimits: fc.boolean(),
  freshSnapshots: fc.boolean(),
  seed: fc.nat(1000),
});

function step<T extends Step['do'], F>(
  weight: number,
  names: readonly T[],
  fields: { [K in keyof F]: fc.Arbitrary<F[K]> },
): { weight: number; arbitrary: fc.Arbitrary<Step> } {
  const arbitrary = fc.record({ do: fc.constantFrom(...names), ...fields });
  return { weight, arbitrary: arbitrary as unknown as fc.Arbitrary<Step> };
}

const percent = (max: number): fc.Arbitrary<number> => fc.oneof(fc.constant(0), fc.nat(max));

const anyLife = {
  rounds: fc.integer({ min: 1, max: 40 }),
  lag: percent(30),
  requests: fc.nat(40),
  campaigns: percent(15),
  crashes: percent(15),
  changes: percent(8),
  partitions: percent(15),
  seed: fc.nat(),
};

const anyStep = fc.oneof(
  step<'live', Life>(20, ['live'], anyLife),
  step(2, ['tick'], { who, times: fc.integer({ min: 1, max: 12 }) }),
  step(4, ['ready', 'read'], { who }),
  step(2, ['campaign', 'flush', 'start'], { who }),
  step(3, ['persist'], { who, count: fc.integer({ min: 1, max: 3 }), grouped: fc.boolean() }),
  step(3, ['propose'], { who, count: fc.integer({ min: 1, max: 5 }) }),
  step(1, ['apply'], { who, count: fc.integer({ min: 1, max: 5 }) }),
  step(6, ['deliver'], { slot: fc.nat(40) }),
  step(2, ['drop', 'duplicate'], { slot: fc.nat(40) }),
  step(3, ['crash'], { who, survivors: fc.nat(3), loseUnsynced: fc.boolean() }),
  step(2, ['part'], { mask: fc.nat(31) }),
  step(1, ['compact'], { who, keep: fc.nat(3) }),
  step(2, ['transfer', 'unreachable'], { who, to: who }),
  step(2, ['change'], {
    who,
    single: fc.boolean(),
    transition: fc.constantFrom(...Object.values(ConfChangeTransition)),
    changes: fc.array(fc.tuple(fc.constantFrom(...Object.values(ConfChangeType)), fc.nat(4)), {
      maxLength: 3,
    }),
  }),
);

export const anySchedule: fc.Arbitrary<Schedule> = fc.record({
  setup,
  steps: fc.array(anyStep, { maxLength: 25, size: 'max' }),
});

/** Plays it, checking after every step, then heals and demands progress. */
export function play(schedule: Schedule): World {
  const world = new World(schedule.setup);
  for (const one of schedule.steps) {
    playStep(world, one);
    world.check();
  }
  world.heal();
  return world;
}

function playStep(world: World, one: Step): void {
  switch (one.do) {
    case 'live':
      return world.live(one);
    case 'deliver':
      return world.deliver(one.slot);
    case 'drop':
      return world.drop(one.slot);
    case 'duplicate':
      return world.duplicate(one.slot);
    case 'part':
      return world.part(one.mask);
    default:
      return playMemberStep(world, one);
  }
}

type MemberStep = Extract<Step, { who: number }>;

function playMemberStep(world: World, one: MemberStep): void {
  const member = world.member(one.who);
  const { raft } = member;
  switch (one.do) {
    case 'tick':
      for (let i = 0; i < one.times; i++) raft?.tick();
      return;
    case 'ready':
      return member.takeReady();
    case 'campaign':
      return raft?.campaign();
    case 'read':
      return world.read(member);
    case 'flush':
      return member.flush();
    case 'start':
      return member.start();
    case 'persist':
      return member.persist(one.count, one.grouped);
    case 'apply':
      return member.apply(one.count);
    case 'propose':
      return world.propose(member, one.count);
    case 'crash':
      return member.crash(one.survivors, one.loseUnsynced);
    case 'compact':
      return member.compact(one.keep);
    case 'transfer':
      return raft?.transferLeader(world.member(one.to).id);
    case 'unreachable':
      return raft?.reportUnreachable(world.member(one.to).id);
    case 'change':
      return playChange(world, one);
  }
}

function playChange(world: World, one: Extract<Step, { do: 'change' }>): void {
  const changes = one.changes.map(([type, n]) => [type, world.member(n).id] as const);
  world.member(one.who).propose(changeProposal(changes, one.transition, one.single));
}
