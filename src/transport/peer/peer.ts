/**
 * One peer: its streams, the pipeline for what has no stream, and which way a message goes.
 */
import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Message, MessageType } from '../../raft/index.js';
import type { PeerReply, PeerRequest } from '../../server/peer-network.js';
import { Activity } from './activity.js';
import { PeerConnections } from './dial.js';
import { requestPeer } from './peer-requests.js';
import { PeerTraffic } from './peer-traffic.js';
import type { PeerRoom } from './peer-room.js';
import { Pipeline } from './pipeline.js';
import { Prober } from './prober.js';
import { sendSnapshot } from './snapshot-sender.js';
import { StreamReader } from './stream-reader.js';
import { StreamWriter } from './stream-writer.js';
import type { StreamKind } from './streams.js';
import { UrlRotation } from './url-rotation.js';

/** Enough for the pipeline's posts and for requests beside them. */
const MAX_CONNECTIONS = 8;

/**
 * Somebody whom we can reach by requests only: a sender that is not, or not yet, a member as far as
 * we know.
 */
export class Remote {
  readonly urls: UrlRotation;
  readonly activity: Activity;
  protected readonly traffic: PeerTraffic;
  private readonly connections = new PeerConnections(MAX_CONNECTIONS);
  private readonly pipeline: Pipeline;
  private readonly stopping = new AbortController();

  constructor(
    protected readonly room: PeerRoom,
    readonly id: bigint,
    urls: readonly string[],
  ) {
    this.urls = new UrlRotation(urls);
    this.activity = new Activity(room, id);
    this.traffic = new PeerTraffic(room.metrics, id);
    const { activity, connections, traffic } = this;
    const { signal } = this.stopping;
    // Every request under way listens to it.
    setMaxListeners(0, signal);
    const common = { room, peerId: id, urls: this.urls, activity, traffic };
    this.pipeline = new Pipeline({ ...common, connections, signal });
  }

  /** Sends, or drops and reports. */
  send(message: Message): void {
    if (!this.enqueue(message)) this.room.reportUnreachable(this.id);
  }

  protected enqueue(message: Message): boolean {
    return this.pipeline.send(message);
  }

  sendSnapshot(message: Message, body: AsyncIterable<Uint8Array>): Promise<boolean> {
    const { room, urls, activity, traffic } = this;
    const { signal } = this.stopping;
    return sendSnapshot({ room, peerId: this.id, urls, activity, traffic, message, body, signal });
  }

  /** Rejects when no URL answers in time. */
  request(request: PeerRequest, timeoutMs: number): Promise<PeerReply> {
    const { room, connections } = this;
    const way = { room, baseUrls: this.urls.inTurn(), connections, signal: this.stopping.signal };
    return requestPeer(way, request, timeoutMs);
  }

  /** Closes all connections; what is under way fails. */
  stop(): void {
    this.stopping.abort();
    this.connections.destroy();
  }
}

/** A member: streams in both directions besides. */
export class Peer extends Remote {
  private readonly writers: Record<StreamKind, StreamWriter>;
  private readonly readers: readonly StreamReader[];
  private readonly prober: Prober;

  constructor(
    room: PeerRoom,
    id: bigint,
    urls: readonly string[],
    deliver: (message: Message) => void,
  ) {
    super(room, id, urls);
    const writer = (kind: StreamKind): StreamWriter =>
      new StreamWriter(room, id, kind, this.activity, this.traffic);
    this.writers = { msgapp: writer('msgapp'), message: writer('message') };
    const { urls: rotation, activity, traffic } = this;
    const common = { room, peerId: id, urls: rotation, activity, traffic, deliver };
    this.readers = (['msgapp', 'message'] as const).map(
      (kind) => new StreamReader({ ...common, kind }),
    );
    for (const reader of this.readers) reader.start();
    this.prober = new Prober({
      room,
      peerId: id,
      roundTripSeconds: traffic.roundTripSeconds,
      ask: (timeoutMs) => this.request({ method: 'GET', path: '/raft/probing' }, timeoutMs),
    });
    this.prober.start();
  }

  /** The peer has dialled a stream, whose head has been sent. */
  attach(kind: StreamKind, response: ServerResponse): void {
    this.writers[kind].attach(response);
  }

  /** Appends have a stream of their own, and share the other one until it is there. */
  protected override enqueue(message: Message): boolean {
    const { msgapp, message: other } = this.writers;
    if (message.type === MessageType.append && msgapp.attached) return msgapp.send(message);
    return other.attached ? other.send(message) : super.enqueue(message);
  }

  override stop(): void {
    super.stop();
    this.prober.stop();
    for (const reader of this.readers) reader.stop();
    for (const writer of Object.values(this.writers)) writer.close();
  }
}
