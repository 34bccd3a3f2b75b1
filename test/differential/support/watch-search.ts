/** Looks for watches that Kvorum answers otherwise than etcd. */
import { inspect, isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { watchSteps } from '../arbitraries/watch.js';
import { isBefore, type EtcdProgram } from './etcd.js';
import { Pair } from './pair.js';
import type { Step } from './step.js';
import type { Landmarks } from './symbolic.js';
import { compareTapes, type WatchDifference } from './watch-compare.js';
import { WatchSide } from './watch-side.js';

export interface WatchSearchOptions {
  etcd: EtcdProgram;
  steps: number;
  seed: number;
  /** Pairs of servers at the same time: watches mostly wait. */
  lanes: number;
  /** Told of a difference before it is shrunk, which takes its time. */
  onDifference?: (text: string) => void;
  onProgress?: (tally: WatchTally) => void;
}

export interface WatchTally {
  runs: number;
  steps: number;
  /** Answers that were compared. */
  answers: number;
  /** Runs that differed once and not again: a server was late. */
  late: number;
}

const RUN_LENGTH = 40;
/** Shrinking goes on for so long, and then leaves it at the smallest list found. */
const SHRINKING_MS = 60_000;
/** A difference that comes from a late answer does not come so often in a row. */
const TRIES = 3;

/** Revisions that are some below the current or the compacted one must exist. */
const SOME_HISTORY: readonly Step[] = [
  ...Array.from({ length: 20 }, () => ({ method: 'KV/Put', request: { key: 'a' } })),
  { method: 'KV/Compact', request: { revision: 10, physical: true } },
];

/** Ends with the first difference, shrunk, or when so many steps have been sent. */
export async function watchSearch(
  options: WatchSearchOptions,
): Promise<{ tally: WatchTally; finding: string | undefined }> {
  const tally = { runs: 0, steps: 0, answers: 0, late: 0 };
  const lanes = Array.from({ length: options.lanes }, (_, lane) =>
    searchLane(options, lane, tally),
  );
  const findings = await Promise.all(lanes);
  return { tally, finding: findings.find((finding) => finding !== undefined) };
}

async function searchLane(
  { etcd, steps, seed, lanes, onProgress, onDifference }: WatchSearchOptions,
  lane: number,
  tally: WatchTally,
): Promise<string | undefined> {
  const pair = await Pair.start(etcd, { 'max-txn-ops': '16' });
  const runner = new Runner(pair, tally);
  await runner.difference(SOME_HISTORY);
  let shrinksUntilMs = Infinity;
  const isStrict = !isBefore(etcd.version, '3.5.24');
  const property = fc.asyncProperty(
    watchSteps({ maxLength: RUN_LENGTH, isStrict }),
    async (run) => {
      if (performance.now() > shrinksUntilMs) return;
      const difference = await runner.difference(run);
      onProgress?.(tally);
      if (difference === undefined) return;
      if (shrinksUntilMs === Infinity) {
        shrinksUntilMs = performance.now() + SHRINKING_MS;
        onDifference?.(describe(difference));
      }
      throw new Error(describe(difference));
    },
  );
  try {
    const laneSeed = seed * 1000 + lane;
    const share = steps / lanes;
    // A run has as many steps as half its bound, about.
    const numRuns = Math.max(1, Math.ceil(share / (RUN_LENGTH / 2)));
    const details = await fc.check(property, { seed: laneSeed, numRuns });
    if (!details.failed) return undefined;
    const [shrunk] = details.counterexample!;
    return [
      `DIFFERENCE from etcd ${etcd.version} (seed ${seed}, lane ${lane})`,
      inspect(shrunk, { depth: Infinity, breakLength: 110, maxStringLength: 60 }),
      String(details.errorInstance),
    ].join('\n');
  } finally {
    await pair.stop();
  }
}

class Runner {
  readonly #pair: Pair;
  readonly #tally: WatchTally;
  readonly #landmarks: readonly [Landmarks, Landmarks];

  constructor(pair: Pair, tally: WatchTally) {
    this.#pair = pair;
    this.#tally = tally;
    const landmarks = (): Landmarks => ({
      begin: 1,
      now: 1,
      compacted: 0,
      compactions: [],
      picked: [],
    });
    this.#landmarks = [landmarks(), landmarks()];
  }

  async difference(run: readonly Step[]): Promise<WatchDifference | undefined> {
    let difference: WatchDifference | undefined;
    for (let tries = 0; tries < TRIES; tries++) {
      difference = await this.#once(run);
      if (difference === undefined) break;
      if (tries < TRIES - 1) this.#tally.late++;
    }
    return difference;
  }

  async #once(run: readonly Step[]): Promise<WatchDifference | undefined> {
    const { etcd, kvorum, version } = this.#pair;
    const a = new WatchSide(etcd, this.#landmarks[0]);
    const b = new WatchSide(kvorum, this.#landmarks[1]);
    await Promise.all([a.run(run), b.run(run)]);
    this.#tally.runs++;
    this.#tally.steps += run.length;
    this.#tally.answers += a.tapes.reduce((sum, { messages }) => sum + messages.length, 0);
    return compareTapes(a, b, version);
  }
}

/** The answers before the first that differs are equal. */
function describe({ stream, watchId, etcd, kvorum }: WatchDifference): string {
  const show = (value: unknown) =>
    inspect(value, { depth: Infinity, breakLength: 110, maxStringLength: 60, maxArrayLength: 10 });
  const at = etcd.findIndex((answer, i) => !isDeepStrictEqual(answer, kvorum[i]));
  const first = at < 0 ? etcd.length : at;
  return [
    `stream ${stream}, watch ${watchId}, from answer ${first} on`,
    `etcd:   ${show(etcd.slice(first))}`,
    `kvorum: ${show(kvorum.slice(first))}`,
  ].join('\n');
}
