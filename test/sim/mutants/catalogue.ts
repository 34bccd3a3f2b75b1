/** Every fault that the simulator must find. */
import type { Mutant } from './mutant.js';
import { LEASE_MUTANTS } from './lease-mutants.js';
import { RAFT_MUTANTS } from './raft-mutants.js';
import { SERVER_MUTANTS } from './server-mutants.js';
import { WATCH_MUTANTS } from './watch-mutants.js';

export const MUTANTS: readonly Mutant[] = [
  ...RAFT_MUTANTS,
  ...SERVER_MUTANTS,
  ...LEASE_MUTANTS,
  ...WATCH_MUTANTS,
];

/** Throws when there is none of that name. */
export function mutantNamed(name: string): Mutant {
  const mutant = MUTANTS.find((one) => one.name === name);
  if (mutant === undefined) throw new Error(`no mutant is called ${name}`);
  return mutant;
}
