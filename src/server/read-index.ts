/**
 * Linearizable reads (paper section 8, dissertation 6.4): all reads that wait in a turn share one
 * ReadIndex round; when raft has confirmed the leader's commit index and it is applied here, the
 * shared promise resolves and each reads the store directly.
 */
import { type EtcdError, etcdError } from '../api/index.js';
import type { Clock, Timer } from './environment.js';

/** etcd repeats an unanswered ReadIndex request so often. */
const RETRY_MS = 500;

interface Round {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: EtcdError) => void;
}

export interface ReadIndexOptions {
  clock: Clock;
  timeoutMs: number;
  /** Hands the request to raft; false when there is no leader to ask. */
  request: (context: Uint8Array) => boolean;
  nextId: () => bigint;
  appliedIndex: () => number;
}

export class ReadIndex {
  /** Rounds that were asked for once more, and rounds that failed. */
  slowTotal = 0;
  failedTotal = 0;
  readonly #options: ReadIndexOptions;
  /** Gathers readers until the round in flight is over. */
  #next: Round | undefined;
  #inFlight: Round | undefined;
  /** Contexts sent for the round in flight; any of them answers it. */
  readonly #contexts = new Set<string>();
  /** Raft had nobody to ask: a leader that appears is asked at once. */
  #refused = false;
  #deadlineMs = 0;
  #retry: Timer | undefined;
  /** Set once raft has answered: the index that must be applied first. */
  #confirmedIndex: number | undefined;

  constructor(options: ReadIndexOptions) {
    this.#options = options;
  }

  /** Resolves when a read of the local store is linearizable with all that was acknowledged before. */
  wait(): Promise<void> {
    if (this.#next === undefined) {
      this.#next = newRound();
      if (this.#inFlight === undefined) this.#options.clock.nextTurn(() => this.#begin());
    }
    return this.#next.promise;
  }

  /** Raft answered: everything up to `index` was committed before the request `context`. */
  confirmed(context: Uint8Array, index: number): void {
    if (!this.#contexts.has(contextKey(context))) return;
    this.#contexts.clear();
    this.#confirmedIndex = index;
    this.applied(this.#options.appliedIndex());
  }

  /** The applied index has moved. */
  applied(index: number): void {
    if (this.#confirmedIndex === undefined || index < this.#confirmedIndex) return;
    this.#end((round) => round.resolve());
  }

  /** The leader changed: what the old one was asked may never be answered; ask one that is new. */
  leaderChanged(): void {
    if (this.#contexts.size === 0) return;
    if (this.#refused) this.#ask();
    else this.#fail(etcdError('leaderChanged'));
  }

  /** Refuses everybody (shutdown). */
  failAll(error: EtcdError): void {
    this.#fail(error);
    this.#next?.reject(error);
    this.#next = undefined;
  }

  #begin(): void {
    if (this.#inFlight !== undefined || this.#next === undefined) return;
    this.#inFlight = this.#next;
    this.#next = undefined;
    this.#deadlineMs = this.#options.clock.monotonicMs() + this.#options.timeoutMs;
    this.#ask();
  }

  #ask(): void {
    const context = encodeContext(this.#options.nextId());
    this.#contexts.add(contextKey(context));
    this.#retry?.cancel();
    this.#retry = this.#options.clock.after(RETRY_MS, () => this.#stillWaiting());
    this.#refused = !this.#options.request(context);
  }

  #stillWaiting(): void {
    if (this.#options.clock.monotonicMs() >= this.#deadlineMs) this.#fail(etcdError('timeout'));
    else if (this.#confirmedIndex === undefined) this.#askAgain();
    else this.#retry = this.#options.clock.after(RETRY_MS, () => this.#stillWaiting());
  }

  #askAgain(): void {
    this.slowTotal++;
    this.#ask();
  }

  #fail(error: EtcdError): void {
    if (this.#inFlight !== undefined) this.failedTotal++;
    this.#end((round) => round.reject(error));
  }

  #end(settle: (round: Round) => void): void {
    const round = this.#inFlight;
    if (round === undefined) return;
    this.#retry?.cancel();
    this.#contexts.clear();
    this.#confirmedIndex = undefined;
    this.#inFlight = undefined;
    settle(round);
    if (this.#next !== undefined) this.#options.clock.nextTurn(() => this.#begin());
  }
}

function newRound(): Round {
  let resolve!: () => void;
  let reject!: (error: EtcdError) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => {}); // a round whose readers have all gone is nobody's unhandled rejection
  return { promise, resolve, reject };
}

function encodeContext(id: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, id);
  return bytes;
}

function contextKey(context: Uint8Array): string {
  return String.fromCharCode(...context);
}
