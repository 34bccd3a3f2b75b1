/** What one process sees of the virtual network: server/peer-network.ts over {@link VirtualNetwork}. */
import type { Message } from '../raft/index.js';
import type { PeerHandler, PeerNetwork, PeerReply, PeerRequest } from '../server/index.js';
import type { EventOwner } from './event-loop.js';
import { type Endpoint, type Link, type VirtualNetwork, hostOf } from './network.js';
import { SnapshotStream } from './snapshot-stream.js';

/** The process behind an endpoint. */
export interface NetworkOwner extends EventOwner {
  readonly node: string;
  /** As {@link EventOwner.perform}; false when it is gone or too much is held. */
  deliver(action: () => void): boolean;
  /** Its clock, for timeouts. */
  afterMs(delayMs: number, action: () => void): { cancel(): void };
}

export class VirtualPeerNetwork implements PeerNetwork {
  readonly #network: VirtualNetwork;
  readonly #owner: NetworkOwner;
  readonly #peerUrls: readonly string[];
  readonly #peers = new Map<bigint, readonly string[]>();
  /** Not members as far as is known here, but they have sent something: they are answered. */
  readonly #remotes = new Map<bigint, readonly string[]>();
  #endpoint: Endpoint | undefined;
  #removed = false;

  constructor(network: VirtualNetwork, owner: NetworkOwner, peerUrls: readonly string[]) {
    this.#network = network;
    this.#owner = owner;
    this.#peerUrls = peerUrls;
  }

  async start(handler: PeerHandler): Promise<void> {
    const owner = this.#owner;
    this.#endpoint = {
      node: owner.node,
      get isAlive() {
        return owner.isAlive;
      },
      perform: (action) => owner.perform(action),
      deliver: (action) => owner.deliver(action),
      handler: this.#tellingOnce(handler),
      met: (id, peerUrls) => {
        if (!this.#peers.has(id)) this.#remotes.set(id, peerUrls);
      },
    };
    this.#network.listen(this.#peerUrls, this.#endpoint);
  }

  setPeer(id: bigint, peerUrls: readonly string[]): void {
    this.#peers.set(id, peerUrls);
    this.#remotes.delete(id);
  }

  removePeer(id: bigint): void {
    this.#peers.delete(id);
    this.#remotes.delete(id);
  }

  send(messages: readonly Message[]): void {
    if (this.#endpoint === undefined) return;
    for (const message of messages) {
      const urls = this.#peers.get(message.to) ?? this.#remotes.get(message.to);
      if (urls === undefined) continue;
      this.#network.send(this.#endpoint, urls, message, () => this.#unreachable(message.to));
    }
  }

  sendSnapshot(message: Message, body: AsyncIterable<Uint8Array>): void {
    const urls = this.#peers.get(message.to);
    const sent =
      urls === undefined || this.#endpoint === undefined
        ? discard(body)
        : new SnapshotStream(this.#network, this.#endpoint, urls).send(message, body);
    void sent.then((ok) => this.#endpoint?.handler.snapshotSent(message.to, ok));
  }

  activeForMs(id: bigint): number | undefined {
    const urls = this.#peers.get(id);
    if (urls === undefined || this.#network.endpointAt(urls) === undefined) return undefined;
    const since = this.#network.link(this.#owner.node, hostOf(urls)).reachableSinceUs;
    return since === undefined ? undefined : (this.#network.loop.nowUs - since) / 1000;
  }

  async request(id: bigint, request: PeerRequest, timeoutMs: number): Promise<PeerReply> {
    const urls = this.#peers.get(id);
    if (urls === undefined) throw new Error('unknown peer');
    return this.requestUrls(urls, request, timeoutMs);
  }

  requestUrls(
    peerUrls: readonly string[],
    request: PeerRequest,
    timeoutMs: number,
  ): Promise<PeerReply> {
    const there = this.#network.link(this.#owner.node, hostOf(peerUrls));
    const back = this.#network.link(hostOf(peerUrls), this.#owner.node);
    return new Promise((resolve, reject) => {
      const timer = this.#owner.afterMs(timeoutMs, () =>
        reject(new Error('the peer did not answer')),
      );
      const answer = (settle: () => void) =>
        this.#carry(back, () => {
          if (!this.#owner.isAlive) return;
          this.#owner.deliver(() => {
            timer.cancel();
            settle();
          });
        });
      this.#carry(there, () => {
        const peer = this.#network.endpointAt(peerUrls);
        if (peer === undefined) return answer(() => reject(new Error('connection refused')));
        peer.deliver(() => {
          serve(peer.handler, request).then(
            (reply) => answer(() => resolve(reply)),
            (error: unknown) => answer(() => reject(asError(error))),
          );
        });
      });
    });
  }

  async stop(): Promise<void> {
    if (this.#endpoint !== undefined) this.#network.hangUp(this.#peerUrls, this.#endpoint);
    this.#endpoint = undefined;
  }

  /** Lost without a word when the link is cut: the timeout tells. */
  #carry(link: Link, action: () => void): void {
    this.#network.carry(link, 200, () => {
      if (link.condition.cuts === 0) action();
    });
  }

  #unreachable(id: bigint): void {
    this.#endpoint?.handler.unreachable(id);
  }

  /** A removal is told once, as by the real network. */
  #tellingOnce(handler: PeerHandler): PeerHandler {
    return {
      identity: () => handler.identity(),
      receive: (message) => handler.receive(message),
      unreachable: (id) => handler.unreachable(id),
      snapshotSent: (id, ok) => handler.snapshotSent(id, ok),
      receiveSnapshot: (message, body) => handler.receiveSnapshot(message, body),
      isRemoved: (id) => handler.isRemoved(id),
      removedFromCluster: () => {
        if (this.#removed) return;
        this.#removed = true;
        handler.removedFromCluster();
      },
      serve: (request) => handler.serve(request),
    };
  }
}

async function serve(handler: PeerHandler, request: PeerRequest): Promise<PeerReply> {
  const reply = await handler.serve(request);
  if (reply === undefined) return { status: 404, headers: {}, body: new Uint8Array(0) };
  const headers = Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...reply, headers: Object.fromEntries(headers) as Record<string, string> };
}

async function discard(body: AsyncIterable<Uint8Array>): Promise<false> {
  await body[Symbol.asyncIterator]().return?.();
  return false;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
