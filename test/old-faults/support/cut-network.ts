/** A way to cut a member off from its peers and to join it again. */
import type { PeerHandler, PeerNetwork } from '../../../src/server/index.js';

export class CutNetwork implements PeerNetwork {
  /** Nothing goes out or comes in. */
  cut = false;
  readonly #inner: PeerNetwork;

  constructor(inner: PeerNetwork) {
    this.#inner = inner;
  }

  start(handler: PeerHandler): Promise<void> {
    const gate: PeerHandler = {
      identity: () => handler.identity(),
      receive: (message) => {
        if (!this.cut) handler.receive(message);
      },
      unreachable: (id) => handler.unreachable(id),
      snapshotSent: (id, ok) => handler.snapshotSent(id, ok),
      receiveSnapshot: async (message, body) => {
        if (this.cut) throw new Error('cut off');
        await handler.receiveSnapshot(message, body);
      },
      isRemoved: (id) => handler.isRemoved(id),
      removedFromCluster: () => handler.removedFromCluster(),
      serve: async (request) => {
        if (this.cut) throw new Error('cut off');
        return handler.serve(request);
      },
    };
    return this.#inner.start(gate);
  }

  setPeer(...args: Parameters<PeerNetwork['setPeer']>): void {
    this.#inner.setPeer(...args);
  }

  removePeer(id: bigint): void {
    this.#inner.removePeer(id);
  }

  send(messages: Parameters<PeerNetwork['send']>[0]): void {
    if (!this.cut) this.#inner.send(messages);
  }

  sendSnapshot(...args: Parameters<PeerNetwork['sendSnapshot']>): void {
    this.#inner.sendSnapshot(...args);
  }

  activeForMs(id: bigint): number | undefined {
    return this.cut ? undefined : this.#inner.activeForMs(id);
  }

  async request(...args: Parameters<PeerNetwork['request']>): ReturnType<PeerNetwork['request']> {
    if (this.cut) throw new Error('cut off');
    return this.#inner.request(...args);
  }

  async requestUrls(
    ...args: Parameters<PeerNetwork['requestUrls']>
  ): ReturnType<PeerNetwork['requestUrls']> {
    if (this.cut) throw new Error('cut off');
    return this.#inner.requestUrls(...args);
  }

  stop(): Promise<void> {
    return this.#inner.stop();
  }
}
