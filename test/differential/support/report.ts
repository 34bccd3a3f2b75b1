/** What people read: a difference with the way to see it again, and the counts of a run. */
import { inspect } from 'node:util';
import type { Difference } from './session.js';
import type { Step } from './step.js';
import type { Tally } from './tally.js';
import { notSent, versionDifferences } from './version-differences.js';

/** Longer strings are cut in what is printed, not in what is replayed. */
const MAX_SHOWN = 60;

const MAX_STEPS_SHOWN = 50;

function show(value: unknown): string {
  return inspect(value, {
    depth: Infinity,
    breakLength: 110,
    maxStringLength: MAX_SHOWN,
    maxArrayLength: 40,
  });
}

export interface Finding {
  readonly steps: readonly Step[];
  readonly difference: Difference;
  readonly seed: number | undefined;
  readonly version: string;
  /** The file that holds the steps. */
  readonly file: string;
  readonly etcdPath: string;
}

/** The list of requests, the two answers, and one command that does it again. */
export function describeFinding(finding: Finding): string {
  const { steps, difference, seed, version, file, etcdPath } = finding;
  const numbered = steps
    .map(({ method: name, request: plain }, i) => `  ${i + 1}. ${name} ${show(plain)}`)
    .slice(-MAX_STEPS_SHOWN);
  return [
    `DIFFERENCE from etcd ${version}${seed === undefined ? '' : ` (seed ${seed})`}`,
    `requests to new servers${steps.length > MAX_STEPS_SHOWN ? ' (the last ones)' : ''}:`,
    ...numbered,
    describeExchange(difference),
    `again: node dist/test/differential/main.js --etcd ${etcdPath} --replay ${file}`,
  ].join('\n');
}

/** The request that was answered differently, and both answers. */
export function describeExchange({ exchange }: Difference): string {
  const { etcd, kvorum, request, method, ended } = exchange;
  return [
    `sent: ${method} ${show(request)}`,
    `etcd:   ${show(etcd.message ?? etcd.error)}`,
    `kvorum: ${show(kvorum.message ?? kvorum.error)}`,
    ...ended,
  ].join('\n');
}

/** The counts at the end of a run. */
export function describeTally(tally: Tally, version: string, seconds: number): string {
  const rate = Math.round(tally.steps / seconds);
  return [
    `${tally.steps} steps in ${tally.runs} runs against etcd ${version}, ${rate} steps/s`,
    'requests:',
    ...countLines(tally.kinds),
    'refusals:',
    ...countLines(tally.errors),
    'known differences between versions of etcd that were met:',
    ...versionDifferences
      .filter(({ versions }) => versions(version))
      .map(
        (entry) =>
          `${pad(tally.explained.get(entry.id) ?? 0)}  ${entry.id} (${entry.versionText}): ${entry.what}; ${entry.why}`,
      ),
    'not sent, for this etcd would not survive it:',
    ...notSent
      .filter(({ versions }) => versions(version))
      .map(({ versionText, what, why }) => `           (${versionText}) ${what}: ${why}`),
    'besides:',
    `${pad(tally.undefinedOrders)}  equal but for what etcd leaves open (order of equals, seconds left)`,
    `${pad(tally.hashesAskedAgain)}  hashes asked for again, as a compaction was still being worked off`,
    `${pad(tally.lateRuns)}  runs cut short because a short lease was about to expire`,
  ].join('\n');
}

function countLines(counts: ReadonlyMap<string, number>): string[] {
  return [...counts].sort(([, a], [, b]) => b - a).map(([name, n]) => `${pad(n)}  ${name}`);
}

function pad(count: number): string {
  return String(count).padStart(9);
}
