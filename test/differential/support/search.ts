/** Looks for differences: lists of steps from seeds, one after the other. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { hashHistory } from '../arbitraries/hash-history.js';
import { steps } from '../arbitraries/steps.js';
import type { EtcdProgram } from './etcd.js';
import { Lane } from './lane.js';
import { describeExchange, describeFinding } from './report.js';
import type { Difference } from './session.js';
import { shrink } from './shrink.js';
import type { Step } from './step.js';
import { Tally } from './tally.js';
import { traitsOf } from './version-differences.js';

export interface SearchOptions {
  etcd: EtcdProgram;
  /** Random requests, or histories whose every revision is hashed. */
  what: 'requests' | 'hashes';
  /** Looked at before each run: is it enough? */
  enough: (tally: Tally) => boolean;
  seed: number;
  /** Goes on after a difference, and shrinks none. */
  all?: boolean;
  /** Pairs of servers at the same time; 2 by default. */
  lanes?: number;
  /** Told of a difference before it is shrunk, which takes its time. */
  onDifference?: (text: string) => void;
  onProgress?: (tally: Tally) => void;
}

export interface SearchResult {
  readonly tally: Tally;
  /** Differences, as text with all that is needed to see them again. */
  readonly findings: readonly string[];
}

const RUN_LENGTH = 80;
const DEFAULT_LANES = 2;
const RUNS_PER_SAMPLE = 10;

/** Sends random steps until there are enough, or (unless `all`) until the first difference, which it shrinks. */
export async function search(options: SearchOptions): Promise<SearchResult> {
  const hunt = new Hunt(options);
  await Promise.all(Array.from({ length: options.lanes ?? DEFAULT_LANES }, () => hunt.runLane()));
  return { tally: hunt.tally, findings: hunt.findings };
}

/** Several pairs of servers take runs from one list: while one waits for its disk another works. */
class Hunt {
  readonly tally = new Tally();
  readonly findings: string[] = [];
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
      while (!this.#ended && !this.#options.enough(this.tally)) await this.#runNext(lane);
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
    this.#options.onDifference?.(describeExchange(difference));
    const { etcd, all = false } = this.#options;
    const { history } = lane;
    if (all) {
      this.findings.push(described({ steps: history, difference, seed, etcd }));
      return lane.replace();
    }
    this.#ended = true;
    this.findings.push(await explainDifference({ run, history, difference, seed, etcd }));
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
    if (difference === undefined) return { tally, findings: [] };
    return { tally, findings: [described({ steps: list, difference, etcd }, file)] };
  } finally {
    await lane.replace();
  }
}

/** Endless; the same for the same seed. */
function* lists({ seed, etcd, what }: SearchOptions) {
  const arbitrary =
    what === 'hashes' ? hashHistory : steps({ maxLength: RUN_LENGTH, ...traitsOf(etcd.version) });
  for (let sample = 0; ; sample++) {
    const sampleSeed = (seed * 1_000_003 + sample) | 0;
    for (const run of fc.sample(arbitrary, { seed: sampleSeed, numRuns: RUNS_PER_SAMPLE })) {
      yield { run, seed };
    }
  }
}

interface Found {
  steps: readonly Step[];
  difference: Difference;
  seed?: number;
  etcd: EtcdProgram;
}

/** As text; the steps are in `file`, which is written unless it is given. */
function described({ steps: list, difference, seed, etcd }: Found, file?: string): string {
  const { version, path: etcdPath } = etcd;
  const place = file ?? writeSteps(list);
  return describeFinding({ steps: list, difference, seed, version, file: place, etcdPath });
}

/** Shrinks the run alone; when it needs what was before it, all that the servers had seen. */
async function explainDifference(found: {
  run: readonly Step[];
  history: readonly Step[];
  difference: Difference;
  seed: number;
  etcd: EtcdProgram;
}): Promise<string> {
  const { run, history, difference, seed, etcd } = found;
  const shrunk = (await shrinkOn(etcd, run)) ?? (await shrinkOn(etcd, history));
  if (shrunk !== undefined) return described({ ...shrunk, seed, etcd });
  const text = described({ steps: history, difference, seed, etcd });
  return `${text}\n(seen once; new servers do not show it)`;
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
