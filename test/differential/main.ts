/**
 * The same random requests to a real etcd and to Kvorum; every field of every answer is compared.
 *
 *     main.js --steps 100000 --seed 1 [--etcd PATH] [--lanes 2]
 *     main.js --hash-histories 1000 --seed 1 [--etcd PATH] [--lanes 2]
 *     main.js --watch-steps 10000 --seed 1 [--etcd PATH] [--lanes 6]
 *     main.js ... --all    goes on after a difference
 *     main.js --replay FILE [--etcd PATH]
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { skipWithoutEtcd } from '../e2e/support/binaries.js';
import { etcdAt, firstEtcd, type EtcdProgram } from './support/etcd.js';
import { describeTally } from './support/report.js';
import { replay, search, type SearchResult } from './support/search.js';
import type { Step } from './support/step.js';
import type { Tally } from './support/tally.js';
import { watchSearch } from './support/watch-search.js';

const PROGRESS_MS = 10_000;

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '10000' },
    'hash-histories': { type: 'string' },
    'watch-steps': { type: 'string' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
    etcd: { type: 'string' },
    all: { type: 'boolean', default: false },
    replay: { type: 'string' },
  },
});

/** Undefined, and said so, when there is none and none is required. */
function chosenEtcd(): EtcdProgram | undefined {
  if (values.etcd !== undefined) return etcdAt(values.etcd);
  const missing = skipWithoutEtcd();
  if (missing !== false) print(`skipped: ${missing}; say --etcd PATH`);
  return firstEtcd();
}

function number(name: 'steps' | 'watch-steps' | 'hash-histories' | 'seed' | 'lanes'): number {
  const value = Number(values[name]);
  if (!(value > 0)) throw new Error(`--${name} needs a number above 0`);
  return value;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function progressPrinter(beganMs: number): (tally: Pick<Tally, 'steps' | 'runs'>) => void {
  let nextMs = beganMs + PROGRESS_MS;
  return ({ steps, runs }) => {
    const now = performance.now();
    if (now < nextMs) return;
    nextMs = now + PROGRESS_MS;
    print(`${steps} steps, ${runs} runs, ${Math.round((steps * 1000) / (now - beganMs))} steps/s`);
  };
}

async function chosenRun(etcd: EtcdProgram, beganMs: number): Promise<SearchResult> {
  if (values.replay !== undefined) {
    const steps = JSON.parse(readFileSync(values.replay, 'utf8')) as Step[];
    return replay(etcd, steps, values.replay);
  }
  const hashes = values['hash-histories'] !== undefined;
  const wanted = number(hashes ? 'hash-histories' : 'steps');
  return search({
    etcd,
    what: hashes ? 'hashes' : 'requests',
    enough: ({ runs, steps }) => (hashes ? runs : steps) >= wanted,
    seed: number('seed'),
    lanes: number('lanes'),
    all: values.all,
    onProgress: progressPrinter(beganMs),
    onDifference: print,
  });
}

async function watches(etcd: EtcdProgram): Promise<void> {
  const beganMs = performance.now();
  const { tally, finding } = await watchSearch({
    etcd,
    steps: number('watch-steps'),
    seed: number('seed'),
    lanes: number('lanes'),
    onDifference: print,
    onProgress: progressPrinter(beganMs),
  });
  const { steps, runs, answers, late } = tally;
  print(`${steps} steps in ${runs} runs against etcd ${etcd.version}, ${answers} answers compared`);
  print(`${late} runs that differed once and not when repeated: a server was late`);
  print(finding ?? '0 unexplained differences');
  process.exitCode = finding === undefined ? 0 : 1;
}

async function main(etcd: EtcdProgram): Promise<void> {
  const beganMs = performance.now();
  const { tally, findings } = await chosenRun(etcd, beganMs);
  print(describeTally(tally, etcd.version, (performance.now() - beganMs) / 1000));
  for (const finding of findings) print(finding);
  print(`${findings.length} unexplained differences`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

const chosen = chosenEtcd();
if (chosen !== undefined) {
  await (values['watch-steps'] === undefined ? main(chosen) : watches(chosen));
}
