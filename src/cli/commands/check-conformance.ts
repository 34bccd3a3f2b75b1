/** `check conformance`: does the server behind --endpoints keep the contract of etcd's v3 API? */
import { isEtcdError } from '../../api/index.js';
import { latin1FromUtf8 } from '../../bytes/index.js';
import { isKnown, selectChecks } from '../conformance/catalogue.js';
import type { Check } from '../conformance/check.js';
import { countOf, type ConformanceReport } from '../conformance/report.js';
import { randomRoot } from '../conformance/random-name.js';
import { runChecks } from '../conformance/run.js';
import { CommandError, ExitCode, badArgs } from '../exit.js';
import type { Flags, ParsedFlags } from '../flag-set.js';
import { describeError } from '../go-text/status.js';
import { line, result, type Output } from '../output.js';
import { ProgressBar, barOf } from '../progress-bar.js';
import { unsupported } from '../printers/unsupported.js';
import type { Session } from '../session.js';

const FORMATS: readonly string[] = ['simple', 'table', 'json'];

export async function* conformance(
  { flags, positional }: ParsedFlags,
  session: Session,
): AsyncGenerator<Output, number> {
  if (positional.length > 0) throw badArgs('check conformance takes no arguments');
  const checks = checksOf(flags);
  if (flags.bool('list')) return yield* list(checks);
  if (!FORMATS.includes(session.format())) throw unsupported(session.format()); // not after a minute
  const interruption = session.host.interruption?.() ?? new AbortController().signal;
  const report = await run(checks, flags, session, interruption);
  yield result({ kind: 'conformance', report });
  if (interruption.aborted) return ExitCode.interrupted;
  return countOf(report, 'fail') > 0 ? ExitCode.error : ExitCode.success;
}

function checksOf(flags: Flags): Check[] {
  const names = flags.list('only').map((name) => name.trim());
  const unknown = names.find((name) => !isKnown(name));
  if (unknown !== undefined) throw badArgs(`no area or check is called ${unknown}; see --list`);
  return selectChecks(names);
}

async function* list(checks: readonly Check[]): AsyncGenerator<Output, number> {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, promise } of checks) {
    yield line(latin1FromUtf8(`${name.padEnd(width)}  ${promise}`));
  }
  return ExitCode.success;
}

async function run(
  checks: readonly Check[],
  flags: Flags,
  session: Session,
  interruption: AbortSignal,
): Promise<ConformanceReport> {
  const endpoints = session.endpoints();
  const clients = [];
  for (const endpoint of endpoints) {
    const client = await session.clientFor(endpoint);
    await answering(client.maintenance.status(session.timed()), endpoint);
    clients.push(client);
  }
  const timeoutMs = Number(flags.duration('timeout')) / 1e6;
  const bar = barFor(session);
  const begun = performance.now();
  try {
    const finished = await runChecks({
      checks,
      clients,
      root: randomRoot(),
      timed: () => ({ deadlineMs: Date.now() + timeoutMs }),
      timeoutMs,
      allowCompaction: flags.bool('allow-compaction'),
      interruption,
      onFinished: (done, total) => bar?.show(done, total),
    });
    return { endpoints, finished, durationMs: Math.round(performance.now() - begun) };
  } finally {
    bar?.clear();
  }
}

/** There is no point in two hundred failures that all say that nobody is there. */
async function answering(status: Promise<unknown>, endpoint: string): Promise<void> {
  try {
    await status;
  } catch (error) {
    if (!isEtcdError(error)) throw error;
    const why = `${endpoint} does not answer: ${describeError(error)}`;
    throw new CommandError(ExitCode.badConnection, why, { cause: error });
  }
}

function barFor({ host }: Session): ProgressBar | undefined {
  if (host.drawProgress === undefined) return undefined;
  const textOf = (done: number, total: number): string =>
    `${barOf(done, total)}  ${done} of ${total} checks`;
  return new ProgressBar(host.drawProgress, () => host.nanoseconds(), textOf);
}
