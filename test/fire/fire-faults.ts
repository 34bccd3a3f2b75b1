/** What can happen to real processes and to the connections between them, as plain values. */
import type { Chance } from '../../src/sim/chance.js';

/** Stands for whoever leads at that moment. */
export const LEADER = -1;

/** How a connection is cut: its bytes wait for the end of the cut, or it is broken and cannot be made anew. */
export type Cut = 'hold' | 'reset';

/** One fault; `atMs` from the start of its phase. Members are places in the cluster, or {@link LEADER}. */
export type FireFault = { readonly atMs: number } &
  /** SIGKILL; started again after `downMs`. */
  (
    | { readonly kind: 'kill'; readonly member: number; readonly downMs: number }
    /** SIGKILL to all at once; they start again one after another within `downMs`. */
    | { readonly kind: 'killAll'; readonly downMs: number }
    /** SIGTERM; started again after `downMs`. */
    | { readonly kind: 'terminate'; readonly member: number; readonly downMs: number }
    /** SIGSTOP, then SIGCONT. */
    | { readonly kind: 'stop'; readonly member: number; readonly forMs: number }
    /** This member and the others do not reach each other. */
    | {
        readonly kind: 'isolate';
        readonly member: number;
        readonly cut: Cut;
        readonly forMs: number;
      }
    /** Nobody reaches anybody. */
    | { readonly kind: 'shatter'; readonly cut: Cut; readonly forMs: number }
    /** One direction between two members. */
    | {
        readonly kind: 'oneWay';
        readonly from: number;
        readonly to: number;
        readonly forMs: number;
      }
    | {
        readonly kind: 'slow';
        readonly from: number;
        readonly to: number;
        readonly delayMs: number;
        readonly forMs: number;
      }
    /** Between clients and one member: both ways, or requests or answers only. */
    | {
        readonly kind: 'cutClients';
        readonly member: number;
        readonly way: 'both' | 'requests' | 'answers';
        readonly cut: Cut;
        readonly forMs: number;
      }
    /** The leader is asked to hand over. */
    | { readonly kind: 'transfer'; readonly member: number }
  );

export type FireFaultKind = FireFault['kind'];

const WEIGHTS: readonly (readonly [FireFaultKind, number])[] = [
  ['kill', 12],
  ['killAll', 1],
  ['terminate', 3],
  ['stop', 8],
  ['isolate', 8],
  ['shatter', 2],
  ['oneWay', 8],
  ['slow', 3],
  ['cutClients', 8],
  ['transfer', 4],
];
const KINDS = WEIGHTS.flatMap(([kind, weight]) => Array<FireFaultKind>(weight).fill(kind));

export interface FireFaultPlan {
  readonly members: number;
  /** Faults begin within this. */
  readonly durationMs: number;
  /** Mean time between two faults. */
  readonly everyMs: number;
}

/** Draws a schedule, in order of time. */
export function drawFireFaults(chance: Chance, plan: FireFaultPlan): FireFault[] {
  const faults: FireFault[] = [];
  for (let atMs = 0; ;) {
    atMs += chance.integer(1, 2 * plan.everyMs);
    if (atMs >= plan.durationMs) return faults;
    faults.push(drawFault(chance, plan.members, atMs));
  }
}

function drawFault(chance: Chance, members: number, atMs: number): FireFault {
  const kind = chance.pick(KINDS);
  const place = chance.integer(0, members - 1);
  const other = (place + chance.integer(1, members - 1)) % members;
  // Most of what can go wrong goes wrong around a leader.
  const member = chance.happens(0.4) ? LEADER : place;
  const forMs = chance.mostlyLow(100, 6000);
  const downMs = chance.mostlyLow(0, 4000);
  const cut = chance.pick(['hold', 'reset'] as const);
  switch (kind) {
    case 'kill':
    case 'terminate':
      return { kind, atMs, member, downMs };
    case 'killAll':
      return { kind, atMs, downMs };
    case 'stop':
      return { kind, atMs, member, forMs };
    case 'isolate':
      return { kind, atMs, member, cut, forMs };
    case 'shatter':
      return { kind, atMs, cut, forMs };
    case 'oneWay':
      return { kind, atMs, from: chance.happens(0.4) ? LEADER : place, to: other, forMs };
    case 'slow':
      return { kind, atMs, from: place, to: other, delayMs: chance.integer(10, 400), forMs };
    case 'cutClients':
      return { kind, atMs, member, way: drawWay(chance), cut, forMs };
    case 'transfer':
      return { kind, atMs, member: place };
  }
}

function drawWay(chance: Chance): 'both' | 'requests' | 'answers' {
  return chance.pick(['both', 'requests', 'answers'] as const);
}
