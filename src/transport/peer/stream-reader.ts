/**
 * Our end of a stream that we dial: the peer's messages for us come as the body of its answer. Dials
 * again for as long as it is not stopped.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { hexId } from '../../bytes/index.js';
import type { Message } from '../../raft/index.js';
import type { LogLevel, Timer } from '../../server/environment.js';
import type { Activity } from './activity.js';
import { readRefusal } from './refusals.js';
import { dialPeer } from './dial.js';
import { FrameParser } from './frame-parser.js';
import { identityHeaders, isCompatibleServer } from './headers.js';
import type { PeerTraffic } from './peer-traffic.js';
import { errorText, type PeerRoom } from './peer-room.js';
import { streamGrammar, type StreamKind } from './streams.js';
import type { UrlRotation } from './url-rotation.js';

/** Pause before the next try: at most ten a second. */
const REDIAL_MS = 100;

export interface StreamReaderOptions {
  readonly room: PeerRoom;
  readonly peerId: bigint;
  readonly kind: StreamKind;
  readonly urls: UrlRotation;
  readonly activity: Activity;
  readonly traffic: PeerTraffic;
  /** Called in order; what it throws is not caught. */
  readonly deliver: (message: Message) => void;
}

export class StreamReader {
  private request: ClientRequest | undefined;
  private redial: Timer | undefined;
  private stopped = false;
  private established = false;
  /** Why the connection at hand ends, or ended last. */
  private failure = '';
  private loggedFailure = '';

  constructor(private readonly options: StreamReaderOptions) {}

  start(): void {
    const url = this.options.urls.current();
    if (url === undefined) return this.scheduleRedial();
    this.established = false;
    this.failure = 'connection closed by the peer';
    const request = this.dial(url);
    this.request = request;
    request.on('socket', (socket) =>
      socket.setTimeout(this.options.room.readTimeoutMs, () =>
        request.destroy(new Error('i/o timeout')),
      ),
    );
    request.on('response', (response) => this.answered(request, response));
    request.on('error', (error) => {
      this.failure = errorText(error);
    });
    request.on('close', () => this.ended(url));
    request.end();
  }

  stop(): void {
    this.stopped = true;
    this.redial?.cancel();
    this.request?.destroy();
  }

  private dial(baseUrl: string): ClientRequest {
    const { room, peerId, kind } = this.options;
    const identity = room.handler.identity();
    return dialPeer({
      baseUrl,
      method: 'GET',
      path: `/raft/stream/${kind}/${hexId(identity.memberId)}`,
      headers: { ...identityHeaders(identity, room.versions), 'X-Raft-To': hexId(peerId) },
      tls: room.tls,
      dialTimeoutMs: room.dialTimeoutMs,
    });
  }

  private answered(request: ClientRequest, response: IncomingMessage): void {
    response.on('error', (error) => {
      this.failure = errorText(error);
    });
    if (response.statusCode !== 200) return this.refused(request, response);
    if (!isCompatibleServer(response.headers)) {
      this.failure = 'the peer does not support this stream';
      request.destroy();
      return;
    }
    this.read(request, response);
  }

  private refused(request: ClientRequest, response: IncomingMessage): void {
    readRefusal(this.options.room, response)
      .then((refusal) => {
        this.failure = refusal;
      })
      .catch((error: unknown) => {
        this.failure = errorText(error);
      })
      .finally(() => request.destroy());
  }

  private read(request: ClientRequest, response: IncomingMessage): void {
    const { room, peerId, kind, activity, deliver } = this.options;
    this.established = true;
    this.loggedFailure = '';
    this.log('info', 'established TCP streaming connection with remote peer');
    activity.activate();

    let arrived: Message[] = [];
    const ends = { from: peerId, to: room.handler.identity().memberId };
    const grammar = streamGrammar(kind, ends, (message) => void arrived.push(message));
    const parser = new FrameParser(grammar);
    response.on('data', (chunk: Buffer) => {
      this.options.traffic.receivedBytes.value += chunk.length;
      const broken = this.push(parser, chunk);
      const messages = arrived;
      arrived = [];
      for (const message of messages) {
        if (this.stopped) return;
        deliver(message);
      }
      if (broken) request.destroy();
    });
  }

  /** True when the stream can't be read on; messages before that place count. */
  private push(parser: FrameParser, chunk: Buffer): boolean {
    try {
      parser.push(chunk);
      return false;
    } catch (error) {
      this.failure = `unreadable frame: ${errorText(error)}`;
      this.options.traffic.receivedFailures.value++;
      return true;
    }
  }

  private ended(url: string): void {
    this.request = undefined;
    if (this.stopped) return;
    const { activity, urls } = this.options;
    if (this.established) {
      this.options.traffic.receivedFailures.value++;
      this.log('warn', 'lost TCP streaming connection with remote peer');
    } else {
      urls.failed(url);
      this.logFailedDial();
    }
    activity.deactivate(this.failure);
    this.scheduleRedial();
  }

  /** Ten tries a second with the same end are one line. */
  private logFailedDial(): void {
    if (this.failure === this.loggedFailure) return;
    this.loggedFailure = this.failure;
    this.log('warn', 'failed to dial stream with remote peer');
  }

  private scheduleRedial(): void {
    this.redial = this.options.room.clock.after(REDIAL_MS, () => this.start());
  }

  private log(level: LogLevel, text: string): void {
    const { room, peerId, kind } = this.options;
    room.logger(level, text, {
      'stream-reader-type': kind,
      'local-member-id': hexId(room.handler.identity().memberId),
      'remote-peer-id': hexId(peerId),
      ...(level === 'info' ? {} : { error: this.failure }),
    });
  }
}
