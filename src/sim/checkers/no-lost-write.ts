/**
 * Nothing acknowledged is lost: the end of a run against its history, key by key, with nothing else to
 * go by.
 *
 * Verifies, on a dump of a member's whole keyspace taken after the last write:
 * - `no-lost-write`: of each key, the newest acknowledged put is there, or something later has replaced
 *   or may have deleted it.
 * - `nothing-invented`: every value there was put by somebody, who was not refused.
 * - `equal-members`: dumps at one revision are equal.
 *
 * Does not verify what lay between: the linearizability checkers do.
 */
import type { KeyValue, RequestOp } from '../../api/index.js';
import type { History, Operation } from '../history.js';
import { canonical } from './canonical.js';
import { keyRange } from './model.js';
import { shownRevision } from './observed-floor.js';
import type { Violation } from './violation.js';

/** Every pair of one member, read there when the run had come to rest. */
export interface FinalState {
  readonly member: bigint;
  readonly revision: number;
  /** In byte order. */
  readonly pairs: readonly KeyValue[];
}

export function checkNoLostWrite(
  { operations }: History,
  states: readonly FinalState[],
): Violation[] {
  const writes = operations.flatMap(writesOf);
  return [...states.flatMap((state) => checkState(state, writes)), ...checkEqual(states)];
}

/** What one request may do to keys. */
interface Write {
  readonly operation: number;
  /** Acknowledged at this revision; undefined when the outcome is unknown. */
  readonly revision: number | undefined;
  readonly puts: ReadonlyMap<string, { value: string | undefined; leased: boolean }>;
  deletes(key: string): boolean;
  /** Operations on whose path nested transactions' branches are: both may have been taken. */
  readonly steps: readonly Step[];
}

function writesOf(operation: Operation): Write[] {
  const { kind, outcome, id } = operation;
  if (outcome.kind === 'refused') return [];
  const revision = shownRevision(operation);
  if (kind === 'put' || kind === 'deleteRange') {
    return [effectOf(id, revision, [operation])];
  }
  if (operation.kind !== 'txn') return [];
  const { success, failure } = operation.request;
  if (operation.outcome.kind !== 'ok') return [effectOf(id, undefined, [...success, ...failure])];
  return [effectOf(id, revision, operation.outcome.response.succeeded ? success : failure)];
}

type Step = RequestOp | Operation<'put' | 'deleteRange'>;

/** Of nested transactions both branches count as possible only: they put nothing for certain. */
function effectOf(operation: number, revision: number | undefined, steps: readonly Step[]): Write {
  const puts = new Map<string, { value: string | undefined; leased: boolean }>();
  for (const step of steps) {
    if (step.kind !== 'put') continue;
    const { key, value, lease, ignoreValue, ignoreLease } = step.request;
    const leased = lease !== 0n || ignoreLease;
    puts.set(key, { value: ignoreValue ? undefined : value, leased });
  }
  const deletes = (key: string) => steps.some((step) => mayDelete(step, key));
  return { operation, revision, puts, deletes, steps };
}

/** Could what is asked for delete `key`? In a transaction: by either branch. */
export function mayDelete(step: RequestOp | Operation, key: string): boolean {
  if (step.kind === 'txn') {
    return [...step.request.success, ...step.request.failure].some((one) => mayDelete(one, key));
  }
  if (step.kind !== 'deleteRange') return false;
  const { from, to } = keyRange(step.request);
  return from <= key && key < to;
}

function checkState(state: FinalState, writes: readonly Write[]): Violation[] {
  const violations: Violation[] = [];
  const pairs = new Map(state.pairs.map((pair) => [pair.key, pair]));
  const report = (promise: string, text: string, operations: readonly number[]) => {
    violations.push({ promise, explanation: `member ${state.member} ${text}`, operations });
  };
  for (const [key, write] of newestPuts(writes, state.revision)) {
    const lost = lossOf(key, write, pairs.get(key), writes);
    if (lost !== undefined) report('no-lost-write', lost, [write.operation]);
  }
  for (const pair of state.pairs) {
    const known = writes.some((write) => mayHavePut(write, pair));
    if (!known) report('nothing-invented', `has ${canonical(pair)}, which nobody has put`, []);
  }
  return violations;
}

/** Of each key, the acknowledged put with the highest revision that the state can know of. */
function newestPuts(writes: readonly Write[], revision: number): Map<string, Write> {
  const newest = new Map<string, Write>();
  for (const write of writes) {
    if (write.revision === undefined || write.revision > revision) continue;
    for (const key of write.puts.keys()) {
      const known = newest.get(key);
      if (known === undefined || known.revision! < write.revision) newest.set(key, write);
    }
  }
  return newest;
}

function lossOf(
  key: string,
  write: Write,
  pair: KeyValue | undefined,
  writes: readonly Write[],
): string | undefined {
  const revision = write.revision!;
  const { value, leased } = write.puts.get(key)!;
  if (pair === undefined) {
    const mayBeDeleted =
      leased ||
      writes.some(
        (other) =>
          (isAfter(other, revision) && other.deletes(key)) ||
          (other.revision === undefined && (other.puts.get(key)?.leased ?? false)),
      );
    return mayBeDeleted ? undefined : `lacks ${key}, put at revision ${revision}`;
  }
  if (pair.modRevision < revision) {
    return `has ${key} of revision ${pair.modRevision}, put again at ${revision}`;
  }
  if (pair.modRevision === revision && value !== undefined && pair.value !== value) {
    return `has another value of ${key} than was put at revision ${revision}`;
  }
  return undefined;
}

/** Unknown ones may come at any time. */
function isAfter(write: Write, revision: number): boolean {
  return write.revision === undefined || write.revision > revision;
}

function mayHavePut(write: Write, pair: KeyValue): boolean {
  if (write.revision !== undefined && write.revision !== pair.modRevision) return false;
  return write.steps.some((step) => mayPut(step, pair));
}

function mayPut(step: Step, pair: KeyValue): boolean {
  if (step.kind === 'txn') {
    return [...step.request.success, ...step.request.failure].some((one) => mayPut(one, pair));
  }
  if (step.kind !== 'put' || step.request.key !== pair.key) return false;
  return step.request.ignoreValue || step.request.value === pair.value;
}

function checkEqual(states: readonly FinalState[]): Violation[] {
  const first = new Map<number, FinalState>();
  const violations: Violation[] = [];
  for (const state of states) {
    const other = first.get(state.revision);
    if (other === undefined) first.set(state.revision, state);
    else if (canonical(other.pairs) !== canonical(state.pairs)) {
      const explanation = `members ${other.member} and ${state.member} differ at revision ${state.revision}`;
      violations.push({ promise: 'equal-members', explanation });
    }
  }
  return violations;
}
