/** The peer port's door: answers for a member that is not there yet, and then hands everything to it. */
import type { Message } from '../raft/index.js';
import type { LogIdentity } from '../storage/index.js';
import type { Member } from './member.js';
import { servePeer } from './peer-endpoints.js';
import type { PeerHandler, PeerIdentity, PeerReply, PeerRequest } from './peer-network.js';

export class PeerGate implements PeerHandler {
  readonly #peerUrls: readonly string[];
  readonly #identity: LogIdentity;
  #member: Member | undefined;

  /** `identity`: who the member is or will be, when that is known before it is there. */
  constructor(peerUrls: readonly string[], identity?: LogIdentity) {
    this.#peerUrls = peerUrls;
    this.#identity = identity ?? { memberId: 0n, clusterId: 0n };
  }

  open(member: Member): void {
    this.#member = member;
  }

  identity(): PeerIdentity {
    const { memberId, clusterId } = this.#member ?? this.#identity;
    return { memberId, clusterId, peerUrls: this.#peerUrls };
  }

  receive(message: Message): void {
    this.#member?.receive(message);
  }

  unreachable(id: bigint): void {
    this.#member?.peerUnreachable(id);
  }

  snapshotSent(id: bigint, ok: boolean): void {
    this.#member?.snapshotSent(id, ok);
  }

  async receiveSnapshot(message: Message, body: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#member === undefined) throw new Error('this member has not started yet');
    await this.#member.receiveSnapshot(message, body);
  }

  isRemoved(id: bigint): boolean {
    return this.#member?.membership.isRemoved(id) ?? false;
  }

  removedFromCluster(): void {
    this.#member?.removedFromCluster();
  }

  /** "Not found" would be an answer: that a lease or a member is gone. */
  async serve(request: PeerRequest): Promise<PeerReply | undefined> {
    return this.#member === undefined ? NOT_STARTED : servePeer(this.#member, request);
  }
}

const NOT_STARTED: PeerReply = {
  status: 503,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body: Buffer.from('this member has not started yet\n'),
};
