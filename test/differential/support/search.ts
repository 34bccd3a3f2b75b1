/** Looks for differences: lists of steps from seeds, one after the other. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { steps } from '../arbitraries/steps.js';
import { isBefore, type EtcdProgram } from './etcd.js';
import { Lane } from './lane.js';
import { describeExchange, describeFinding } from './report.js';
import type { Difference } from './session.js';
import { shrink } from './shrink.js';
import type { Step } from './step.js';
import { Tally } from './tally.js';

export interface SearchOptions {
  etcd: EtcdProgram;
  /** Ends after the run in which so many steps are reached. */
  steps: number;
  seed: number;
  /** Of a run; 80 by default. */
  maxLength?: number;
  /** Pairs of servers at the same time; 2 by default. */
  lanes?: number;
  /** Told of a difference before it is shrunk, which takes its time. */
  onDifference?: (text: string) => void;
  onProgress?: (tally: Tally) => void;
}

export interface SearchResult {
  readonly tally: Tally;
  /** A difference, as text with all that is needed to see it again. */
  readonly finding: string | undefined;
}

const DEFAULT_LENGTH = 80;
const DEFAULT_LANES = 2;
const RUNS_PER_SAMPLE = 10;

/** Sends random steps until there are enough, or until the first difference, which it shrinks. */
export async function search(options: SearchOptions): Promise<SearchResult> {
  const hunt = new Hunt(options);
  await Promise.all(Array.from({ length: options.lanes ?? DEFAULT_LANES }, () => hunt.runLane()));
  return { tally: hunt.tally, finding: hunt.finding };
}

/** Several pairs of servers take runs from one list: while one waits for its disk another works. */
class Hunt {
  readonly tally = new Tally();
  finding: string | undefined;
  readonly #options: SearchOptions;
  readonly #lists: Iterator<{ run: Step[]; seed: number }>;
  #ended = false;

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#lists = lists(options);
  }

  async runLane(): Promise<void> {
    const lane = new Lane(this.#options.etcd, this.tally);
    try {
      while (!this.#ended && this.tally.steps < this.#options.steps) await this.#runNext(lane);
    } catch (error) {
      this.#ended = true;
      throw error;
    } finally {
      await lane.replace();
    }
  }

  async #runNext(lane: Lane): Promise<void> {
    const { run, seed } = this.#lists.next().value as { run: Step[]; seed: number };
    const difference = await lane.run(run);
    this.#options.onProgress?.(this.tally);
    if (difference === undefined || this.#ended) return;
    this.#ended = true;
    this.#options.onDifference?.(describeExchange(difference));
    this.finding = await explainDifference(this.#options, lane, run, difference, seed);
  }
}

/** Sends a list of steps to new servers. */
export async function replay(
  etcd: EtcdProgram,
  list: readonly Step[],
  file: string,
): Promise<SearchResult> {
  const tally = new Tally();
  const lane = new Lane(etcd, tally);
  try {
    const difference = await lane.run(list);
    const finding = difference && {
      steps: list,
      difference,
      seed: undefined,
      version: etcd.version,
      file,
      etcdPath: etcd.path,
    };
    return { tally, finding: finding && describeFinding(finding) };
  } finally {
    await lane.replace();
  }
}

/** Endless; the same for the same seed. */
function* lists({ seed, etcd, maxLength = DEFAULT_LENGTH }: SearchOptions) {
  const refusesUnknownSort = !isBefore(etcd.version, '3.6.0');
  const arbitrary = steps({ maxLength, refusesUnknownSort });
  for (let sample = 0; ; sample++) {
    const sampleSeed = (seed * 1_000_003 + sample) | 0;
    for (const run of fc.sample(arbitrary, { seed: sampleSeed, numRuns: RUNS_PER_SAMPLE })) {
      yield { run, seed };
    }
  }
}

/** Shrinks the run alone; when it needs what was before it, all that the servers had seen. */
async function explainDifference(
  { etcd }: SearchOptions,
  lane: Lane,
  run: readonly Step[],
  difference: Difference,
  seed: number,
): Promise<string> {
  const { history } = lane;
  const shrunk = (await shrinkOn(etcd, run)) ?? (await shrinkOn(etcd, history));
  const found = shrunk ?? { steps: history, difference };
  const file = writeSteps(found.steps);
  const { version, path: etcdPath } = etcd;
  const text = describeFinding({ ...found, seed, version, file, etcdPath });
  return shrunk === undefined ? `${text}\n(seen once; new servers do not show it)` : text;
}

/** Each trial begins with servers that agree. */
async function shrinkOn(etcd: EtcdProgram, list: readonly Step[]) {
  const lane = new Lane(etcd, new Tally());
  try {
    return await shrink(list, async (candidate) => {
      const difference = await lane.run(candidate);
      if (difference !== undefined) await lane.recover();
      return difference;
    });
  } finally {
    await lane.replace();
  }
}

function writeSteps(list: readonly Step[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'kvorum-difference-')), 'steps.json');
  writeFileSync(file, `${JSON.stringify(list, undefined, 1)}\n`);
  return file;
}
