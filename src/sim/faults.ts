/** What can go wrong, as plain values: a schedule is drawn before the run, printed, stored, made smaller. */
import type { Chance } from './chance.js';

/** Stands for the place of whoever leads at that moment. */
export const LEADER = -1;

/**
 * One fault. `atMs` is virtual time from the start; nodes are places in the list of members at that
 * moment, counted modulo its length, or {@link LEADER}. What lasts says for how long; the end of the fault phase ends
 * everything.
 */
export type Fault = { readonly atMs: number } & (
  | {
      /** The process is killed, or the machine loses power and with it what was not synced. */
      readonly kind: 'crash';
      readonly node: number;
      readonly powerLoss: boolean;
      readonly downMs: number;
    }
  /** Asked to stop, as by a signal; started again after `downMs`. */
  | { readonly kind: 'restart'; readonly node: number; readonly downMs: number }
  /** All members lose power at once, and start again one after another within `downMs`. */
  | { readonly kind: 'blackout'; readonly downMs: number }
  /** The process stands still; its clock goes on and its messages wait, as many as fit. */
  | { readonly kind: 'pause'; readonly node: number; readonly forMs: number }
  /** Nodes reach only those of their own group; places that are in no group form one more. */
  | {
      readonly kind: 'partition';
      readonly groups: readonly (readonly number[])[];
      readonly forMs: number;
    }
  /** One direction only. */
  | { readonly kind: 'cut'; readonly from: number; readonly to: number; readonly forMs: number }
  /** No client reaches the node, nor gets an answer. */
  | { readonly kind: 'cutClients'; readonly node: number; readonly forMs: number }
  | {
      readonly kind: 'slowLink';
      readonly from: number;
      readonly to: number;
      readonly delayMs: number;
      readonly forMs: number;
    }
  /** Every link between members loses, repeats and reorders so often. */
  | {
      readonly kind: 'badNetwork';
      readonly loss: number;
      readonly duplicate: number;
      readonly reorder: number;
      readonly forMs: number;
    }
  /** The monotonic clock drifts; `share` (-1 to 1) of the greatest drift. */
  | { readonly kind: 'drift'; readonly node: number; readonly share: number }
  | { readonly kind: 'wallJump'; readonly node: number; readonly byMs: number }
  | {
      readonly kind: 'slowDisk';
      readonly node: number;
      readonly factor: number;
      readonly forMs: number;
    }
  | { readonly kind: 'fullDisk'; readonly node: number; readonly forMs: number }
  | { readonly kind: 'readError'; readonly node: number }
  /** The machine loses power and a bit of its disk flips; somebody repairs it. */
  | { readonly kind: 'bitFlip'; readonly node: number; readonly repairMs: number }
  /** The disk is gone for good: the member is removed, and a new one added in its place. */
  | { readonly kind: 'replace'; readonly node: number }
  /** The leader is asked to hand over to this node. */
  | { readonly kind: 'transfer'; readonly node: number }
);

export type FaultKind = Fault['kind'];

/** How likely each kind is, relative to the others. */
export type FaultWeights = Readonly<Partial<Record<FaultKind, number>>>;

export interface FaultPlan {
  readonly weights: FaultWeights;
  readonly members: number;
  /** Faults begin within this. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** Mean time between two faults. */
  readonly everyMs: number;
}

/** Draws a schedule, in order of time. */
export function drawFaults(chance: Chance, plan: FaultPlan): Fault[] {
  const faults: Fault[] = [];
  let atMs = plan.fromMs;
  for (;;) {
    atMs += chance.integer(1, 2 * plan.everyMs);
    if (atMs >= plan.untilMs) return faults;
    faults.push(drawFault(chance, plan, atMs));
  }
}

function drawFault(chance: Chance, { weights, members }: FaultPlan, atMs: number): Fault {
  const kind = drawKind(chance, weights);
  const place = chance.integer(0, members - 1);
  const other = (place + chance.integer(1, Math.max(1, members - 1))) % members;
  // Most of what can go wrong goes wrong around a leader.
  const node = chance.happens(0.3) ? LEADER : place;
  const forMs = chance.mostlyLow(100, 8000);
  const downMs = chance.mostlyLow(50, 6000);
  switch (kind) {
    case 'crash':
      return { kind, atMs, node, powerLoss: chance.happens(0.6), downMs };
    case 'restart':
      return { kind, atMs, node, downMs };
    case 'blackout':
      return { kind, atMs, downMs };
    case 'pause':
    case 'cutClients':
    case 'fullDisk':
      return { kind, atMs, node, forMs };
    case 'partition':
      return { kind, atMs, groups: drawGroups(chance, members), forMs };
    case 'cut':
      return { kind, atMs, from: place, to: other, forMs };
    case 'slowLink':
      return { kind, atMs, from: place, to: other, delayMs: chance.integer(20, 1500), forMs };
    case 'badNetwork':
      return { kind, atMs, ...drawBadness(chance), forMs };
    case 'drift':
      return { kind, atMs, node, share: chance.integer(-100, 100) / 100 };
    case 'wallJump':
      return { kind, atMs, node, byMs: chance.integer(-60_000, 60_000) };
    case 'slowDisk':
      return { kind, atMs, node, factor: chance.integer(5, 200), forMs };
    case 'readError':
    case 'replace':
      return { kind, atMs, node };
    case 'transfer':
      return { kind, atMs, node: place };
    case 'bitFlip':
      return { kind, atMs, node, repairMs: downMs };
  }
}

/** The same fault with `leaderPlace` where it says {@link LEADER}. */
export function withLeaderAt(fault: Fault, leaderPlace: number): Fault {
  const resolve = (place: number) => (place === LEADER ? leaderPlace : place);
  if (fault.kind === 'partition') {
    return { ...fault, groups: fault.groups.map((group) => group.map(resolve)) };
  }
  return 'node' in fault ? { ...fault, node: resolve(fault.node) } : fault;
}

function drawKind(chance: Chance, weights: FaultWeights): FaultKind {
  const kinds = Object.entries(weights) as [FaultKind, number][];
  const total = kinds.reduce((sum, [, weight]) => sum + weight, 0);
  let at = chance.integer(0, total - 1);
  for (const [kind, weight] of kinds) {
    if (at < weight) return kind;
    at -= weight;
  }
  throw new Error('no fault has a weight');
}

/** The leader alone, or up to three groups of any size. */
function drawGroups(chance: Chance, members: number): number[][] {
  if (chance.happens(0.3)) return [[LEADER]];
  const groups: number[][] = [[], [], []];
  const count = chance.happens(0.8) ? 2 : 3;
  for (let place = 0; place < members; place++) groups[chance.integer(0, count - 1)]!.push(place);
  return groups.filter((group) => group.length > 0);
}

function drawBadness(chance: Chance): { loss: number; duplicate: number; reorder: number } {
  const percent = (high: number) => chance.mostlyLow(0, high) / 100;
  return { loss: percent(40), duplicate: percent(30), reorder: percent(50) };
}
