/** The server's side of an HTTP/2 connection. */
import type { Duplex } from 'node:stream';
import { areSoundTrailers } from '../request-head.js';
import { Connection, type ConnectionOptions, GOAWAY_PING } from './connection.js';
import { ConnectionError, ErrorCode, LARGEST_WINDOW_BYTES, PREFACE, Setting } from './frames.js';
import type { FieldList } from './header-decoder.js';
import { PingPolice } from './ping-police.js';
import type { Stream } from './stream.js';

export interface ServerConnectionOptions extends ConnectionOptions {
  /** Absent: as many as HTTP/2 can number. */
  readonly maxConcurrentStreams?: number | undefined;
  /** Clients that ping more often are sent away. */
  readonly minPingIntervalMs: number;
  /** How long the client may take to say its SETTINGS. */
  readonly handshakeTimeoutMs: number;
  /** The stream for a request; it is opened and hears its headers next. undefined: refused. */
  accept(fields: FieldList): Stream | ErrorCode;
}

/** What may wait for windows that a client does not open before it is refused more. */
const STUCK_BYTES = 4 * 1024 * 1024;
const STUCK_MS = 1_000;

const preface = Buffer.from(PREFACE, 'latin1');

/** As GOAWAY says it: every stream that there may ever be. */
const ANY_STREAM = LARGEST_WINDOW_BYTES;

export class ServerConnection extends Connection {
  private prefaceBytes = 0;
  private lastId = 0;
  private leaving: 'no' | 'announced' | 'last' = 'no';
  private readonly police: PingPolice;
  private readonly handshake: NodeJS.Timeout;

  /** Takes `socket` over, from the client's first byte, the preface. */
  constructor(
    socket: Duplex,
    private readonly server: ServerConnectionOptions,
  ) {
    super(socket, server);
    this.police = new PingPolice(server.minPingIntervalMs);
    this.handshake = setTimeout(() => this.destroy(), server.handshakeTimeoutMs).unref();
    const { maxConcurrentStreams } = server;
    this.begin(
      maxConcurrentStreams === undefined
        ? []
        : [[Setting.maxConcurrentStreams, maxConcurrentStreams]],
    );
  }

  protected override read(chunk: Buffer): void {
    super.read(this.prefaceBytes < preface.length ? this.takePreface(chunk) : chunk);
  }

  private takePreface(chunk: Buffer): Buffer {
    const begin = this.prefaceBytes;
    const count = Math.min(chunk.length, preface.length - begin);
    if (preface.compare(chunk, 0, count, begin, begin + count) !== 0) {
      throw new ConnectionError(ErrorCode.protocolError, 'no HTTP/2 preface');
    }
    this.prefaceBytes += count;
    return chunk.subarray(count);
  }

  protected override settingsChanged(): void {
    clearTimeout(this.handshake);
  }

  protected override isIdle(id: number): boolean {
    return id > this.lastId || id % 2 === 0;
  }

  protected override lastTaken(): number {
    return this.lastId;
  }

  protected override opened(
    id: number,
    fields: FieldList | undefined,
    ended: boolean,
    code?: ErrorCode,
  ): void {
    this.checkId(id);
    if (this.leaving === 'last') return;
    this.lastId = id;
    if (code !== undefined) return this.sayReset(id, code);
    if (fields === undefined) return this.sayReset(id, ErrorCode.frameSizeError);
    if (this.streams.size >= (this.server.maxConcurrentStreams ?? Infinity)) {
      return this.sayReset(id, ErrorCode.refusedStream);
    }
    if (this.isStuck(STUCK_BYTES, STUCK_MS)) return this.sayReset(id, ErrorCode.enhanceYourCalm);
    this.accept(id, fields, ended);
  }

  private checkId(id: number): void {
    if (id % 2 === 1 && id > this.lastId) return;
    // The last one is over. Of others nobody can tell whether they have ever been.
    const code = id === this.lastId ? ErrorCode.streamClosed : ErrorCode.protocolError;
    throw new ConnectionError(code, `HEADERS on stream ${id} after ${this.lastId}`);
  }

  private accept(id: number, fields: FieldList, ended: boolean): void {
    const stream = this.server.accept(fields);
    if (typeof stream === 'number') return this.sayReset(id, stream);
    this.adopt(stream, id);
    stream.remoteEnded = ended;
    if (ended && stream.announcedBytes > 0) return this.refuse(stream, ErrorCode.protocolError);
    stream.headers(fields, ended);
  }

  protected override mayFollow(fields: FieldList, ended: boolean): boolean {
    return ended && areSoundTrailers(fields);
  }

  /** An answer was complete before its request: the client need not send the rest (section 8.1). */
  protected override endedFirst(stream: Stream): void {
    this.reset(stream, ErrorCode.noError);
  }

  protected override pinged(): void {
    if (!this.police.isTooMuch(performance.now(), this.streams.size > 0)) return;
    throw new ConnectionError(ErrorCode.enhanceYourCalm, 'too_many_pings');
  }

  protected override noteAnswer(): void {
    this.police.noteAnswer();
  }

  /** A client's GOAWAY concerns streams that we open: there are none. It will close when it is done. */
  protected override goneAway(): void {}

  /**
   * Sends the client away: calls that it has begun are answered, and those on their way when it hears of
   * this; then the connection closes.
   */
  sendAway(): void {
    if (this.leaving !== 'no') return;
    this.leaving = 'announced';
    this.sayGoaway(ANY_STREAM, ErrorCode.noError, 'graceful_stop');
    this.ping(GOAWAY_PING);
  }

  protected override ponged(payload: Buffer): void {
    if (this.leaving !== 'announced' || !payload.equals(GOAWAY_PING)) return;
    this.leaving = 'last';
    this.sayGoaway(this.lastId, ErrorCode.noError, '');
    this.streamClosed();
  }

  protected override streamClosed(): void {
    if (this.leaving === 'last' && this.streams.size === 0) this.end();
  }
}
