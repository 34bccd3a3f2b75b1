/**
 * Runs checks: a few at a time, those that mostly wait beside them; then those that must be alone, and
 * at the end those that compact. After each check its keys are deleted and its leases revoked, whatever came of it.
 */
import { setMaxListeners } from 'node:events';
import { Code, EtcdError } from '../../api/index.js';
import type { CallOptions, Client } from '../../client/index.js';
import type { Check, Failure, Verdict } from './check.js';
import { KnownOddity, Mismatch, NotApplicable } from './findings.js';
import { Probe } from './probe.js';

export interface RunOptions {
  checks: readonly Check[];
  /** One member each; the first is checked. */
  clients: readonly Client[];
  /** All keys of the run begin with it; it ends in '/'. */
  root: string;
  /** Options of a call that starts now. */
  timed: () => CallOptions;
  /** How long a check may take that does not say so itself. */
  timeoutMs: number;
  allowCompaction: boolean;
  /** Ends the run early, after cleaning up. */
  interruption: AbortSignal;
  /** Called after each check. */
  onFinished: (done: number, total: number) => void;
}

export interface Finished {
  check: Check;
  verdict: Verdict;
  /** Milliseconds. */
  durationMs: number;
}

/** The verdicts in the order of the checks. */
export async function runChecks(options: RunOptions): Promise<Finished[]> {
  const run = new Run(options);
  return await run.all();
}

/** How many checks run at once: more would not be kind to the server. */
const LANES = 4;

class Run {
  readonly #options: RunOptions;
  readonly #finished = new Map<Check, Finished>();
  /** Why nothing more is run; '' as long as something is. */
  #stopped = '';

  constructor(options: RunOptions) {
    this.#options = options;
    setMaxListeners(0, options.interruption);
  }

  async all(): Promise<Finished[]> {
    const { checks } = this.#options;
    const runnable = checks.filter((check) => !this.#skip(check));
    const compacting = runnable.filter((check) => check.compacts === true);
    const alone = runnable.filter((check) => check.alone === true);
    const waiting = runnable.filter((check) => check.waits === true);
    const together = runnable.filter(
      (check) => ![compacting, alone, waiting].some((others) => others.includes(check)),
    );
    const next = together.values(); // shared: each lane takes from it
    const lanes = Array.from({ length: LANES }, () => this.#oneByOne(next));
    await Promise.all([...lanes, ...waiting.map((check) => this.#oneByOne([check]))]);
    await this.#oneByOne(alone);
    await this.#oneByOne(compacting);
    return checks.map((check) => this.#finished.get(check)!);
  }

  /** Settles a check that this run cannot make. */
  #skip(check: Check): boolean {
    const { allowCompaction, clients } = this.#options;
    const reason =
      check.compacts === true && !allowCompaction
        ? 'needs --allow-compaction: all users of the server lose old revisions'
        : (check.endpoints ?? 1) > clients.length
          ? `needs ${check.endpoints} --endpoints of one cluster`
          : undefined;
    if (reason === undefined) return false;
    this.#finish({ check, verdict: { result: 'skipped', reason }, durationMs: 0 });
    return true;
  }

  async #oneByOne(checks: Iterable<Check>): Promise<void> {
    for (const check of checks) {
      if (this.#options.interruption.aborted) this.#stopped ||= 'the run was interrupted';
      if (this.#stopped !== '') {
        const verdict: Verdict = { result: 'skipped', reason: this.#stopped };
        this.#finish({ check, verdict, durationMs: 0 });
      } else {
        this.#finish(await this.#run(check));
      }
    }
  }

  #finish(finished: Finished): void {
    this.#finished.set(finished.check, finished);
    this.#options.onFinished(this.#finished.size, this.#options.checks.length);
  }

  async #run(check: Check): Promise<Finished> {
    const { root, clients, timed, interruption } = this.#options;
    const timeoutMs = Math.max(check.timeoutMs ?? 0, this.#options.timeoutMs);
    const timeUp = new AbortController();
    const late = new Mismatch('the whole check', `to end within ${timeoutMs / 1000} s`, 'no end');
    const timer = setTimeout(() => timeUp.abort(late), timeoutMs);
    const signal = AbortSignal.any([timeUp.signal, interruption]);
    setMaxListeners(0, signal);
    const prefix = `${root}${check.name.replace('/', '-')}/`;
    const answerMs = this.#options.timeoutMs / 3;
    const probe = new Probe({ clients, prefix, timed, answerMs, signal });
    const begun = performance.now();
    const verdict = await this.#verdictOf(check, probe);
    clearTimeout(timer);
    const durationMs = Math.round(performance.now() - begun);
    return { check, verdict: await this.#afterCleanUp(probe, verdict), durationMs };
  }

  async #verdictOf(check: Check, probe: Probe): Promise<Verdict> {
    try {
      await check.run(probe);
      return { result: 'pass' };
    } catch (error) {
      if (this.#options.interruption.aborted) {
        return { result: 'skipped', reason: 'the run was interrupted' };
      }
      return verdictFor(error, probe);
    }
  }

  /** A server that cannot even delete the keys again is not asked any further. */
  async #afterCleanUp(probe: Probe, verdict: Verdict): Promise<Verdict> {
    try {
      await probe.cleanUp();
      return verdict;
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      if (isGone(error)) this.#stopped ||= 'the server did not answer any more';
      if (verdict.result === 'fail') return verdict;
      const mismatch = new Mismatch(
        'deleting the keys and leases again',
        'done',
        probe.show(error),
      );
      return { result: 'fail', failure: failureOf(mismatch, probe) };
    }
  }
}

function isGone({ code }: EtcdError): boolean {
  return code === Code.unavailable || code === Code.deadlineExceeded;
}

function verdictFor(error: unknown, probe: Probe): Verdict {
  if (error instanceof NotApplicable) return { result: 'skipped', reason: error.message };
  if (error instanceof KnownOddity) {
    const { oddity, mismatch } = error;
    return { result: 'oddity', oddity, failure: failureOf(mismatch, probe) };
  }
  return { result: 'fail', failure: failureOf(mismatchFor(error, probe), probe) };
}

/** An error that the check did not expect: a call that failed, or an answer that it cannot make sense of. */
function mismatchFor(error: unknown, probe: Probe): Mismatch {
  if (error instanceof Mismatch) return error;
  if (error instanceof EtcdError)
    return new Mismatch('the last call', 'no error', probe.show(error));
  return new Mismatch('the last answer', 'one that makes sense', String(error));
}

function failureOf({ what, expected, got }: Mismatch, probe: Probe): Failure {
  return { what, expected, got, requests: [...probe.requests] };
}
