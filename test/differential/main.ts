/**
 * The same random requests to a real etcd and to Kvorum; every field of every answer is compared.
 *
 *     main.js --steps 100000 --seed 1 [--etcd PATH] [--lanes 2]
 *     main.js --replay FILE [--etcd PATH]
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { etcdAt, firstEtcd, type EtcdProgram } from './support/etcd.js';
import { describeTally } from './support/report.js';
import { replay, search, type SearchResult } from './support/search.js';
import type { Step } from './support/step.js';
import type { Tally } from './support/tally.js';

const PROGRESS_MS = 10_000;

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
    etcd: { type: 'string' },
    replay: { type: 'string' },
  },
});

function chosenEtcd(): EtcdProgram {
  const found = values.etcd === undefined ? firstEtcd() : etcdAt(values.etcd);
  if (found === undefined) throw new Error('no etcd in PATH or KVORUM_ETCD_DIR: say --etcd PATH');
  return found;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function progressPrinter(beganMs: number): (tally: Tally) => void {
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
  const [steps, seed, lanes] = [values.steps, values.seed, values.lanes].map(Number) as [
    number,
    number,
    number,
  ];
  const onProgress = progressPrinter(beganMs);
  return search({ etcd, steps, seed, lanes, onProgress, onDifference: print });
}

const etcd = chosenEtcd();
const beganMs = performance.now();
const { tally, finding } = await chosenRun(etcd, beganMs);
print(describeTally(tally, etcd.version, (performance.now() - beganMs) / 1000));
print(finding ?? 'no unexplained difference');
process.exitCode = finding === undefined ? 0 : 1;
