/**
 * etcd's rafthttp over HTTP/1.1: the peer network of a real process.
 */
import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { hexId } from '../../bytes/index.js';
import type { Message } from '../../raft/index.js';
import type { Clock, Logger } from '../../server/environment.js';
import { MemberMetrics } from '../../server/index.js';
import type {
  PeerHandler,
  PeerNetwork,
  PeerReply,
  PeerRequest,
} from '../../server/peer-network.js';
import { HttpPort } from '../http-port.js';
import { parseListenUrl, requireCertificate } from '../listen-address.js';
import { realClock } from '../real-environment.js';
import { type TlsCredentials, TlsDialer } from '../tls/index.js';
import type { PeerVersions } from './headers.js';
import { refusedMessage } from './inbox.js';
import { Peer, Remote } from './peer.js';
import type { PeerRoom } from './peer-room.js';
import { createPeerServer, type PeerDirectory } from './peer-server.js';
import { requestPeer } from './peer-requests.js';
import type { StreamKind } from './streams.js';
import { UrlRotation } from './url-rotation.js';

export interface HttpPeerNetworkOptions extends PeerVersions {
  /** `http://127.0.0.1:2380`; port 0 takes any free one (see {@link HttpPeerNetwork.boundUrls}). */
  readonly listenUrls: readonly string[];
  /** For https URLs, to listen on and to dial. */
  readonly tls?: TlsCredentials;
  /** How long a connection may take to come about; etcd: 1 s and the election timeout. */
  readonly dialTimeoutMs: number;
  /** A peer connection that has brought nothing for this long is closed; 5 s by default. */
  readonly readTimeoutMs?: number;
  /** A stream whose peer has taken nothing for this long is closed; 5 s by default. */
  readonly writeTimeoutMs?: number;
  /** Pause between two probes of a peer, 4 s by default. */
  readonly probeIntervalMs?: number;
  readonly logger: Logger;
  /** What the member counts in. */
  readonly metrics?: MemberMetrics;
  readonly clock?: Clock;
}

const DEFAULT_TIMEOUT_MS = 5_000;
const DEFAULT_PROBE_INTERVAL_MS = 4_000;
/** Strangers that are remembered; a cluster has far fewer members. */
const REMOTES_LIMIT = 64;

export class HttpPeerNetwork implements PeerNetwork, PeerDirectory {
  private startedRoom: PeerRoom | undefined;
  private readonly ports: HttpPort[] = [];
  private readonly peers = new Map<bigint, Peer>();
  private readonly remotes = new Map<bigint, Remote>();
  private readonly unreachable = new Set<bigint>();
  private readonly bound: string[] = [];
  private readonly stopping = new AbortController();
  private removed = false;
  private stopped: Promise<void> | undefined;

  constructor(private readonly options: HttpPeerNetworkOptions) {
    // Every request under way listens to it.
    setMaxListeners(0, this.stopping.signal);
  }

  /** What listenUrls became: with the ports that were taken. */
  get boundUrls(): readonly string[] {
    return this.bound;
  }

  get room(): PeerRoom {
    if (this.startedRoom === undefined) throw new Error('the peer network has not been started');
    return this.startedRoom;
  }

  /** Rejects in etcd's words ("listen tcp 127.0.0.1:2380: bind: address already in use"). */
  async start(handler: PeerHandler): Promise<void> {
    const { logger, dialTimeoutMs, tls, clock = realClock } = this.options;
    const { serverVersion, minClusterVersion } = this.options;
    this.startedRoom = {
      versions: { serverVersion, minClusterVersion },
      clock,
      logger,
      handler,
      metrics: this.options.metrics ?? new MemberMetrics(),
      probeIntervalMs: this.options.probeIntervalMs ?? DEFAULT_PROBE_INTERVAL_MS,
      tls: tls && new TlsDialer(tls),
      dialTimeoutMs,
      readTimeoutMs: this.options.readTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      writeTimeoutMs: this.options.writeTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      reportUnreachable: (id) => this.reportUnreachable(id),
      removedFromCluster: () => this.tellRemoved(),
    };
    try {
      for (const url of this.options.listenUrls) await this.listen(url);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  private async listen(url: string): Promise<void> {
    const address = parseListenUrl(url);
    requireCertificate(address, url, this.options.tls);
    const port = new HttpPort({
      http: createPeerServer(this),
      endpoint: 'peer',
      tls: address.secure ? this.options.tls : undefined,
      logger: this.options.logger,
    });
    const boundUrl = await port.listen(address, url);
    this.ports.push(port);
    this.bound.push(boundUrl);
    this.options.logger('info', 'serving peer traffic', { address: boundUrl });
  }

  setPeer(id: bigint, peerUrls: readonly string[]): void {
    if (this.stopped !== undefined || id === this.room.handler.identity().memberId) return;
    const known = this.peers.get(id);
    if (known !== undefined) return known.urls.replace(peerUrls);
    this.remotes.get(id)?.stop();
    this.remotes.delete(id);
    const deliver = (message: Message): void => this.deliverFromStream(message);
    this.peers.set(id, new Peer(this.room, id, peerUrls, deliver));
    this.options.logger('info', 'started remote peer', { 'remote-peer-id': hexId(id) });
  }

  removePeer(id: bigint): void {
    this.remotes.get(id)?.stop();
    this.remotes.delete(id);
    const peer = this.peers.get(id);
    if (peer === undefined) return;
    this.peers.delete(id);
    peer.stop();
    this.options.logger('info', 'stopped remote peer', { 'remote-peer-id': hexId(id) });
  }

  send(messages: readonly Message[]): void {
    for (const message of messages) this.reach(message.to)?.send(message);
  }

  sendSnapshot(message: Message, body: AsyncIterable<Uint8Array>): void {
    const to = this.reach(message.to);
    const sent = to === undefined ? discard(body) : to.sendSnapshot(message, body);
    void sent.then((ok) => {
      if (this.stopped === undefined) this.room.handler.snapshotSent(message.to, ok);
    });
  }

  activeForMs(id: bigint): number | undefined {
    return this.peers.get(id)?.activity.activeForMs();
  }

  async request(id: bigint, request: PeerRequest, timeoutMs: number): Promise<PeerReply> {
    const to = this.reach(id);
    if (to === undefined) throw new Error(`unknown peer ${hexId(id)}`);
    return to.request(request, timeoutMs);
  }

  async requestUrls(
    peerUrls: readonly string[],
    request: PeerRequest,
    timeoutMs: number,
  ): Promise<PeerReply> {
    const baseUrls = new UrlRotation(peerUrls).inTurn();
    const { signal } = this.stopping;
    return requestPeer({ room: this.room, baseUrls, signal }, request, timeoutMs);
  }

  stop(): Promise<void> {
    this.stopped ??= this.stopAll();
    return this.stopped;
  }

  private async stopAll(): Promise<void> {
    this.stopping.abort();
    for (const remote of [...this.peers.values(), ...this.remotes.values()]) remote.stop();
    this.peers.clear();
    this.remotes.clear();
    await Promise.all(this.ports.map((port) => port.close()));
  }

  private reach(id: bigint): Remote | undefined {
    return this.peers.get(id) ?? this.remotes.get(id);
  }

  knows(id: bigint): boolean {
    return this.peers.has(id);
  }

  attach(id: bigint, kind: StreamKind, response: ServerResponse): boolean {
    const peer = this.peers.get(id);
    peer?.attach(kind, response);
    return peer !== undefined;
  }

  addRemote(id: bigint, urls: readonly string[]): void {
    const { handler } = this.room;
    if (this.stopped !== undefined || this.reach(id) !== undefined) return;
    if (id === handler.identity().memberId || handler.isRemoved(id)) return;
    if (this.remotes.size >= REMOTES_LIMIT) return;
    this.remotes.set(id, new Remote(this.room, id, urls));
    this.options.logger('info', 'added remote peer', { 'remote-peer-id': hexId(id) });
  }

  private deliverFromStream(message: Message): void {
    const refusal = refusedMessage(this.room, message);
    if (refusal === undefined) this.deliver(message);
    else this.options.logger('warn', 'rejected a raft message', { error: refusal });
  }

  deliver(message: Message): void {
    if (this.stopped === undefined) this.room.handler.receive(message);
  }

  /** Never within a call of the member's, and once a turn for all that was dropped in it. */
  private reportUnreachable(id: bigint): void {
    this.room.metrics.peerSentFailures.with(hexId(id)).value++;
    if (this.unreachable.size === 0) {
      this.room.clock.nextTurn(() => this.tellUnreachable());
    }
    this.unreachable.add(id);
  }

  private tellRemoved(): void {
    if (this.removed || this.stopped !== undefined) return;
    this.removed = true;
    this.room.handler.removedFromCluster();
  }

  private tellUnreachable(): void {
    const ids = [...this.unreachable];
    this.unreachable.clear();
    if (this.stopped !== undefined) return;
    for (const id of ids) this.room.handler.unreachable(id);
  }
}

async function discard(body: AsyncIterable<Uint8Array>): Promise<false> {
  await body[Symbol.asyncIterator]().return?.();
  return false;
}
