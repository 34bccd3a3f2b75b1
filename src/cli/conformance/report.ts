/** What a run has found, as text and as JSON. */
import type { Failure, Verdict } from './check.js';
import type { Finished } from './run.js';

export interface ConformanceReport {
  endpoints: readonly string[];
  /** Of the whole run. */
  durationMs: number;
  finished: readonly Finished[];
}

type Outcome = Verdict['result'];

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  pass: 'passed',
  fail: 'failed',
  oddity: 'known oddities of etcd',
  skipped: 'skipped',
};

export function countOf({ finished }: ConformanceReport, result: Outcome): number {
  return finished.filter(({ verdict }) => verdict.result === result).length;
}

/** A line for each check; below, how to see each failure again, and what each oddity is. */
export function reportText(report: ConformanceReport): string {
  const { finished } = report;
  const width = Math.max(...finished.map(({ check }) => check.name.length));
  const lines = finished.map(
    (each) => `${each.verdict.result.padEnd(7)}  ${each.check.name.padEnd(width)}  ${noteOf(each)}`,
  );
  const details = finished.flatMap(detailsOf);
  return [...lines, '', ...details, summaryOf(report), ''].join('\n');
}

function noteOf({ check, verdict }: Finished): string {
  return verdict.result === 'skipped' ? verdict.reason : check.promise;
}

function detailsOf({ check, verdict }: Finished): string[] {
  switch (verdict.result) {
    case 'fail':
      return [`FAIL ${check.name}: ${check.promise}`, ...reproduction(verdict.failure), ''];
    case 'oddity': {
      const { what, versions } = verdict.oddity;
      return [
        `oddity ${check.name}: ${what} (etcd ${versions})`,
        ...reproduction(verdict.failure),
        '',
      ];
    }
    default:
      return [];
  }
}

/** More than this many requests are not a short reproduction any more: the last ones are shown. */
const MOST_REQUESTS = 25;

function reproduction({ what, requests, expected, got }: Failure): string[] {
  const shown = requests.slice(-MOST_REQUESTS);
  const left = requests.length - shown.length;
  return [
    ...(left > 0 ? [`    … ${left} requests before these`] : []),
    ...shown.map((request) => `    ${request}`),
    `  ${what}`,
    `    expected  ${expected}`,
    `    got       ${got}`,
  ];
}

function summaryOf(report: ConformanceReport): string {
  const counts = (Object.keys(OUTCOMES) as Outcome[]).map(
    (result) => `${countOf(report, result)} ${OUTCOMES[result]}`,
  );
  const seconds = (report.durationMs / 1000).toFixed(1);
  return `${report.finished.length} checks: ${counts.join(', ')} (${seconds} s)`;
}

/** One JSON object. */
export function reportJson(report: ConformanceReport): string {
  const { endpoints, durationMs, finished } = report;
  const summary = Object.fromEntries(
    (Object.keys(OUTCOMES) as Outcome[]).map((result) => [result, countOf(report, result)]),
  );
  return JSON.stringify({ endpoints, durationMs, summary, checks: finished.map(jsonOf) });
}

function jsonOf({ check, verdict, durationMs }: Finished): object {
  const { name, promise } = check;
  const { result, ...details } = verdict;
  return { name, promise, result, durationMs, ...details };
}
