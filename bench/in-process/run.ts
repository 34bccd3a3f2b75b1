/** The in-process lines: each runs in a process of its own, so that memory is its own too. */
import { spawnSync } from 'node:child_process';
import { open } from '../../src/embed/index.js';
import { NODE_OPTIONS, machineText } from '../harness/machine.js';
import { type Figures, LINES, fill } from './lines.js';

export const IN_PROCESS_NAMES = LINES.map(({ name }) => name);

/** What a child of {@link runInProcess} is started for, if this process is one. */
export async function runAsChild(args: readonly string[]): Promise<boolean> {
  if (args[0] === '--fill') await fillStore(args[1]!, Number(args[2]));
  else if (args[0] === '--line') await runLine(args[1]!, Number(args[2]));
  else return false;
  return true;
}

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

/** Runs the lines of these names, or all, one after the other; prints rates, latencies and memory. */
export function runInProcess(names: readonly string[], seconds: number): void {
  console.log(`${machineText()}, fsync on\n`);
  for (const { name, what } of LINES) {
    if (names.length > 0 && !names.includes(name)) continue;
    const child = spawnSync(
      process.execPath,
      [...NODE_OPTIONS, process.argv[1]!, '--line', name, String(seconds)],
      { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' },
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
