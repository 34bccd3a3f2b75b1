/**
 * `npm run bench [-- NAME ...] [--seconds N]`: runs the lines one after the other, each in a process of
 * its own, and prints rates, latencies and the peak of memory.
 */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { open } from '../src/embed/index.js';
import { type Figures, LINES, fill } from './lines.js';

const args = process.argv.slice(2);
/** As `npm start` runs the server: more room for young objects, so that fewer of them are copied. */
const NODE_OPTIONS = ['--max-semi-space-size=64'];

if (args[0] === '--fill') await fillStore(args[1]!, Number(args[2]));
else if (args[0] === '--line') await runLine(args[1]!, Number(args[2]));
else runAll(args);

async function fillStore(dataDir: string, count: number): Promise<void> {
  const store = await open({ dataDir });
  await fill(store, count);
  await store.close();
}

/** Measures one line and prints it as JSON for the parent. */
async function runLine(name: string, seconds: number): Promise<void> {
  const figures = await LINES.find((line) => line.name === name)!.run(seconds);
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  process.stdout.write(JSON.stringify({ ...figures, peakRssBytes }));
}

function runAll(options: string[]): void {
  const at = options.indexOf('--seconds');
  const seconds = at < 0 ? 5 : Number(options[at + 1]);
  const names = options.filter((_, i) => at < 0 || (i !== at && i !== at + 1));
  const lines = LINES.filter(({ name }) => names.length === 0 || names.includes(name));
  if (lines.length === 0 || !(seconds > 0)) {
    console.error(
      `usage: npm run bench -- [${LINES.map(({ name }) => name).join('|')}] [--seconds N]`,
    );
    process.exit(1);
  }
  const machine = `${cpus().length} x ${cpus()[0]?.model}`;
  console.log(`${machine}, Node ${process.version} ${NODE_OPTIONS.join(' ')}, fsync on\n`);
  for (const { name, what } of lines) {
    const child = spawnSync(
      process.execPath,
      [...NODE_OPTIONS, process.argv[1]!, '--line', name, String(seconds)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        encoding: 'utf8',
      },
    );
    if (child.status !== 0) process.exit(child.status ?? 1);
    console.log(`${what}\n    ${describe(JSON.parse(child.stdout))}`);
  }
}

function describe(figures: Figures & { peakRssBytes: number }): string {
  const { rate, seconds, p50Ms, p99Ms, peakRssBytes } = figures;
  const time = seconds === undefined ? [] : [`${seconds.toFixed(2)} s`];
  const latency =
    p50Ms === undefined || p99Ms === undefined
      ? []
      : [`p50 ${p50Ms.toFixed(2)} ms`, `p99 ${p99Ms.toFixed(2)} ms`];
  return [
    `${Math.round(rate).toLocaleString('en')}/s`,
    ...time,
    ...latency,
    `peak RSS ${Math.round(peakRssBytes / 2 ** 20)} MiB`,
  ].join(', ');
}
