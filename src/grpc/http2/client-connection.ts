/** The client's side of an HTTP/2 connection. */
import type { Duplex } from 'node:stream';
import { Connection, type ConnectionOptions } from './connection.js';
import { ConnectionError, ErrorCode, PREFACE, Setting } from './frames.js';
import type { FieldList } from './header-decoder.js';
import type { OutgoingField } from './header-encoder.js';
import type { Stream } from './stream.js';

const preface = Buffer.from(PREFACE, 'latin1');

/** The last number that a stream may have. */
const LAST_ID = 2 ** 31 - 1;

interface Waiting {
  readonly stream: Stream;
  readonly begin: () => void;
}

export class ClientConnection extends Connection {
  /** Resolves when the server has said its SETTINGS: it speaks HTTP/2. */
  readonly ready: Promise<void>;
  private nextId = 1;
  private leaving = false;
  private isUp!: () => void;
  /** Streams that the server is yet to have room for. */
  private readonly waiting: Waiting[] = [];

  /** Takes over a socket that is connected. */
  constructor(socket: Duplex, options: ConnectionOptions) {
    super(socket, options);
    this.ready = new Promise((resolve) => {
      this.isUp = resolve;
    });
    this.output.copy(preface, 0, preface.length);
    this.begin([[Setting.enablePush, 0]]);
  }

  /** May streams be opened? Not any more when the server has said GOAWAY. */
  get isUsable(): boolean {
    return !this.leaving && !this.isOver;
  }

  /** Opens `stream` and calls `begun`; later, if the server has no room for one more. */
  open(stream: Stream, fields: readonly OutgoingField[], begun: () => void): void {
    if (!this.isUsable) return stream.aborted(ErrorCode.refusedStream);
    const begin = (): void => {
      this.adopt(stream, this.nextId);
      this.nextId += 2;
      if (this.nextId > LAST_ID) this.leaving = true;
      this.sendHeaders(stream, fields, false);
      begun();
    };
    if (this.hasRoom()) begin();
    else this.waiting.push({ stream, begin });
  }

  /** A stream that waits for room is not wanted any more. */
  forget(stream: Stream): void {
    const place = this.waiting.findIndex((one) => one.stream === stream);
    if (place >= 0) this.waiting.splice(place, 1);
  }

  private hasRoom(): boolean {
    return this.streams.size < this.peer.maxConcurrentStreams;
  }

  private openWaiting(): void {
    while (this.waiting.length > 0 && this.hasRoom()) this.waiting.shift()!.begin();
  }

  private dropWaiting(): void {
    for (const { stream } of this.waiting.splice(0)) stream.aborted(ErrorCode.refusedStream);
  }

  protected override settingsChanged(): void {
    this.isUp();
    this.openWaiting();
  }

  protected override streamClosed(): void {
    if (this.isUsable) this.openWaiting();
    else if (this.streams.size === 0) this.end();
  }

  protected override isIdle(id: number): boolean {
    return id >= this.nextId || id % 2 === 0;
  }

  protected override opened(id: number): void {
    if (!this.isIdle(id)) return; // of a call that was cancelled
    throw new ConnectionError(ErrorCode.protocolError, `HEADERS on stream ${id}`);
  }

  protected override mayFollow(_fields: FieldList, _ended: boolean): boolean {
    return true;
  }

  protected override endedFirst(): void {}
  protected override pinged(): void {}
  protected override ponged(): void {}

  protected override goneAway(lastStreamId: number): void {
    this.leaving = true;
    this.dropWaiting();
    for (const stream of this.openStreams()) {
      if (stream.id > lastStreamId) this.refuse(stream, ErrorCode.refusedStream);
    }
    if (this.streams.size === 0) this.end();
  }

  protected override wantsPings(): boolean {
    return this.streams.size > 0;
  }

  protected override lastTaken(): number {
    return 0;
  }

  protected override disappeared(): void {
    this.dropWaiting();
  }
}
