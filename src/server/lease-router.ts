/**
 * Lease questions that only the leader may answer: renewal and time left. The leader answers from its
 * lessor once it is sure of its office; any other member asks it over the peer port, as etcd's do.
 */
import {
  type LeaseTimeToLiveRequest,
  type LeaseTimeToLiveResponse,
  etcdError,
  isEtcdError,
} from '../api/index.js';
import {
  leaseInternalRequest,
  leaseInternalResponse,
  leaseKeepAliveRequest,
  leaseKeepAliveResponse,
} from '../codec/index.js';
import type { Lessor } from '../lease/index.js';
import type { Clock } from './environment.js';
import type { PeerNetwork, PeerReply, PeerRequest } from './peer-network.js';

/** Pause before asking again while there is no leader. */
const RETRY_MS = 50;

export interface LeaseRouterOptions {
  lessor: Lessor;
  clock: Clock;
  network: PeerNetwork;
  timeoutMs: number;
  memberId: bigint;
  leader: () => bigint;
  /** Makes the cluster forget the remaining time it has stored for a lease. */
  clearCheckpoint: (id: bigint) => Promise<void>;
  /** Resolves when a quorum has confirmed that this member leads (needed after a stall). */
  confirmLeadership: () => Promise<void>;
  /** Resolves when all that the cluster had committed at the call is applied here: a ReadIndex round. */
  catchUp: () => Promise<void>;
}

export class LeaseRouter {
  readonly #options: LeaseRouterOptions;

  constructor(options: LeaseRouterOptions) {
    this.#options = options;
  }

  /** The granted seconds. Throws leaseNotFound, or noLeader when none appears in time. */
  async renew(id: bigint): Promise<number> {
    return this.#atLeader(
      () => this.renewHere(id),
      async (leader) => {
        const request = peerRequest('/leases', leaseKeepAliveRequest.encode({ id }));
        const reply = await this.#ask(leader, request);
        const { ttl } = leaseKeepAliveResponse.decode(reply.body);
        if (ttl === 0) throw etcdError('leaseNotFound');
        return ttl;
      },
    );
  }

  async timeToLive(request: LeaseTimeToLiveRequest): Promise<LeaseTimeToLiveResponse> {
    return this.#atLeader(
      () => this.timeToLiveHere(request),
      async (leader) => {
        const body = leaseInternalRequest.encode(request);
        const reply = await this.#ask(leader, peerRequest('/leases/internal', body));
        return leaseInternalResponse.decode(reply.body);
      },
    );
  }

  /** As the leader. Throws notPrimaryLessor when this member is not (or no longer) it. */
  async renewHere(id: bigint): Promise<number> {
    return this.#unlessGone(() => this.#renewNow(id));
  }

  async #renewNow(id: bigint): Promise<number> {
    const { lessor, clock, confirmLeadership, clearCheckpoint } = this.#options;
    if (!lessor.isPrimary) throw etcdError('notPrimaryLessor');
    await confirmLeadership();
    if (lessor.hasCheckpoint(id)) await clearCheckpoint(id);
    return lessor.renew(id, clock.monotonicMs());
  }

  /** Time left -1 for a lease that is gone. Throws as {@link LeaseRouter.renewHere}. */
  async timeToLiveHere({ id, keys }: LeaseTimeToLiveRequest): Promise<LeaseTimeToLiveResponse> {
    const { lessor, clock, catchUp } = this.#options;
    if (!lessor.isPrimary) throw etcdError('notPrimaryLessor');
    if (!lessor.has(id)) await catchUp();
    const left = lessor.timeToLive(id, clock.monotonicMs());
    if (!lessor.isPrimary) throw etcdError('notPrimaryLessor');
    return {
      id,
      ttl: left.remainingSeconds,
      grantedTtl: left.grantedTtl,
      keys: keys ? left.keys : [],
    };
  }

  /**
   * A leader that was deposed and does not know it may miss a lease that its successor has granted, or
   * think one expired that its successor has renewed. So "gone" is said only after a quorum was asked.
   */
  async #unlessGone<T>(answer: () => Promise<T>): Promise<T> {
    try {
      return await answer();
    } catch (error) {
      if (!isEtcdError(error, 'leaseNotFound')) throw error;
    }
    await this.#options.catchUp();
    return answer();
  }

  /** Runs `here` or `there` wherever the leader is, until one succeeds or the time is over. */
  async #atLeader<T>(here: () => Promise<T>, there: (leader: bigint) => Promise<T>): Promise<T> {
    const { clock, timeoutMs, leader, memberId } = this.#options;
    const deadlineMs = clock.monotonicMs() + timeoutMs;
    for (;;) {
      const id = leader();
      try {
        if (id === memberId) return await here();
        if (id !== 0n) return await there(id);
      } catch (error) {
        if (!isWorthRetry(error)) throw error;
      }
      if (clock.monotonicMs() >= deadlineMs)
        throw etcdError(leader() === 0n ? 'noLeader' : 'timeout');
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
    }
  }

  async #ask(leader: bigint, request: PeerRequest): Promise<PeerReply> {
    const { network, timeoutMs } = this.#options;
    const reply = await network.request(leader, request, timeoutMs);
    if (reply.status === 200) return reply;
    if (reply.status === 404) throw etcdError('leaseNotFound');
    if (reply.status === 408) throw etcdError('timeoutWaitAppliedIndex');
    throw etcdError('notPrimaryLessor');
  }
}

/** A leader that is none any more, or cannot be reached: the next try may find another. */
function isWorthRetry(error: unknown): boolean {
  if (!isEtcdError(error)) return true;
  return error.name === 'notPrimaryLessor' || error.name === 'leaderChanged';
}

function peerRequest(path: string, body: Uint8Array): PeerRequest {
  return { method: 'POST', path, contentType: 'application/protobuf', body };
}
