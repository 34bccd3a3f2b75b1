/**
 * Our end of a stream that a peer dialled: messages for the peer go out as the body of the answer.
 */
import type { ServerResponse } from 'node:http';
import { hexId } from '../../bytes/index.js';
import type { Message } from '../../raft/index.js';
import type { Timer } from '../../server/environment.js';
import type { Activity } from './activity.js';
import type { PeerRoom } from './peer-room.js';
import type { PeerTraffic } from './peer-traffic.js';
import { type StreamEncoder, streamEncoder, type StreamKind } from './streams.js';

/** Messages that may wait for the socket; later ones are dropped. */
const QUEUE_LIMIT = 4096;
/** One write takes at most this many messages, and stops at this many bytes. */
const WRITE_LIMIT_MESSAGES = 2048;
const WRITE_LIMIT_BYTES = 1024 * 1024;

export class StreamWriter {
  private response: ServerResponse | undefined;
  private encoder: StreamEncoder;
  private queue: Message[] = [];
  private flushing = false;
  private blocked = false;
  private heartbeat: Timer | undefined;

  constructor(
    private readonly room: PeerRoom,
    private readonly peerId: bigint,
    private readonly kind: StreamKind,
    private readonly activity: Activity,
    private readonly traffic: PeerTraffic,
  ) {
    this.encoder = streamEncoder(kind);
  }

  /** Is there a stream to write on? */
  get attached(): boolean {
    return this.response !== undefined;
  }

  /** Writes on `response` from now on, whose head has been sent; an older stream is closed. */
  attach(response: ServerResponse): void {
    if (this.attached) this.log('warn', 'closed TCP streaming connection with remote peer');
    this.close();
    this.response = response;
    this.encoder = streamEncoder(this.kind);
    this.blocked = false;
    response.on('drain', () => this.unblock(response));
    response.on('close', () => this.lost(response));
    // Heartbeats keep it from passing while the peer takes bytes.
    response.socket?.setTimeout(this.room.writeTimeoutMs);
    this.scheduleHeartbeat();
    this.log('info', 'established TCP streaming connection with remote peer');
    this.activity.activate();
  }

  /** False when the queue is full and the message dropped. Call only when attached. */
  send(message: Message): boolean {
    if (this.queue.length >= QUEUE_LIMIT) return false;
    this.queue.push(message);
    this.scheduleFlush();
    return true;
  }

  /** Closes the stream; what waits for it is dropped and reported. */
  close(): void {
    const { response } = this;
    if (response === undefined) return;
    this.detach();
    response.destroy();
  }

  private detach(): void {
    this.response = undefined;
    this.heartbeat?.cancel();
    if (this.queue.length > 0) this.room.reportUnreachable(this.peerId);
    this.queue = [];
  }

  private lost(response: ServerResponse): void {
    if (response !== this.response) return;
    this.detach();
    this.log('warn', 'lost TCP streaming connection with remote peer');
    this.activity.deactivate('lost the outgoing stream');
    this.room.reportUnreachable(this.peerId);
  }

  private unblock(response: ServerResponse): void {
    if (response !== this.response) return;
    this.blocked = false;
    this.flush();
  }

  /** What is sent until this turn's microtasks are done goes out in one write. */
  private scheduleFlush(): void {
    if (this.flushing) return;
    this.flushing = true;
    queueMicrotask(() => {
      this.flushing = false;
      this.flush();
    });
  }

  private flush(): void {
    while (!this.blocked && this.response !== undefined && this.queue.length > 0) {
      this.write(this.takeFrames());
    }
  }

  private takeFrames(): readonly Uint8Array[] {
    const parts: Uint8Array[] = [];
    let taken = 0;
    let bytes = 0;
    const limit = Math.min(this.queue.length, WRITE_LIMIT_MESSAGES);
    while (taken < limit && bytes < WRITE_LIMIT_BYTES) {
      for (const part of this.encoder.encode(this.queue[taken++]!)) {
        parts.push(part);
        bytes += part.length;
      }
    }
    this.queue.splice(0, taken);
    return parts;
  }

  private write(parts: readonly Uint8Array[]): void {
    const bytes = Buffer.concat(parts);
    this.traffic.sentBytes.value += bytes.length;
    this.blocked = this.response?.write(bytes) === false;
  }

  private scheduleHeartbeat(): void {
    // Three fit into the time after which the peer gives a silent stream up.
    this.heartbeat = this.room.clock.after(this.room.readTimeoutMs / 3, () => {
      if (!this.blocked) this.write(this.encoder.heartbeat);
      this.scheduleHeartbeat();
    });
  }

  private log(level: 'info' | 'warn', text: string): void {
    this.room.logger(level, text, {
      'stream-writer-type': this.kind,
      'local-member-id': hexId(this.room.handler.identity().memberId),
      'remote-peer-id': hexId(this.peerId),
    });
  }
}
