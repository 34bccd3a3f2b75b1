/**
 * Proposals on their way into raft. All of a turn go in together (one append, one message per
 * follower); those that find no leader wait until there is one, or until their time is over.
 */
import { etcdError } from '../api/index.js';
import type { Raft } from '../raft/index.js';
import type { Proposals } from './proposals.js';

/** Callers that may wait at once; beyond, requests are refused. */
const MAX_WAITING = 100_000;

interface Queued {
  readonly id: bigint;
  readonly data: Uint8Array;
}

export class ProposalQueue {
  readonly #proposals: Proposals;
  #gathered: Queued[] = [];

  constructor(proposals: Proposals) {
    this.#proposals = proposals;
  }

  /** Takes an encoded request; its result comes through {@link Proposals.wait}. */
  add(id: bigint, data: Uint8Array): void {
    this.#gathered.push({ id, data });
  }

  get isFull(): boolean {
    return this.#proposals.count >= MAX_WAITING;
  }

  /** Offers everything gathered to the core. Called at the beginning of each turn. */
  offer(raft: Raft): void {
    if (this.#gathered.length === 0) return;
    const queued = this.#gathered.filter(({ id }) => this.#proposals.isWaiting(id));
    this.#gathered = [];
    const result = raft.propose(queued.map(({ data }) => data));
    switch (result) {
      case 'accepted':
        for (const { id } of queued) this.#proposals.accepted(id, raft.term);
        return;
      case 'noLeader':
        this.#gathered = queued;
        return;
      case 'transferring':
        for (const { id } of queued) this.#proposals.fail(id, etcdError('proposalDropped'));
        return;
      default:
        for (const { id } of queued) this.#proposals.fail(id, etcdError('requestTooManyRequests'));
    }
  }
}
