/**
 * Members of one process talk without sockets: messages are passed by in later turns of the event loop,
 * in order. For stores inside a program, alone or several together.
 */
import type { Message } from '../raft/index.js';
import type { Clock, PeerHandler, PeerNetwork, PeerReply, PeerRequest } from '../server/index.js';

/** Joins the members that were opened with it; they find each other by peer url. */
export class LocalSwitch {
  readonly #clock: Clock;
  readonly #handlers = new Map<string, PeerHandler>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The network of the member that has `peerUrls`. */
  connect(peerUrls: readonly string[]): PeerNetwork {
    return new LocalNetwork(this.#clock, this.#handlers, peerUrls);
  }
}

class LocalNetwork implements PeerNetwork {
  readonly #clock: Clock;
  readonly #handlers: Map<string, PeerHandler>;
  readonly #peerUrls: readonly string[];
  readonly #peers = new Map<bigint, readonly string[]>();
  #handler: PeerHandler | undefined;
  #startedAtMs = 0;

  constructor(clock: Clock, handlers: Map<string, PeerHandler>, peerUrls: readonly string[]) {
    this.#clock = clock;
    this.#handlers = handlers;
    this.#peerUrls = peerUrls;
  }

  async start(handler: PeerHandler): Promise<void> {
    this.#handler = handler;
    this.#startedAtMs = this.#clock.monotonicMs();
    for (const url of this.#peerUrls) this.#handlers.set(url, handler);
  }

  setPeer(id: bigint, peerUrls: readonly string[]): void {
    this.#peers.set(id, peerUrls);
  }

  removePeer(id: bigint): void {
    this.#peers.delete(id);
  }

  send(messages: readonly Message[]): void {
    this.#clock.nextTurn(() => {
      for (const message of messages) this.#deliver(message);
    });
  }

  sendSnapshot(message: Message, body: AsyncIterable<Uint8Array>): void {
    this.#deliverSnapshot(message, body).then(
      (ok) => this.#handler?.snapshotSent(message.to, ok),
      () => this.#handler?.snapshotSent(message.to, false),
    );
  }

  activeForMs(id: bigint): number | undefined {
    if (this.#peerOf(id) === undefined) return undefined;
    return this.#clock.monotonicMs() - this.#startedAtMs;
  }

  async request(id: bigint, request: PeerRequest, _timeoutMs: number): Promise<PeerReply> {
    return ask(this.#peerOf(id), request);
  }

  async requestUrls(
    peerUrls: readonly string[],
    request: PeerRequest,
    _timeoutMs: number,
  ): Promise<PeerReply> {
    return ask(this.#find(peerUrls), request);
  }

  async stop(): Promise<void> {
    for (const url of this.#peerUrls) {
      if (this.#handlers.get(url) === this.#handler) this.#handlers.delete(url);
    }
    this.#handler = undefined;
  }

  #deliver(message: Message): void {
    if (this.#handler === undefined) return; // stopped meanwhile
    const peer = this.#peerOf(message.to);
    if (peer === undefined) this.#handler.unreachable(message.to);
    else if (peer.isRemoved(this.#handler.identity().memberId)) this.#handler.removedFromCluster();
    else peer.receive(message);
  }

  async #deliverSnapshot(message: Message, body: AsyncIterable<Uint8Array>): Promise<boolean> {
    const peer = this.#peerOf(message.to);
    if (peer === undefined) {
      await body[Symbol.asyncIterator]().return?.();
      return false;
    }
    await peer.receiveSnapshot(message, body);
    return true;
  }

  #peerOf(id: bigint): PeerHandler | undefined {
    return this.#find(this.#peers.get(id) ?? []);
  }

  #find(peerUrls: readonly string[]): PeerHandler | undefined {
    for (const url of peerUrls) {
      const handler = this.#handlers.get(url);
      if (handler !== undefined) return handler;
    }
    return undefined;
  }
}

async function ask(handler: PeerHandler | undefined, request: PeerRequest): Promise<PeerReply> {
  if (handler === undefined) throw new Error('peer is not there');
  const reply = await handler.serve(request);
  if (reply === undefined) return { status: 404, headers: {}, body: new Uint8Array(0) };
  const lowerCased = Object.entries(reply.headers).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  return { ...reply, headers: Object.fromEntries(lowerCased) };
}
