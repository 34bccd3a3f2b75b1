/**
 * A process that writes to the data dir given as its first argument and says on its standard output
 * what it found there and what is acknowledged, until it is killed or the disk refuses. The second
 * argument is the length of each value; the third, "backend", leaves the log out.
 */
import { writeSync } from 'node:fs';
import { type StorageError, openDisk } from '../../src/storage/index.js';

const [dataDir, dataBytes, only] = process.argv.slice(2);
const data = Buffer.alloc(Number(dataBytes), 'x');
const disk = await openDisk(dataDir!);
const { log, backend } = disk;
let applied = Number(String(backend.get('meta', 'applied') ?? '0'));
backend.beforeCommit(() => backend.put('meta', 'applied', Buffer.from(String(applied))));

function apply(index: number): void {
  backend.put('key', String(index).padStart(10, '0'), data);
  applied = index;
}

async function append(): Promise<void> {
  const index = applied + 1;
  if (only !== 'backend') await appendToLog(index);
  apply(index);
  if (index % 5 !== 0) return;
  await backend.commit({ durable: true });
  say(`backend ${index}`);
}

async function appendToLog(index: number): Promise<void> {
  const entries = [{ index, term: 1, type: 0 as const, data }];
  const hardState = { term: 1, vote: 1n, commit: index - 1 };
  await log.append({ entries, hardState, sync: true });
  say(`log ${index}`);
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function outcome(action: () => Promise<void>): Promise<string> {
  return action().then(
    () => 'fine',
    ({ code, message }: StorageError) => `${code} ${message}`,
  );
}

const keys = await backend.scan('key', { from: '', limit: 100_000 });
const entries = log.entries(1, log.lastIndex() + 1, Infinity);
say(`found ${entries.length} ${applied} ${keys.length}`);
for (let index = applied + 1; index <= log.lastIndex(); index++) apply(index);

let refusal = 'fine';
while (refusal === 'fine') refusal = await outcome(append);
say(`refused ${refusal}`);
say(`log again ${await outcome(() => log.append({ entries: [], sync: true }))}`);
say(`backend again ${await outcome(() => backend.commit())}`);
say(`read ${backend.get('key', String(applied).padStart(10, '0'))?.length}`);
process.exit(0);
