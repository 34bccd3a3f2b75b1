/** A pair of servers that is used for run after run, and is replaced when the two no longer agree. */
import { Pair } from './pair.js';
import type { EtcdProgram } from './etcd.js';
import { BEGIN_RUN, Session, type Difference } from './session.js';
import type { Step } from './step.js';
import type { RevisionReference } from './symbolic.js';
import type { Tally } from './tally.js';

/** Nested transactions share so many operations: few, so that the limit is met. */
export const MAX_TXN_OPS = 16;
/** Steps after which the servers are replaced, so that they do not grow without end. */
const STEPS_PER_PAIR = 10_000;
const RUNS_PER_COMPACTION = 20;
const NOW: RevisionReference = { $revision: 'now', plus: 0 };

export class Lane {
  readonly #etcd: EtcdProgram;
  #tally: Tally;
  #pair: Pair | undefined;
  #session: Session | undefined;
  /** All that the servers have been sent, oldest first. */
  #history: Step[] = [];
  #runsSinceCompaction = 0;

  constructor(etcd: EtcdProgram, tally: Tally) {
    this.#etcd = etcd;
    this.#tally = tally;
  }

  /** What the servers have been sent since they were started. */
  get history(): readonly Step[] {
    return this.#history;
  }

  /**
   * Sends `steps` to servers without keys and leases, up to the first difference. Afterwards the servers
   * are as empty as before, or are replaced.
   */
  async run(steps: readonly Step[]): Promise<Difference | undefined> {
    const session = await this.#ready();
    this.#tally.runs++;
    const difference =
      (await this.#sendAll(session, [BEGIN_RUN, ...steps])) ?? (await this.#empty(session));
    if (difference === undefined && session.isLate) {
      this.#tally.lateRuns++;
      await this.replace();
    }
    return difference;
  }

  /** After a difference: goes on with the same servers if they hold the same, else with new ones. */
  async recover(): Promise<void> {
    const session = await this.#ready();
    if (session.isLate || (await this.#empty(session)) !== undefined) await this.replace();
  }

  /** Ends the servers; the next run gets new ones. */
  async replace(): Promise<void> {
    this.#session?.close();
    await this.#pair?.stop();
    this.#pair = undefined;
    this.#session = undefined;
    this.#history = [];
  }

  async #ready(): Promise<Session> {
    if (this.#history.length > STEPS_PER_PAIR) await this.replace();
    if (this.#session !== undefined) return this.#session;
    this.#pair = await Pair.start(this.#etcd, { 'max-txn-ops': String(MAX_TXN_OPS) });
    this.#session = new Session(this.#pair, this.#tally);
    return this.#session;
  }

  async #sendAll(session: Session, steps: readonly Step[]): Promise<Difference | undefined> {
    for (const step of steps) {
      if (session.isLate) return undefined;
      this.#history.push(step);
      const difference = await session.send(step);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }

  /** Takes away what a run leaves; the hash says whether both have kept the same. */
  async #empty(session: Session): Promise<Difference | undefined> {
    const leases = await session.leases();
    const steps: Step[] = [
      { method: 'KV/DeleteRange', request: { key: '\0', range_end: '\0', prev_kv: true } },
      { method: 'Lease/LeaseLeases', request: {} },
      ...leases.map((ID) => ({ method: 'Lease/LeaseRevoke', request: { ID } })),
      // Not at revision 0: after a compaction at 0 that answers with what was kept then.
      { method: 'Maintenance/HashKV', request: { revision: NOW } },
    ];
    if (this.#runsSinceCompaction++ >= RUNS_PER_COMPACTION) {
      this.#runsSinceCompaction = 0;
      steps.push({ method: 'KV/Compact', request: { revision: NOW, physical: true } });
    }
    return this.#sendAll(session, steps);
  }
}
