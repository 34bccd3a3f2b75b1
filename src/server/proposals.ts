/**
 * Callers waiting for their proposal to be applied. A proposal that raft cannot take yet (no leader)
 * waits here and is offered again; each has the same time limit, so the oldest is always first.
 */
import { type EtcdError, etcdError } from '../api/index.js';
import type { Clock } from './environment.js';

/** What applying an entry came to, handed to the waiting caller. */
export type ApplyResult = { value: unknown } | { error: EtcdError };

interface Waiting {
  readonly resolve: (value: any) => void;
  readonly reject: (error: unknown) => void;
  readonly deadlineMs: number;
  readonly proposedAtMs: number;
  /**
   * Term in which raft took it; 0 while it has not: then the caller gets a bare deadline error (as
   * etcd's does).
   */
  term: number;
}

/** Why a proposal that raft took may not have come back in time. */
export type TimeoutCause = 'timeout' | 'timeoutDueToLeaderFail' | 'timeoutDueToConnectionLost';

export class Proposals {
  readonly #waiting = new Map<bigint, Waiting>();
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #cause: (proposedAtMs: number) => TimeoutCause;

  constructor(clock: Clock, timeoutMs: number, cause: (proposedAtMs: number) => TimeoutCause) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#cause = cause;
  }

  get count(): number {
    return this.#waiting.size;
  }

  /** Resolves with the value that {@link Proposals.finish} is given for `id`, or rejects. */
  wait<T>(id: bigint): Promise<T> {
    const now = this.#clock.monotonicMs();
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, {
        resolve,
        reject,
        proposedAtMs: now,
        deadlineMs: now + this.#timeoutMs,
        term: 0,
      });
    });
  }

  isWaiting(id: bigint): boolean {
    return this.#waiting.has(id);
  }

  accepted(id: bigint, term: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) waiting.term = term;
  }

  /**
   * The first entry of `term` is applied: whatever earlier leaders took and replicated has been applied
   * before it. The rest was most likely lost with its leader, so its callers need not wait out their
   * time; that it may still turn up is what the error says.
   */
  newTermApplied(term: number): void {
    for (const [id, waiting] of this.#waiting) {
      if (waiting.term > 0 && waiting.term < term)
        this.fail(id, etcdError('timeoutDueToLeaderFail'));
    }
  }

  /** The entry was applied; nobody may be waiting (another member's, or given up). */
  finish(id: bigint, result: ApplyResult): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    if ('error' in result) waiting.reject(result.error);
    else waiting.resolve(result.value);
  }

  fail(id: bigint, error: EtcdError): void {
    this.finish(id, { error });
  }

  /** Rejects those whose time is over. Call it a few times a second. */
  expire(): void {
    const now = this.#clock.monotonicMs();
    for (const [id, waiting] of this.#waiting) {
      if (waiting.deadlineMs > now) return;
      const name = waiting.term > 0 ? this.#cause(waiting.proposedAtMs) : 'contextDeadlineExceeded';
      this.fail(id, etcdError(name));
    }
  }

  failAll(error: EtcdError): void {
    for (const id of this.#waiting.keys()) this.fail(id, error);
  }
}
