/**
 * Linearizability of each key by search (`linearizable-key`), whatever revisions say about the order.
 *
 * Verifies that for each key there is an order of all that happened to it which respects real time (what
 * was answered first comes first) and in which every answer is right. Requests of unknown outcome may
 * stand anywhere after their call, or nowhere; leases may run out at any moment. Revisions count as data:
 * a pair must be read back with the revision it was written at.
 *
 * Does not verify that several keys change together, nor old revisions (linearizable-by-revision.ts).
 * The problem is NP-complete: a key on which the search takes too many steps is reported as undecided,
 * which is no violation.
 *
 * After Wing and Gong (1993), with Lowe's (2017) idea of ordering an operation no sooner than somebody
 * must know: the search goes through the history once and keeps every configuration it may be in.
 */
import type { History, Operation } from '../history.js';
import { keysNamedBy, projectOnKey, type KeyOperation, type KeyState } from './key-operation.js';
import type { KvOperation } from './linearizable-by-revision.js';
import type { Violation } from './violation.js';

export interface SearchOptions {
  /** Configurations that may be looked at for one key before giving up; 100,000 unless said. */
  readonly maxSteps?: number;
}

export interface SearchResult {
  /** The key whose failing history is shortest, at most one. */
  readonly violations: readonly Violation[];
  /** Keys on which the search gave up. */
  readonly undecided: readonly string[];
}

export function checkLinearizableBySearch(
  { operations }: History,
  options: SearchOptions = {},
): SearchResult {
  const kv = operations.filter(isKv);
  const failures: Failure[] = [];
  const undecided: string[] = [];
  for (const key of [...new Set(kv.flatMap(keysNamedBy))].sort()) {
    const parts = kv.map((operation) => projectOnKey(operation, key));
    const result = searchKey(
      parts.filter((part) => part !== undefined),
      options.maxSteps ?? 100_000,
    );
    if (result === 'undecided') undecided.push(key);
    else if (result !== 'linearizable') failures.push({ key, ...result });
  }
  failures.sort((a, b) => a.prefix.length - b.prefix.length);
  return { violations: failures.slice(0, 1).map(describe), undecided };
}

interface Failure {
  readonly key: string;
  /** Ids of the operations that have been answered in some right order, by time of their answers. */
  readonly prefix: readonly number[];
  /** The first whose answer fits no order. */
  readonly misfit: number;
  /** What the key may have been when it was answered. */
  readonly states: readonly KeyState[];
}

function describe({ key, prefix, misfit, states }: Failure): Violation {
  const before = states.map(describeState).join(' or ');
  const explanation =
    `of key ${JSON.stringify(key)} ${prefix.length} answers fit together, up to that of operation ` +
    `${prefix.at(-1) ?? 'none'}; then that of operation ${misfit} fits no order. It may have met ${before}`;
  return { promise: 'linearizable-key', explanation, operations: [...prefix, misfit] };
}

function describeState(state: KeyState): string {
  if (state === undefined) return 'no pair';
  return `${JSON.stringify(state.value)} of version ${state.version}`;
}

function isKv(operation: Operation): operation is KvOperation {
  const { kind } = operation;
  return kind === 'range' || kind === 'put' || kind === 'deleteRange' || kind === 'txn';
}

/** How things may stand: the state, and which of the open operations have happened already. */
interface Configuration {
  readonly state: KeyState;
  readonly happened: ReadonlySet<KeyOperation>;
}

type KeyResult = 'linearizable' | 'undecided' | Omit<Failure, 'key'>;

/** `operations`: all that concern one key. */
function searchKey(operations: readonly KeyOperation[], maxSteps: number): KeyResult {
  const open = new Set<KeyOperation>();
  const prefix: number[] = [];
  let configurations: Configuration[] = [{ state: undefined, happened: new Set() }];
  let stepsLeft = maxSteps;
  for (const { operation, isReturn } of momentsOf(operations)) {
    if (!isReturn) {
      open.add(operation);
      continue;
    }
    const next = new ConfigurationSet();
    for (const configuration of configurations) {
      stepsLeft -= settle(configuration, operation, open, stepsLeft, next);
      if (stepsLeft <= 0) return 'undecided';
    }
    open.delete(operation);
    if (next.size === 0) {
      return { prefix, misfit: operation.id, states: distinctStates(configurations) };
    }
    configurations = next.list();
    prefix.push(operation.id);
  }
  return 'linearizable';
}

/**
 * Adds to `found` every configuration in which `returned` has happened, reached from `from` by letting
 * open operations happen, `returned` last. The result is the number of steps taken.
 */
function settle(
  from: Configuration,
  returned: KeyOperation,
  open: ReadonlySet<KeyOperation>,
  maxSteps: number,
  found: ConfigurationSet,
): number {
  const passed = new ConfigurationSet();
  const pending = [from];
  let steps = 0;
  for (let one = pending.pop(); one !== undefined && steps < maxSteps; one = pending.pop()) {
    steps++;
    if (one.happened.has(returned)) {
      found.add({ state: one.state, happened: without(one.happened, returned) });
      continue;
    }
    for (const operation of open) {
      if (one.happened.has(operation)) continue;
      const happened = new Set(one.happened).add(operation);
      for (const state of operation.step(one.state)) {
        const next = { state, happened };
        if (passed.add(next)) pending.push(next);
      }
    }
  }
  return steps;
}

function without(set: ReadonlySet<KeyOperation>, member: KeyOperation): Set<KeyOperation> {
  const rest = new Set(set);
  rest.delete(member);
  return rest;
}

/**
 * Configurations, each once. One that differs from another only in that more requests of unknown outcome
 * have happened is left out: whatever can follow it can follow the other.
 */
class ConfigurationSet {
  readonly #byState = new Map<string, Configuration[]>();
  size = 0;

  /** False when it has nothing new. */
  add(configuration: Configuration): boolean {
    const name = nameOf(configuration.state);
    const known = this.#byState.get(name) ?? [];
    if (known.some((other) => dominates(other, configuration))) return false;
    known.push(configuration);
    this.#byState.set(name, known);
    this.size++;
    return true;
  }

  list(): Configuration[] {
    return [...this.#byState.values()].flat();
  }
}

function dominates(a: Configuration, b: Configuration): boolean {
  if (a.happened.size > b.happened.size) return false;
  for (const operation of a.happened) if (!b.happened.has(operation)) return false;
  for (const operation of b.happened) {
    if (!a.happened.has(operation) && operation.returned !== Infinity) return false;
  }
  return true;
}

function nameOf(state: KeyState): string {
  if (state === undefined) return '';
  const { value, version, lease, modRevision, createRevision } = state;
  return `${version} ${lease} ${modRevision} ${createRevision} ${value}`;
}

function distinctStates(configurations: readonly Configuration[]): KeyState[] {
  return [...new Map(configurations.map(({ state }) => [nameOf(state), state])).values()];
}

interface Moment {
  readonly at: number;
  readonly operation: KeyOperation;
  readonly isReturn: boolean;
}

/** Calls and answers in the order of time; what was never answered has a call only. */
function momentsOf(operations: readonly KeyOperation[]): Moment[] {
  const moments: Moment[] = [];
  for (const operation of operations) {
    moments.push({ at: operation.invoked, operation, isReturn: false });
    if (operation.returned === Infinity) continue;
    moments.push({ at: operation.returned, operation, isReturn: true });
  }
  return moments.sort((a, b) => a.at - b.at);
}
