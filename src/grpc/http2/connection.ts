/**
 * One HTTP/2 connection (RFC 9113), either side of it: what comes is taken chunk by chunk, frame by frame,
 * and handed to its stream; what leaves gathers in an {@link Output}. What the other side may not do ends
 * its stream or the connection; what it may do, but not that often, too.
 */
import type { Duplex } from 'node:stream';
import { FrameReader } from './frame-reader.js';
import {
  ConnectionError,
  DEFAULT_FRAME_BYTES,
  DEFAULT_WINDOW_BYTES,
  ErrorCode,
  Flag,
  FRAME_HEADER_BYTES,
  FrameType,
  readUint31,
  readUint32,
  Setting,
  writeUint32,
} from './frames.js';
import { HeaderAssembly, type HeaderBlock } from './header-assembly.js';
import { type FieldList, HeaderDecoder } from './header-decoder.js';
import { HeaderEncoder, type OutgoingField } from './header-encoder.js';
import { KeepAlive, type KeepAliveOptions } from './keep-alive.js';
import { Output } from './output.js';
import { SendFlow } from './send-flow.js';
import { applySettings, defaultSettings, encodeSettings } from './settings.js';
import type { Stream } from './stream.js';
import { TokenBucket } from './token-bucket.js';

/** What one stream, and all together, may send ahead of their readers. */
export const STREAM_WINDOW_BYTES = 256 * 1024;
const CONNECTION_WINDOW_BYTES = 4 * 1024 * 1024;

/** Names and values of one header block, 32 bytes more for each: as much as Go's HTTP/1 takes. */
const MAX_HEADER_LIST_BYTES = 1024 * 1024;
/** A block is never longer than the list that it says, but for silly encodings. */
const MAX_HEADER_BLOCK_BYTES = MAX_HEADER_LIST_BYTES;

/** Frames that ask for nothing: so many at once, and so many a second. */
const IDLE_FRAMES = { burst: 10_000, perSecond: 1_000 };

/** With so much unread by the other side nothing of what it says is read either. */
const UNREAD_BYTES = 1024 * 1024;

/** How long the other side may take to read our last words. */
const LAST_WORDS_MS = 1_000;

/** Streams that ended before their client did, and on which something may still come. */
const REMEMBERED_STREAMS = 1_000;

const PING_BYTES = 8;
/** What our pings say: any answer means that the other side is there, one of them that it has seen GOAWAY. */
const KEEP_ALIVE_PING = Buffer.from('kvorum a', 'latin1');
export const GOAWAY_PING = Buffer.from('kvorum g', 'latin1');

export interface ConnectionOptions {
  readonly keepAlive?: KeepAliveOptions | undefined;
  /** Called once, when nothing more can come or leave. */
  readonly closed?: () => void;
}

export abstract class Connection {
  /** Those that are not over, by number. */
  protected readonly streams = new Map<number, Stream>();
  /** What the other side takes. */
  protected readonly peer = defaultSettings();
  protected readonly output: Output;
  private readonly flow: SendFlow;
  private readonly reader = new FrameReader((...frame) => this.take(...frame));
  private readonly assembly = new HeaderAssembly(MAX_HEADER_BLOCK_BYTES);
  private readonly decoder = new HeaderDecoder(MAX_HEADER_LIST_BYTES);
  private readonly encoder = new HeaderEncoder();
  private readonly idleFrames = new TokenBucket(IDLE_FRAMES.burst, IDLE_FRAMES.perSecond);
  private readonly endedEarly = new Set<number>();
  private readonly keepAlive: KeepAlive | undefined;
  private receiveWindow = CONNECTION_WINDOW_BYTES;
  private settled = false;
  private paused = false;
  /** We have said GOAWAY for good: nothing more is taken. */
  private over = false;
  private gone = false;

  constructor(
    readonly socket: Duplex,
    private readonly options: ConnectionOptions,
  ) {
    this.output = new Output(socket, () => this.roomAgain());
    this.flow = new SendFlow(this.output, {
      sending: () => this.noteAnswer(),
      ended: (stream) => this.endLocal(stream),
      trailersDue: (stream) => this.sendHeaders(stream, stream.trailers!, true),
    });
    if (options.keepAlive !== undefined) {
      this.keepAlive = new KeepAlive(
        options.keepAlive,
        () => {
          if (this.wantsPings()) this.ping(KEEP_ALIVE_PING);
          return this.wantsPings();
        },
        () => this.destroy(),
      );
    }
  }

  /** Sends our SETTINGS and begins to listen; bytes put back on the socket come first. */
  protected begin(settings: readonly (readonly [id: number, value: number])[]): void {
    const payload = encodeSettings([
      ...settings,
      [Setting.initialWindowSize, STREAM_WINDOW_BYTES],
      [Setting.maxHeaderListSize, MAX_HEADER_LIST_BYTES],
    ]);
    this.control(FrameType.settings, 0, 0, payload);
    this.sayWindow(0, CONNECTION_WINDOW_BYTES - DEFAULT_WINDOW_BYTES);
    const { socket } = this;
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('end', () => this.hungUp());
    socket.on('close', () => this.vanished());
    // A reset connection ends its streams by its 'close'; the error itself says no more.
    socket.on('error', () => {});
    // Taken over after it had ended: neither event comes again.
    if (socket.destroyed) this.vanished();
  }

  // What comes.

  protected receive(chunk: Buffer): void {
    if (this.over) return;
    this.keepAlive?.heard();
    try {
      this.read(chunk);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.fail(error.code, error.message);
    }
    if (this.output.pendingBytes >= UNREAD_BYTES) this.pause();
  }

  protected read(chunk: Buffer): void {
    this.reader.push(chunk);
  }

  private pause(): void {
    if (this.paused || this.gone || !this.output.isFull()) return;
    this.paused = true;
    this.socket.pause();
  }

  private roomAgain(): void {
    this.flow.resume();
    if (!this.paused || this.gone) return;
    this.paused = false;
    this.socket.resume();
  }

  private take(
    type: number,
    flags: number,
    id: number,
    bytes: Buffer,
    start: number,
    end: number,
  ): void {
    if (!this.settled && (type !== FrameType.settings || (flags & Flag.ack) !== 0)) {
      protocolError('the first frame is no SETTINGS');
    }
    if (this.assembly.isOpen && type !== FrameType.continuation) {
      protocolError('a header block is interrupted');
    }
    switch (type) {
      case FrameType.data:
        return this.takeData(flags, id, bytes, start, end);
      case FrameType.headers:
        if (id === 0) protocolError('HEADERS on stream 0');
        return this.takeBlock(this.assembly.headers(flags, id, bytes, start, end));
      case FrameType.priority:
        return this.takePriority(id, bytes, start, end);
      case FrameType.rstStream:
        return this.takeReset(id, bytes, start, end);
      case FrameType.settings:
        return this.takeSettings(flags, id, bytes, start, end);
      case FrameType.pushPromise:
        return protocolError('PUSH_PROMISE');
      case FrameType.ping:
        return this.takePing(flags, id, bytes, start, end);
      case FrameType.goaway:
        if (id !== 0) protocolError('GOAWAY on a stream');
        if (end - start < 8) sizeError('GOAWAY', start, end);
        return this.goneAway(readUint31(bytes, start), readUint32(bytes, start + 4) as ErrorCode);
      case FrameType.windowUpdate:
        return this.takeWindow(id, bytes, start, end);
      case FrameType.continuation:
        return this.takeBlock(this.assembly.continuation(flags, id, bytes, start, end));
      default:
        return this.countIdle(); // unknown frames are to be ignored
    }
  }

  private takeData(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id === 0) protocolError('DATA on stream 0');
    const length = end - start;
    this.receiveWindow -= length;
    if (this.receiveWindow < 0) {
      throw new ConnectionError(ErrorCode.flowControlError, 'DATA beyond the window');
    }
    if (this.receiveWindow < CONNECTION_WINDOW_BYTES / 2) {
      this.sayWindow(0, CONNECTION_WINDOW_BYTES - this.receiveWindow);
      this.receiveWindow = CONNECTION_WINDOW_BYTES;
    }
    if ((flags & Flag.padded) !== 0) {
      const padding = start < end ? bytes[start++]! : 0;
      end -= padding;
      if (start > end) protocolError('more padding than DATA');
    }
    const stream = this.streams.get(id);
    if (stream === undefined) return this.takeStray(id);
    this.takeStreamData(stream, length, (flags & Flag.endStream) !== 0, bytes, start, end);
  }

  private takeStreamData(
    stream: Stream,
    length: number,
    ended: boolean,
    bytes: Buffer,
    start: number,
    end: number,
  ): void {
    if (stream.remoteEnded) return this.refuse(stream, ErrorCode.streamClosed);
    stream.receiveWindow -= length;
    if (stream.receiveWindow < 0) return this.refuse(stream, ErrorCode.flowControlError);
    if (stream.announcedBytes >= 0) {
      stream.announcedBytes -= end - start;
      if (stream.announcedBytes < 0 || (ended && stream.announcedBytes > 0)) {
        return this.refuse(stream, ErrorCode.protocolError);
      }
    }
    if (start === end && !ended) this.countIdle();
    stream.remoteEnded = ended;
    stream.usedBytes += length - (end - start);
    stream.data(bytes, start, end, ended);
    if (ended) this.endRemote(stream);
  }

  /** A frame on a stream that is over. */
  private takeStray(id: number): void {
    if (this.isIdle(id)) protocolError(`a frame on stream ${id}, which has not begun`);
    this.countIdle();
    if (!this.endedEarly.has(id)) this.sayReset(id, ErrorCode.streamClosed);
  }

  private takeBlock(block: HeaderBlock | undefined): void {
    if (block === undefined) return;
    const { streamId, bytes, start, end, endStream, selfDependent } = block;
    // Decoded in any case: the table must not miss a block.
    const fields = this.decoder.decode(bytes, start, end);
    const stream = this.streams.get(streamId);
    if (stream !== undefined) this.takeMoreHeaders(stream, fields, endStream);
    else if (this.endedEarly.has(streamId)) this.countIdle();
    else if (selfDependent) this.openAndRefuse(streamId, ErrorCode.protocolError);
    else this.opened(streamId, fields, endStream);
  }

  private takeMoreHeaders(stream: Stream, fields: FieldList | undefined, ended: boolean): void {
    if (stream.remoteEnded) return this.refuse(stream, ErrorCode.streamClosed);
    if (fields === undefined) return this.refuse(stream, ErrorCode.frameSizeError);
    stream.remoteEnded = ended;
    const short = ended && stream.announcedBytes > 0;
    if (short || !this.mayFollow(fields, ended)) {
      return this.refuse(stream, ErrorCode.protocolError);
    }
    stream.headers(fields, ended);
    if (ended) this.endRemote(stream);
  }

  private openAndRefuse(id: number, code: ErrorCode): void {
    this.opened(id, undefined, false, code);
  }

  private takePriority(id: number, bytes: Buffer, start: number, end: number): void {
    if (id === 0) protocolError('PRIORITY on stream 0');
    this.countIdle();
    const stream = this.streams.get(id);
    if (end - start !== 5) {
      if (stream !== undefined) this.refuse(stream, ErrorCode.frameSizeError);
      else this.sayReset(id, ErrorCode.frameSizeError);
    } else if (readUint31(bytes, start) === id) {
      if (stream !== undefined) this.refuse(stream, ErrorCode.protocolError);
      else this.sayReset(id, ErrorCode.protocolError);
    }
  }

  private takeReset(id: number, bytes: Buffer, start: number, end: number): void {
    if (id === 0) protocolError('RST_STREAM on stream 0');
    if (end - start !== 4) sizeError('RST_STREAM', start, end);
    if (this.isIdle(id)) protocolError(`RST_STREAM on stream ${id}, which has not begun`);
    this.countIdle();
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    this.close(stream);
    stream.aborted(readUint32(bytes, start) as ErrorCode);
  }

  private takeSettings(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id !== 0) protocolError('SETTINGS on a stream');
    this.countIdle();
    if ((flags & Flag.ack) !== 0) {
      if (end > start) sizeError('an acknowledgement of SETTINGS', start, end);
      return;
    }
    const { peer } = this;
    const before = peer.initialWindowSize;
    applySettings(peer, bytes, start, end);
    this.encoder.resize(peer.smallestHeaderTableSize, peer.headerTableSize);
    peer.smallestHeaderTableSize = peer.headerTableSize;
    this.control(FrameType.settings, Flag.ack, 0, NOTHING);
    this.resizeStreamWindows(peer.initialWindowSize - before);
    if (this.settled) return this.settingsChanged();
    this.settled = true;
    this.settingsChanged();
  }

  private resizeStreamWindows(difference: number): void {
    if (difference === 0) return;
    for (const stream of this.streams.values()) {
      if (!this.flow.growStreamWindow(stream, difference)) {
        throw new ConnectionError(ErrorCode.flowControlError, 'a window is too large');
      }
    }
  }

  private takePing(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id !== 0) protocolError('PING on a stream');
    if (end - start !== PING_BYTES) sizeError('PING', start, end);
    const payload = bytes.subarray(start, end);
    if ((flags & Flag.ack) !== 0) {
      this.countIdle();
      return this.ponged(payload);
    }
    this.pinged();
    if (!this.over) this.control(FrameType.ping, Flag.ack, 0, payload);
  }

  private takeWindow(id: number, bytes: Buffer, start: number, end: number): void {
    if (end - start !== 4) sizeError('WINDOW_UPDATE', start, end);
    const count = readUint31(bytes, start);
    if (id === 0) {
      if (count === 0) protocolError('a window that grows by nothing');
      return this.flow.growWindow(count);
    }
    const stream = this.streams.get(id);
    if (stream === undefined) {
      if (this.isIdle(id)) protocolError(`WINDOW_UPDATE on stream ${id}, which has not begun`);
      return;
    }
    if (count === 0) return this.refuse(stream, ErrorCode.protocolError);
    if (!this.flow.growStreamWindow(stream, count)) {
      this.refuse(stream, ErrorCode.flowControlError);
    }
  }

  /** A frame that brings nothing has come. */
  private countIdle(): void {
    if (this.idleFrames.take(performance.now())) return;
    throw new ConnectionError(ErrorCode.enhanceYourCalm, 'too many frames that ask for nothing');
  }

  // What a side of its own must know.

  /** Has no stream of this number begun yet? */
  protected abstract isIdle(id: number): boolean;
  /**
   * The header block of a stream that is not open; `fields` is undefined when they are too many, or the
   * stream is to be refused with `code`.
   */
  protected abstract opened(
    id: number,
    fields: FieldList | undefined,
    ended: boolean,
    code?: ErrorCode,
  ): void;
  /** May this block come on a stream that is open? */
  protected abstract mayFollow(fields: FieldList, ended: boolean): boolean;
  /** Our side of a stream has ended while the other's has not. */
  protected abstract endedFirst(stream: Stream): void;
  protected abstract pinged(): void;
  protected abstract ponged(payload: Buffer): void;
  protected abstract goneAway(lastStreamId: number, code: ErrorCode): void;
  /** May the other side be asked whether it is there? */
  protected wantsPings(): boolean {
    return true;
  }
  /** Nothing comes or leaves any more. */
  protected disappeared(): void {}
  protected settingsChanged(): void {}
  /** Headers or data of a stream leave. */
  protected noteAnswer(): void {}
  /** A stream is over. */
  protected streamClosed(): void {}

  // What streams ask for.

  protected adopt(stream: Stream, id: number): void {
    stream.id = id;
    stream.connection = this;
    stream.sendWindow = this.peer.initialWindowSize;
    stream.receiveWindow = STREAM_WINDOW_BYTES;
    this.streams.set(id, stream);
  }

  sendHeaders(stream: Stream, fields: readonly OutgoingField[], end: boolean): void {
    if (stream.closed || stream.localEnded) return;
    this.noteAnswer();
    const { encoder, output } = this;
    const length = encoder.encode(fields);
    const first = Math.min(length, DEFAULT_FRAME_BYTES);
    const flags = (first === length ? Flag.endHeaders : 0) | (end ? Flag.endStream : 0);
    output.reserve(FRAME_HEADER_BYTES + first);
    output.header(first, FrameType.headers, flags, stream.id);
    output.copy(encoder.block, 0, first);
    for (let at = first; at < length; at += DEFAULT_FRAME_BYTES) {
      const until = Math.min(length, at + DEFAULT_FRAME_BYTES);
      const more = until === length ? Flag.endHeaders : 0;
      output.reserve(FRAME_HEADER_BYTES);
      output.header(until - at, FrameType.continuation, more, stream.id);
      output.copy(encoder.block, at, until);
    }
    if (end) this.endLocal(stream);
  }

  send(stream: Stream, prefix: number, bytes: Uint8Array, end: boolean): void {
    if (stream.closed || stream.localEnded) return;
    this.flow.send(stream, prefix, bytes, end);
  }

  sendTrailers(stream: Stream, fields: readonly OutgoingField[]): void {
    if (stream.closed) return;
    if (stream.pieces.length > 0) stream.trailers ??= fields;
    else this.sendHeaders(stream, fields, true);
  }

  /** Ends both sides of a stream; it hears nothing more. */
  reset(stream: Stream, code: ErrorCode): void {
    if (stream.closed) return;
    if (!stream.remoteEnded) this.remember(stream.id);
    this.close(stream);
    this.sayReset(stream.id, code);
  }

  /** Lets the other side send what `stream` has used, once that is worth a frame. */
  giveCredit(stream: Stream): void {
    if (stream.closed || stream.usedBytes < STREAM_WINDOW_BYTES / 2) return;
    stream.receiveWindow += stream.usedBytes;
    this.sayWindow(stream.id, stream.usedBytes);
    stream.usedBytes = 0;
  }

  /** The other side has done on a stream what it may not. */
  protected refuse(stream: Stream, code: ErrorCode): void {
    this.countIdle();
    if (stream.closed) return this.sayReset(stream.id, code);
    this.reset(stream, code);
    stream.aborted(code);
  }

  private endLocal(stream: Stream): void {
    stream.localEnded = true;
    if (stream.remoteEnded) this.close(stream);
    else this.endedFirst(stream);
  }

  private endRemote(stream: Stream): void {
    if (stream.localEnded && !stream.closed) this.close(stream);
  }

  private close(stream: Stream): void {
    if (stream.closed) return;
    stream.closed = true;
    this.flow.forget(stream);
    this.streams.delete(stream.id);
    this.streamClosed();
  }

  private remember(id: number): void {
    this.endedEarly.add(id);
    if (this.endedEarly.size <= REMEMBERED_STREAMS) return;
    for (const oldest of this.endedEarly) {
      this.endedEarly.delete(oldest);
      return;
    }
  }

  /** Those that are not over, as of now. */
  openStreams(): readonly Stream[] {
    return [...this.streams.values()];
  }

  /** Does so much wait for windows that stay shut that no more should be begun? */
  protected isStuck(bytes: number, quietMs: number): boolean {
    return this.flow.isStuck(bytes, quietMs);
  }

  // What we say.

  protected control(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    this.output.reserve(FRAME_HEADER_BYTES + payload.length);
    this.output.header(payload.length, type, flags, streamId);
    this.output.copy(payload, 0, payload.length);
  }

  protected sayReset(streamId: number, code: ErrorCode): void {
    this.sayNumber(FrameType.rstStream, streamId, code);
  }

  private sayWindow(streamId: number, bytes: number): void {
    this.sayNumber(FrameType.windowUpdate, streamId, bytes);
  }

  private sayNumber(type: number, streamId: number, value: number): void {
    const { output } = this;
    output.reserve(FRAME_HEADER_BYTES + 4);
    output.header(4, type, 0, streamId);
    writeUint32(output.bytes, output.at, value);
    output.at += 4;
  }

  protected ping(payload: Uint8Array): void {
    if (!this.gone) this.control(FrameType.ping, 0, 0, payload);
  }

  protected sayGoaway(lastStreamId: number, code: ErrorCode, text: string): void {
    const payload = Buffer.alloc(8 + Buffer.byteLength(text));
    writeUint32(payload, 0, lastStreamId);
    writeUint32(payload, 4, code);
    payload.write(text, 8);
    this.control(FrameType.goaway, 0, 0, payload);
  }

  // The end.

  /** Number for GOAWAY: the other side's last stream that may have had an effect. */
  protected abstract lastTaken(): number;

  /** Ends the connection and its streams, and says why. */
  protected fail(code: ErrorCode, text: string): void {
    if (this.over) return;
    this.sayGoaway(this.lastTaken(), code, text);
    this.end();
  }

  /** Has it ended, or is it about to? */
  protected get isOver(): boolean {
    return this.over;
  }

  /** Sends what has gathered and closes; streams that are left are aborted. */
  end(): void {
    if (this.over) return;
    this.over = true;
    this.reader.stop();
    this.abortAll();
    this.output.end();
    // What still comes is not read, but must be taken, or the other side never sees our last words.
    this.socket.resume();
    setTimeout(() => this.socket.destroy(), LAST_WORDS_MS).unref();
  }

  /** Closes at once. */
  destroy(): void {
    this.over = true;
    this.socket.destroy();
    this.vanished();
  }

  private hungUp(): void {
    this.end();
  }

  private vanished(): void {
    if (this.gone) return;
    this.gone = true;
    this.over = true;
    this.reader.stop();
    this.keepAlive?.stop();
    this.output.destroy();
    this.abortAll();
    this.disappeared();
    this.options.closed?.();
  }

  private abortAll(): void {
    for (const stream of this.streams.values()) {
      this.close(stream);
      stream.aborted(ErrorCode.connectError);
    }
  }
}

const NOTHING = Buffer.alloc(0);

function protocolError(what: string): never {
  throw new ConnectionError(ErrorCode.protocolError, what);
}

function sizeError(what: string, start: number, end: number): never {
  throw new ConnectionError(ErrorCode.frameSizeError, `${what} of ${end - start} bytes`);
}
