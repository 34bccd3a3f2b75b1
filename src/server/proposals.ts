/**
 * Callers waiting for their proposal to be applied. A proposal that raft cannot take yet (no leader)
 * waits as well; each has the same time limit, so the oldest is always first.
 */
import { type EtcdError, type InternalRequest, etcdError } from '../api/index.js';
import type { Clock } from './environment.js';

/** What applying an entry came to, handed to the waiting caller. */
export type ApplyResult = { value: unknown } | { error: EtcdError };

/** Why a proposal that raft took may not have come back in time. */
export type TimeoutCause = 'timeout' | 'timeoutDueToLeaderFail' | 'timeoutDueToConnectionLost';

/** One caller. */
export class Proposal<T = any> {
  readonly id: bigint;
  readonly result: Promise<T>;
  readonly proposedAtMs: number;
  /**
   * Term in which raft took it; 0 while it has not: then the caller gets a bare deadline error (as
   * etcd's does).
   */
  takenInTerm = 0;
  /**
   * Made by the leader of this term on its own account: nobody else may take it. Undefined for a client's,
   * which any leader may.
   */
  leaderTerm: number | undefined;
  /** What is proposed, when it is a request, and its encoding: the entry's data. */
  readonly request: InternalRequest | undefined;
  readonly data: Uint8Array;
  /** The caller has been answered. */
  settled = false;
  #resolve!: (value: T) => void;
  #reject!: (error: EtcdError) => void;

  constructor(
    id: bigint,
    data: Uint8Array,
    request: InternalRequest | undefined,
    proposedAtMs: number,
  ) {
    this.id = id;
    this.data = data;
    this.request = request;
    this.proposedAtMs = proposedAtMs;
    this.result = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  settle(result: ApplyResult): void {
    this.settled = true;
    if ('error' in result) this.#reject(result.error);
    else this.#resolve(result.value as T);
  }
}

export class Proposals {
  /** Proposals that were given up: their time was over, their leader lost, or the member stopped. */
  failedTotal = 0;
  readonly #waiting = new Map<bigint, Proposal>();
  readonly #byData = new Map<Uint8Array, Proposal>();
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

  /** A caller that will get what {@link Proposals.finish} is given for `id`, or a refusal. */
  wait<T>(id: bigint, data: Uint8Array, request?: InternalRequest): Proposal<T> {
    const proposal = new Proposal<T>(id, data, request, this.#clock.monotonicMs());
    this.#waiting.set(id, proposal);
    this.#byData.set(data, proposal);
    return proposal;
  }

  /**
   * The request that was encoded as `data`, if it was here and its caller still waits: an entry that comes
   * back to its proposer need not be decoded.
   */
  requestOf(data: Uint8Array): InternalRequest | undefined {
    return this.#byData.get(data)?.request;
  }

  /** The entry was applied; nobody may be waiting (another member's, or given up). */
  finish(id: bigint, result: ApplyResult): void {
    const proposal = this.#waiting.get(id);
    if (proposal === undefined) return;
    this.#waiting.delete(id);
    this.#byData.delete(proposal.data);
    proposal.settle(result);
  }

  fail(id: bigint, error: EtcdError): void {
    if (this.#waiting.has(id)) this.failedTotal++;
    this.finish(id, { error });
  }

  /**
   * The first entry of `term` is applied: whatever earlier leaders took and replicated has been applied
   * before it. The rest was most likely lost with its leader, so its callers need not wait out their
   * time; that it may still turn up is what the error says.
   */
  newTermApplied(term: number): void {
    for (const [id, { takenInTerm }] of this.#waiting) {
      if (takenInTerm > 0 && takenInTerm < term) this.fail(id, etcdError('timeoutDueToLeaderFail'));
    }
  }

  /** Rejects those whose time is over. Call it a few times a second. */
  expire(): void {
    const latestMs = this.#clock.monotonicMs() - this.#timeoutMs;
    for (const [id, { proposedAtMs, takenInTerm }] of this.#waiting) {
      if (proposedAtMs > latestMs) return;
      const name = takenInTerm > 0 ? this.#cause(proposedAtMs) : 'contextDeadlineExceeded';
      this.fail(id, etcdError(name));
    }
  }

  failAll(error: EtcdError): void {
    for (const id of this.#waiting.keys()) this.fail(id, error);
  }
}
