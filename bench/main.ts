/**
 * `npm run bench [-- NAME ...]`: what the library does inside one process.
 *
 * `npm run bench -- scale [LINE ...]`: Kvorum and etcd side by side where much is at stake at once. An
 * etcd is looked for in PATH, or is the one of `--etcd PATH`.
 */
import { parseArgs } from 'node:util';
import { compare } from './harness/compare.js';
import type { Line } from './harness/line.js';
import { IN_PROCESS_NAMES, runAsChild, runInProcess } from './in-process/run.js';
import { SCALE_LINES } from './scale/index.js';

const SUITES: ReadonlyMap<string, readonly Line[]> = new Map([['scale', SCALE_LINES]]);

const USAGE = [
  `usage: npm run bench -- [${IN_PROCESS_NAMES.join('|')}] [--seconds N]`,
  ...[...SUITES].map(
    ([suite, lines]) =>
      `       npm run bench -- ${suite} [${lines.map(({ name }) => name).join('|')}]\n` +
      '           [--etcd PATH] [--rounds N] [--seconds N] [--size SHARE] [--port N] [--json]',
  ),
].join('\n');

const FLAGS = {
  seconds: { type: 'string', default: '5' },
  rounds: { type: 'string', default: '1' },
  size: { type: 'string', default: '1' },
  etcd: { type: 'string' },
  port: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

// An exit, unlike a signal, ends the servers and removes their data.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

if (!(await runAsChild(process.argv.slice(2)))) await run(process.argv.slice(2));

async function run(args: string[]): Promise<void> {
  const { values, positionals } = parsed(args);
  const [suite, ...names] = positionals;
  const lines = SUITES.get(suite ?? '');
  if (lines === undefined) {
    requireKnown(positionals, IN_PROCESS_NAMES);
    return runInProcess(positionals, positive(values.seconds));
  }
  const known = lines.map(({ name }) => name);
  requireKnown(names, known);
  await compare({
    lines: lines.filter(({ name }) => names.length === 0 || names.includes(name)),
    rounds: positive(values.rounds),
    seconds: positive(values.seconds),
    size: positive(values.size),
    etcd: values.etcd,
    firstPort: values.port === undefined ? undefined : positive(values.port),
    json: values.json,
  });
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS, allowPositionals: true });
  } catch {
    return refuse();
  }
}

function positive(text: string): number {
  const value = Number(text);
  return value > 0 ? value : refuse();
}

function requireKnown(names: readonly string[], known: readonly string[]): void {
  if (!names.every((name) => known.includes(name))) refuse();
}

function refuse(): never {
  console.error(USAGE);
  process.exit(1);
}
