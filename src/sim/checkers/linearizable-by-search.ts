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
 * After Wing and Gong (1993), with Lowe's (2017) ideas: nothing is put in order before somebody must know
 * (an answer comes), and no configuration is tried twice. Orders in which least has happened are tried
 * first, which mostly finds one at once, however many requests of unknown outcome there are.
 */
import type { History, Operation } from '../history.js';
import { keysNamedBy, projectOnKey, type KeyOperation, type KeyState } from './key-operation.js';
import type { KvOperation } from './linearizable-by-revision.js';
import type { Violation } from './violation.js';

export interface SearchOptions {
  /** Configurations that may be looked at for one key before giving up; 100,000 unless said. */
  readonly maxSteps?: number;
  /**
   * What may be done for one key before giving up, in members of sets that are copied or compared;
   * 5 million unless said: seconds. It counts where many requests of unknown outcome are open.
   */
  readonly maxWork?: number;
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
      { maxSteps: options.maxSteps ?? 100_000, maxWork: options.maxWork ?? 5_000_000 },
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

/** An answer, and what was under way when it came: called and not answered, itself included. */
interface Answer {
  readonly returned: KeyOperation;
  readonly open: readonly KeyOperation[];
}

/** `operations`: all that concern one key. */
function searchKey(
  operations: readonly KeyOperation[],
  limits: Required<SearchOptions>,
): KeyResult {
  const answers = answersOf(operations);
  if (answers.length === 0) return 'linearizable';
  const search = new KeySearch(answers, limits);
  const isFound = search.run();
  if (isFound) return 'linearizable';
  if (search.hasGivenUp) return 'undecided';
  const prefix = answers.slice(0, search.longest).map(({ returned }) => returned.id);
  const misfit = answers[search.longest]!.returned.id;
  return { prefix, misfit, states: search.lastStates() };
}

/** Shared by all that a search does; see {@link SearchOptions.maxWork}. */
interface Work {
  left: number;
}

/** Depth first over the answers: each level has one more of them in order. */
class KeySearch {
  #stepsLeft: number;
  readonly #work: Work;
  /** Answers that some order has satisfied. */
  longest = 0;
  readonly #answers: readonly Answer[];
  /** Configurations tried after so many answers; all but those on the path have failed. */
  readonly #tried: ConfigurationSet[];

  constructor(answers: readonly Answer[], { maxSteps, maxWork }: Required<SearchOptions>) {
    this.#answers = answers;
    this.#stepsLeft = maxSteps;
    this.#work = { left: maxWork };
    this.#tried = Array.from(
      { length: answers.length + 1 },
      () => new ConfigurationSet(this.#work),
    );
  }

  get hasGivenUp(): boolean {
    return this.#stepsLeft <= 0 || this.#work.left <= 0;
  }

  /** True when an order satisfies all answers; false when none does, or no steps are left. */
  run(): boolean {
    const start: Configuration = { state: undefined, happened: new Set() };
    this.#tried[0]!.add(start);
    const path = [this.#settle(start, this.#answers[0]!)];
    while (path.length > 0 && !this.hasGivenUp) {
      const next = path.at(-1)!.next();
      if (next.done === true) {
        path.pop();
        continue;
      }
      if (!this.#tried[path.length]!.add(next.value)) continue;
      this.longest = Math.max(this.longest, path.length);
      if (path.length === this.#answers.length) return true;
      path.push(this.#settle(next.value, this.#answers[path.length]!));
    }
    return false;
  }

  /** What the key may have been after the longest prefix. */
  lastStates(): KeyState[] {
    const states = this.#tried[this.longest]!.list().map(({ state }) => state);
    return [...new Map(states.map((state) => [nameOf(state), state])).values()];
  }

  /**
   * Every configuration in which `returned` has happened, reached from `from` by letting open operations
   * happen, `returned` last; those with the fewest of them first.
   */
  *#settle(from: Configuration, { returned, open }: Answer): Generator<Configuration, undefined> {
    const passed = new ConfigurationSet(this.#work);
    const pending = [from];
    for (let i = 0; i < pending.length; i++) {
      const one = pending[i]!;
      this.#stepsLeft--;
      if (this.hasGivenUp) return;
      if (one.happened.has(returned)) {
        yield { state: one.state, happened: without(one.happened, returned) };
        continue;
      }
      for (const operation of open) {
        if (one.happened.has(operation)) continue;
        const states = operation.step(one.state);
        if (states.length === 0) continue;
        this.#work.left -= one.happened.size;
        const happened = new Set(one.happened).add(operation);
        for (const state of states) {
          const next = { state, happened };
          if (passed.add(next)) pending.push(next);
        }
      }
    }
  }
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
  readonly #work: Work;

  constructor(work: Work) {
    this.#work = work;
  }

  /** False when it has nothing new. */
  add(configuration: Configuration): boolean {
    const name = nameOf(configuration.state);
    const known = this.#byState.get(name) ?? [];
    this.#work.left -= known.length * (1 + configuration.happened.size);
    if (known.some((other) => dominates(other, configuration))) return false;
    known.push(configuration);
    this.#byState.set(name, known);
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

/** The answers in the order of time. What was never answered is open from its call on. */
function answersOf(operations: readonly KeyOperation[]): Answer[] {
  const calls = [...operations].sort((a, b) => a.invoked - b.invoked);
  const returns = operations.filter(({ returned }) => returned !== Infinity);
  returns.sort((a, b) => a.returned - b.returned);
  return returns.map((returned) => {
    const isOpen = (one: KeyOperation) =>
      one.invoked < returned.returned && one.returned >= returned.returned;
    const open = calls.filter(isOpen);
    // Those that must happen some time come before those that need not.
    const must = open.filter((one) => one.returned !== Infinity);
    const may = open.filter((one) => one.returned === Infinity);
    return { returned, open: [...must, ...may] };
  });
}
