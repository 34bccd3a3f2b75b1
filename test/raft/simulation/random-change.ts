/** Configuration changes for the simulation, most of them sensible. */
import {
  ConfChangeTransition,
  ConfChangeType,
  type ConfChangeProposal,
} from '../../../src/raft/index.js';
import { change, encodeChange } from '../support/conf-change-data.js';

const TYPES = Object.values(ConfChangeType);
const TRANSITIONS = Object.values(ConfChangeTransition);

/** Of members 1 to 5; `below(n)` draws from 0 to n - 1. */
export function randomChange(below: (limit: number) => number): ConfChangeProposal {
  const changes: [ConfChangeType, bigint][] = [];
  const count = below(2) === 0 ? 1 : below(4);
  for (let i = 0; i < count; i++) changes.push([TYPES[below(4)]!, BigInt(1 + below(5))]);
  return changeProposal(changes, TRANSITIONS[below(3)]!, below(2) === 0);
}

/** As a single-step change when asked for and possible. */
export function changeProposal(
  changes: readonly (readonly [ConfChangeType, bigint])[],
  transition: ConfChangeTransition,
  single: boolean,
): ConfChangeProposal {
  const first = changes[0];
  if (single && first !== undefined) return { type: 'v1', data: encodeChange(change([first])) };
  return { type: 'v2', data: encodeChange(change(changes, transition)) };
}
