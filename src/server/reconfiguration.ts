/**
 * Membership changes as operators ask for them: the checks of the member that serves the request
 * (strict-reconfig-check, semantics.md 5), then the proposal. Every member checks once more at apply.
 */
import { type Member, etcdError } from '../api/index.js';
import type { ConfChange } from '../raft/index.js';
import { toConfChange } from './conf-changes.js';
import type { Clock } from './environment.js';
import { memberIdOf } from './ids.js';
import type { Membership, MembershipChange } from './membership.js';
import type { PeerNetwork } from './peer-network.js';

/** A peer counts as healthy when it has been reachable for so long. */
const HEALTHY_MS = 5000;
/** A learner whose log is so near the leader's may become a voter. */
const READY_SHARE = 0.9;

export interface ReconfigurationOptions {
  memberId: bigint;
  membership: Membership;
  network: PeerNetwork;
  clock: Clock;
  strict: boolean;
  timeoutMs: number;
  leader: () => bigint;
  /** How far the log of `id` matches, as its leader knows it; undefined when unknown. */
  matchOf: (id: bigint) => number | undefined;
  nextId: () => bigint;
  /** Resolves when the change is applied here; rejects with the refusal made at apply. */
  propose: (change: ConfChange) => Promise<void>;
}

export class Reconfiguration {
  readonly #options: ReconfigurationOptions;

  constructor(options: ReconfigurationOptions) {
    this.#options = options;
  }

  async add(peerUrls: string[], isLearner: boolean): Promise<Member> {
    if (peerUrls.length === 0 || !peerUrls.every(isPeerUrl)) throw etcdError('memberBadURLs');
    const urls = [...peerUrls].sort();
    const seconds = Math.floor(this.#options.clock.wallMs() / 1000);
    const id = memberIdOf(urls, String(seconds));
    if (this.#options.strict) this.#checkAdd(isLearner);
    const member = { id, name: '', peerUrls: urls, clientUrls: [], isLearner };
    await this.#propose({ kind: 'add', member });
    return member;
  }

  async remove(id: bigint): Promise<void> {
    if (this.#options.strict) this.#checkRemove(id);
    await this.#propose({ kind: 'remove', id });
  }

  async update(id: bigint, peerUrls: string[]): Promise<void> {
    await this.#propose({ kind: 'update', id, peerUrls: [...peerUrls].sort() });
  }

  /** On the leader, or forwarded to it. */
  async promote(id: bigint): Promise<void> {
    const { leader, memberId } = this.#options;
    if (leader() === memberId) return this.promoteHere(id);
    if (leader() === 0n) throw etcdError('noLeader');
    await this.#forwardPromote(id);
  }

  async promoteHere(id: bigint): Promise<void> {
    this.#checkReady(id);
    if (this.#options.strict) this.#checkPromote(id);
    await this.#propose({ kind: 'promote', id });
  }

  #propose(change: MembershipChange): Promise<void> {
    return this.#options.propose(toConfChange(this.#options.nextId(), change));
  }

  #checkAdd(isLearner: boolean): void {
    const voters = this.#options.membership.voters();
    const started = voters.filter(isStarted).length;
    const size = voters.length + 1;
    const growsFromOne = started === 1 && size === 2;
    if (!isLearner && !growsFromOne && started < quorumOf(size)) {
      throw etcdError('memberNotEnoughStarted');
    }
    // The new member counts as down until it has proven itself.
    const healthy = voters.filter((voter) => this.#isHealthy(voter)).length;
    if (voters.length > 1 && healthy < quorumOf(size)) throw etcdError('unhealthy');
  }

  #checkRemove(id: bigint): void {
    const { membership, memberId, network } = this.#options;
    const member = membership.get(id);
    if (member === undefined || member.isLearner) return;
    const rest = membership.voters().filter((voter) => voter.id !== id);
    if (rest.filter(isStarted).length < quorumOf(rest.length)) {
      throw etcdError('memberNotEnoughStarted');
    }
    const isActive = (voter: Member) =>
      voter.id === memberId || network.activeForMs(voter.id) !== undefined;
    if (isActive(member) && rest.filter(isActive).length < quorumOf(rest.length)) {
      throw etcdError('unhealthy');
    }
  }

  #checkReady(id: bigint): void {
    const { matchOf, memberId, membership } = this.#options;
    const member = membership.get(id);
    if (member === undefined) throw etcdError('memberNotFound');
    if (!member.isLearner) return; // refused at apply, as in etcd
    const own = matchOf(memberId);
    const learner = matchOf(id);
    if (own === undefined || learner === undefined || learner < own * READY_SHARE) {
      throw etcdError('learnerNotReady');
    }
  }

  #checkPromote(id: bigint): void {
    const { membership } = this.#options;
    const voters = membership.voters();
    const promoted = membership.get(id)!;
    const started = voters.filter(isStarted).length + (isStarted(promoted) ? 1 : 0);
    if (started < quorumOf(voters.length + 1)) throw etcdError('memberNotEnoughStarted');
  }

  async #forwardPromote(id: bigint): Promise<void> {
    const { network, leader, timeoutMs } = this.#options;
    const request = { method: 'POST', path: `/members/promote/${id}` } as const;
    const reply = await network.request(leader(), request, timeoutMs);
    if (reply.status === 200) return;
    const text = Buffer.from(reply.body).toString();
    if (reply.status === 404) throw etcdError('memberNotFound');
    if (reply.status === 412 && text.includes('in sync')) throw etcdError('learnerNotReady');
    throw etcdError(reply.status === 412 ? 'memberNotLearner' : 'timeout');
  }

  #isHealthy(member: Member): boolean {
    const { memberId, network } = this.#options;
    return member.id === memberId || (network.activeForMs(member.id) ?? 0) >= HEALTHY_MS;
  }
}

function quorumOf(size: number): number {
  return Math.floor(size / 2) + 1;
}

/** A member that has published its name has run. */
function isStarted(member: Member): boolean {
  return member.name !== '';
}

/** http or https, with host and port and nothing behind. */
function isPeerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
  return isHttp && /:\d+$/.test(text) && url.pathname === '/' && url.hostname !== '';
}
