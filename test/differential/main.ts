/**
 * The same random requests to a real etcd and to Kvorum; every field of every answer is compared.
 *
 *     main.js --steps 100000 --seed 1 [--etcd PATH] [--lanes 2]
 *     main.js --hash-histories 1000 --seed 1 [--etcd PATH] [--lanes 2]
 *     main.js ... --all    goes on after a difference
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
    'hash-histories': { type: 'string' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
    etcd: { type: 'string' },
    all: { type: 'boolean', default: false },
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
  const histories = values['hash-histories'];
  return search({
    etcd,
    what: histories === undefined ? 'requests' : 'hashes',
    enough: ({ runs, steps }) =>
      histories === undefined ? steps >= Number(values.steps) : runs >= Number(histories),
    seed: Number(values.seed),
    lanes: Number(values.lanes),
    all: values.all,
    onProgress: progressPrinter(beganMs),
    onDifference: print,
  });
}

const etcd = chosenEtcd();
const beganMs = performance.now();
const { tally, findings } = await chosenRun(etcd, beganMs);
print(describeTally(tally, etcd.version, (performance.now() - beganMs) / 1000));
for (const finding of findings) print(finding);
print(`${findings.length} unexplained differences`);
process.exitCode = findings.length === 0 ? 0 : 1;
