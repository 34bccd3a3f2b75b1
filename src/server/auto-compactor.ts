/**
 * Compaction by itself: of what is older than a time (periodic) or than a number of revisions. The rules
 * are etcd's; only the leader compacts.
 */
import { type InternalOp, isEtcdError } from '../api/index.js';
import type { Clock, Logger, Timer } from './environment.js';

export type AutoCompaction =
  /** Keeps the revisions of the last `periodMs`. */
  | { readonly mode: 'periodic'; readonly periodMs: number }
  /** Keeps the last `revisions`. */
  | { readonly mode: 'revision'; readonly revisions: number };

export interface AutoCompactorOptions {
  readonly policy: AutoCompaction;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly isLeader: () => boolean;
  readonly currentRevision: () => number;
  readonly propose: (op: InternalOp) => Promise<unknown>;
}

const HOUR_MS = 60 * 60 * 1000;
const REVISION_INTERVAL_MS = 5 * 60 * 1000;
/** A period is looked at so often. */
const LOOKS = 10;

export class AutoCompactor {
  readonly #options: AutoCompactorOptions;
  readonly #intervalMs: number;
  #timer: Timer | undefined;
  #stopped = false;
  #lastRevision = 0;
  /** Periodic: revisions at the last looks, oldest first; the oldest is a period old. */
  readonly #seen: number[] = [];
  #lastSuccessMs: number;
  /** Periodic: the whole period before the first compaction, then an hour at most. */
  #pauseMs: number;

  constructor(options: AutoCompactorOptions) {
    this.#options = options;
    const { policy, clock } = options;
    this.#lastSuccessMs = clock.monotonicMs();
    this.#pauseMs = policy.mode === 'periodic' ? policy.periodMs : 0;
    this.#intervalMs =
      policy.mode === 'periodic'
        ? Math.min(policy.periodMs, HOUR_MS) / LOOKS
        : REVISION_INTERVAL_MS;
  }

  start(): void {
    if (this.#options.policy.mode === 'periodic') this.#note(this.#options.policy.periodMs);
    this.#timer = this.#options.clock.after(this.#intervalMs, () => void this.#look());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    const revision = this.#due();
    if (revision !== undefined && this.#options.isLeader()) await this.#compact(revision);
    if (!this.#stopped) this.start();
  }

  #note(periodMs: number): void {
    this.#seen.push(this.#options.currentRevision());
    if (this.#seen.length > Math.floor(periodMs / this.#intervalMs) + 1) this.#seen.shift();
  }

  /** The revision to compact at now, if any. */
  #due(): number | undefined {
    const { policy, clock, currentRevision } = this.#options;
    const revision =
      policy.mode === 'periodic' ? this.#seen[0]! : currentRevision() - policy.revisions;
    if (revision <= 0 || revision === this.#lastRevision) return undefined;
    const quietMs = clock.monotonicMs() - this.#lastSuccessMs;
    return policy.mode === 'periodic' && quietMs < this.#pauseMs ? undefined : revision;
  }

  async #compact(revision: number): Promise<void> {
    const { policy, clock, logger, propose } = this.#options;
    const fields = { revision, ...this.#policyField() };
    const begunMs = clock.monotonicMs();
    if (policy.mode === 'periodic') this.#pauseMs = Math.min(policy.periodMs, HOUR_MS);
    logger('info', `starting auto ${policy.mode} compaction`, fields);
    try {
      await propose({ kind: 'compaction', request: { revision, physical: false } });
    } catch (error) {
      if (!isEtcdError(error, 'compacted')) {
        const text = error instanceof Error ? error.message : String(error);
        logger('warn', `failed auto ${policy.mode} compaction`, { ...fields, error: text });
        return;
      }
    }
    this.#lastRevision = revision;
    this.#lastSuccessMs = clock.monotonicMs();
    const took = `${(clock.monotonicMs() - begunMs).toFixed(3)}ms`;
    logger('info', `completed auto ${policy.mode} compaction`, { ...fields, took });
  }

  #policyField(): Record<string, unknown> {
    const { policy } = this.#options;
    return policy.mode === 'periodic'
      ? { 'compact-period': `${policy.periodMs / 1000}s` }
      : { 'revision-compaction-retention': policy.revisions };
  }
}
