/** How long the cluster did not serve. */
import type { Operation } from '../../src/sim/history.js';

/** Longest time without any acknowledged write, between the first and the last. */
export function longestStallMs(operations: readonly Operation[]): number {
  const ends = operations.flatMap(({ kind, outcome, completed }) =>
    WRITES.has(kind) && outcome.kind === 'ok' ? [completed!.ms] : [],
  );
  ends.sort((a, b) => a - b);
  let longest = 0;
  for (let i = 1; i < ends.length; i++) longest = Math.max(longest, ends[i]! - ends[i - 1]!);
  return longest;
}

const WRITES: ReadonlySet<Operation['kind']> = new Set(['put', 'deleteRange', 'txn', 'leaseGrant']);
