/** Handing leadership over: on request (MoveLeader), and before a leader stops. */
import { type Member, etcdError } from '../api/index.js';
import { hexId } from '../bytes/index.js';
import type { Raft } from '../raft/index.js';
import type { Clock, Logger } from './environment.js';
import { type MemberConfig, requestTimeoutMs } from './member-config.js';
import type { PeerNetwork } from './peer-network.js';

export interface LeadershipTransferOptions {
  raft: Raft;
  memberId: bigint;
  clock: Clock;
  network: PeerNetwork;
  config: MemberConfig;
  voters: () => Member[];
  /** Asks raft to hand over to this voter. */
  begin: (target: bigint) => void;
  log: Logger;
}

export class LeadershipTransfer {
  readonly #options: LeadershipTransferOptions;

  constructor(options: LeadershipTransferOptions) {
    this.#options = options;
  }

  /** Resolves when `target` leads. */
  async to(target: bigint): Promise<void> {
    const { raft, memberId, voters, config } = this.#options;
    if (raft.leader !== memberId) throw etcdError('notLeader');
    if (!voters().some((voter) => voter.id === target)) throw etcdError('badLeaderTransferee');
    if (target !== memberId) await this.#transfer(target, requestTimeoutMs(config));
  }

  /** A leader that stops hands over first, so that nobody has to miss it; it does not insist. */
  async beforeStop(): Promise<void> {
    const { raft, memberId, log, config, voters } = this.#options;
    if (raft.leader !== memberId) return;
    if (voters().length === 1) {
      log('info', 'skipped leadership transfer for single voting member cluster');
      return;
    }
    const target = this.#bestSuccessor();
    if (target === undefined) return;
    try {
      await this.#transfer(target, 2 * config.electionMs);
    } catch (error) {
      log('warn', 'leadership transfer failed', { error: String(error) });
    }
  }

  /** Of the voters in touch, the one whose log is nearest to ours. */
  #bestSuccessor(): bigint | undefined {
    const { raft, memberId, network, voters } = this.#options;
    const { progress } = raft.status();
    const reachable = voters().filter(
      ({ id }) => id !== memberId && network.activeForMs(id) !== undefined,
    );
    const match = (id: bigint) => progress.get(id)?.match ?? 0;
    return reachable.sort((a, b) => match(b.id) - match(a.id))[0]?.id;
  }

  async #transfer(target: bigint, limitMs: number): Promise<void> {
    const { raft, memberId, clock, begin, log, config } = this.#options;
    const fields = {
      'local-member-id': hexId(memberId),
      'current-leader-member-id': hexId(memberId),
      'transferee-member-id': hexId(target),
    };
    log('info', 'leadership transfer starting', fields);
    const deadlineMs = clock.monotonicMs() + limitMs;
    begin(target);
    while (raft.leader !== target) {
      if (clock.monotonicMs() >= deadlineMs) throw etcdError('timeoutLeaderTransfer');
      await new Promise<void>((resolve) => clock.after(config.heartbeatMs / 10, resolve));
    }
    log('info', 'leadership transfer finished', fields);
  }
}
