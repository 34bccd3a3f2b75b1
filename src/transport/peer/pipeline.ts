/**
 * Messages to a peer as POSTs, one each: for peers without a stream.
 */
import { message as messageCodec } from '../../codec/index.js';
import type { Message } from '../../raft/index.js';
import type { Activity } from './activity.js';
import type { PeerConnections } from './dial.js';
import { exchange } from './exchange.js';
import { identityHeaders } from './headers.js';
import { errorText, type PeerRoom } from './peer-room.js';
import type { PeerTraffic } from './peer-traffic.js';
import { noteRefusal } from './refusals.js';
import type { UrlRotation } from './url-rotation.js';

/** Messages that may wait; later ones are dropped. */
const QUEUE_LIMIT = 64;
const PARALLEL_POSTS = 4;
const POST_TIMEOUT_MS = 10_000;

export interface PipelineOptions {
  readonly room: PeerRoom;
  readonly peerId: bigint;
  readonly urls: UrlRotation;
  readonly activity: Activity;
  readonly traffic: PeerTraffic;
  readonly connections: PeerConnections;
  /** Aborts what is under way, and ends it all. */
  readonly signal: AbortSignal;
}

export class Pipeline {
  private readonly queue: Message[] = [];
  private running = 0;

  constructor(private readonly options: PipelineOptions) {}

  /** False when the queue is full and the message dropped. */
  send(message: Message): boolean {
    if (this.queue.length >= QUEUE_LIMIT) return false;
    this.queue.push(message);
    this.startPosts();
    return true;
  }

  private startPosts(): void {
    while (this.running < PARALLEL_POSTS && !this.options.signal.aborted) {
      const message = this.queue.shift();
      if (message === undefined) return;
      this.running++;
      void this.sendOne(message).then(() => {
        this.running--;
        this.startPosts();
      });
    }
  }

  private async sendOne(message: Message): Promise<void> {
    const { room, peerId, urls, activity, signal } = this.options;
    const url = urls.current();
    const failure = url === undefined ? 'the peer has no URL' : await this.post(url, message);
    if (signal.aborted) return;
    if (failure === undefined) return activity.activate();
    if (url !== undefined) urls.failed(url);
    activity.deactivate(failure);
    room.reportUnreachable(peerId);
  }

  /** Why the peer has not taken the message, or undefined. */
  private async post(baseUrl: string, message: Message): Promise<string | undefined> {
    const { room, connections, signal } = this.options;
    const headers = identityHeaders(room.handler.identity(), room.versions);
    const body = messageCodec.encode(message);
    try {
      const reply = await exchange({
        baseUrl,
        method: 'POST',
        path: '/raft',
        headers: { ...headers, 'Content-Type': 'application/protobuf' },
        body,
        tls: room.tls,
        dialTimeoutMs: room.dialTimeoutMs,
        timeoutMs: POST_TIMEOUT_MS,
        connections,
        signal,
      });
      if (reply.status === 204) {
        this.options.traffic.sentBytes.value += body.length;
        return undefined;
      }
      return noteRefusal(room, reply.status, reply.headers, reply.body);
    } catch (error) {
      return errorText(error);
    }
  }
}
