/**
 * Proposals on their way into raft. All of a turn go in together (one append, one message per
 * follower); those that find no leader wait until there is one, or until their time is over.
 */
import { type EtcdErrorName, etcdError } from '../api/index.js';
import type { Raft } from '../raft/index.js';
import type { Proposal, Proposals } from './proposals.js';

/** Callers that may wait at once; beyond, requests are refused. */
const MAX_WAITING = 100_000;

export class ProposalQueue {
  readonly #proposals: Proposals;
  #gathered: Proposal[] = [];

  constructor(proposals: Proposals) {
    this.#proposals = proposals;
  }

  /** Takes a proposal to raft, at the next {@link ProposalQueue.offer}. */
  add(proposal: Proposal): void {
    this.#gathered.push(proposal);
  }

  get isFull(): boolean {
    return this.#proposals.count >= MAX_WAITING;
  }

  /** Offers everything gathered to the core. Called at the beginning of each turn. */
  offer(raft: Raft): void {
    if (this.#gathered.length === 0) return;
    this.#dropOutdated(raft);
    this.#dropSettled();
    const result = raft.propose(this.#gathered.map(({ data }) => data));
    if (result === 'noLeader') return;
    const gathered = this.#gathered;
    this.#gathered = [];
    if (result === 'accepted') {
      for (const proposal of gathered) proposal.takenInTerm = raft.term;
    } else {
      this.#refuse(
        gathered,
        result === 'transferring' ? 'proposalDropped' : 'requestTooManyRequests',
      );
    }
  }

  /** What a leader has decided for itself must not reach its successor, who may know better. */
  #dropOutdated(raft: Raft): void {
    const term = raft.role === 'leader' ? raft.term : -1;
    for (const { id, leaderTerm, settled } of this.#gathered) {
      if (leaderTerm === undefined || leaderTerm === term || settled) continue;
      this.#proposals.fail(id, etcdError('notLeader'));
    }
  }

  /** Whoever has given up while there was no leader must not be proposed any more. */
  #dropSettled(): void {
    if (!this.#gathered.some(({ settled }) => settled)) return;
    this.#gathered = this.#gathered.filter(({ settled }) => !settled);
  }

  #refuse(proposals: readonly Proposal[], name: EtcdErrorName): void {
    for (const { id } of proposals) this.#proposals.fail(id, etcdError(name));
  }
}
