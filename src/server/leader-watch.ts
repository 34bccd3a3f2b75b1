/**
 * Streams whose client asked for a leader (metadata `hasleader`) end with "no leader" once this member
 * has known none for three checks in a row, an election timeout apart (etcd's rule).
 */
import { type EtcdError, etcdError } from '../api/index.js';
import type { Clock, Timer } from './environment.js';
import type { CallContext } from './rpc.js';

const CHECKS_WITHOUT_LEADER = 3;

export class LeaderWatch {
  readonly #clock: Clock;
  readonly #electionMs: number;
  readonly #hasLeader: () => boolean;
  readonly #guarded = new Set<(error: EtcdError) => void>();
  #missed = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, electionMs: number, hasLeader: () => boolean) {
    this.#clock = clock;
    this.#electionMs = electionMs;
    this.#hasLeader = hasLeader;
  }

  /** Ends the stream through `end` if the leader stays away. Returns what to call when it ends by itself. */
  guard(context: CallContext, end: (error: EtcdError) => void): () => void {
    if (context.metadata('hasleader') !== 'true') return () => {};
    this.#guarded.add(end);
    this.#timer ??= this.#clock.after(this.#electionMs, () => this.#check());
    return () => this.#guarded.delete(end);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #check(): void {
    this.#timer = undefined;
    this.#missed = this.#hasLeader() ? 0 : this.#missed + 1;
    if (this.#missed >= CHECKS_WITHOUT_LEADER) {
      for (const end of this.#guarded) end(etcdError('noLeader'));
      this.#guarded.clear();
    }
    if (this.#guarded.size > 0) {
      this.#timer = this.#clock.after(this.#electionMs, () => this.#check());
    } else {
      this.#missed = 0;
    }
  }
}
