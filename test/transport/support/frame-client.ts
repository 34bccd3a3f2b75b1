/** An HTTP/2 client that says exactly what it is told, and notes the frames that come back. */
import { connect, type Socket } from 'node:net';
import { HeaderDecoder } from '../../../src/grpc/http2/header-decoder.js';
import { FrameType, readFrameHeader } from '../../../src/transport/grpc-js/frames.js';
import {
  callBlock,
  headers,
  lastMessage,
  preface,
  settings,
  settingsAck,
} from '../../grpc/support/http2-frames.js';
import { until } from './waiting.js';

interface Frame {
  type: number;
  flags: number;
  stream: number;
  payload: Buffer;
  /** Of HEADERS: what they say. */
  fields?: Record<string, string>;
}

const DATA = 0;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;

export class FrameClient {
  readonly frames: Frame[] = [];
  /** Acknowledge the server's SETTINGS as they come? */
  acknowledging = true;
  private bytes: Buffer = Buffer.alloc(0);
  private readonly decoder = new HeaderDecoder(1_000_000);

  private constructor(readonly socket: Socket) {
    socket.on('error', () => {}).on('data', (chunk: Buffer) => this.read(chunk));
  }

  static async open(port: number): Promise<FrameClient> {
    const client = new FrameClient(connect({ port, host: '127.0.0.1', noDelay: true }));
    await until('connected', () => !client.socket.connecting);
    return client;
  }

  private read(chunk: Buffer): void {
    this.bytes = Buffer.concat([this.bytes, chunk]);
    while (this.bytes.length >= 9) {
      const header = readFrameHeader(this.bytes, 0);
      const end = 9 + header.payloadBytes;
      if (this.bytes.length < end) return;
      const stream = this.bytes.readUInt32BE(5);
      const payload = this.bytes.subarray(9, end);
      const said = header.type === FrameType.headers && { fields: this.decode(payload) };
      this.frames.push({ ...header, stream, payload, ...said });
      this.bytes = this.bytes.subarray(end);
      const isSettings = header.type === FrameType.settings && header.flags === 0;
      if (isSettings && this.acknowledging) this.say(settingsAck);
    }
  }

  private decode(block: Buffer): Record<string, string> {
    const list = this.decoder.decode(block, 0, block.length) ?? [];
    const entries = list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]!]] : []));
    return Object.fromEntries(entries) as Record<string, string>;
  }

  say(...frames: Uint8Array[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  count(type: number): number {
    return this.frames.filter((frame) => frame.type === type).length;
  }

  /** As clients of grpc-go do: no call before the server has shown itself. */
  async greet(): Promise<void> {
    this.say(preface, settings);
    await until('SETTINGS', () => this.count(FrameType.settings) > 0, 900);
  }

  echo(authority: string | number, text: string, stream = 1): Uint8Array[] {
    return [headers(callBlock('/toy.Toy/Echo', authority), stream), lastMessage(text, stream)];
  }

  /** The message that came on `stream`, once it has; or how the stream was reset. */
  async answer(stream = 1): Promise<string> {
    const ends = (frame: Frame): boolean =>
      frame.stream === stream && (frame.type === DATA || frame.type === RST_STREAM);
    await until('an answer', () => this.frames.some(ends) || this.socket.closed);
    const last = this.frames.find(ends);
    if (last === undefined) return '(closed)';
    if (last.type === RST_STREAM) return `(reset ${last.payload.readUInt32BE(0)})`;
    return last.payload.subarray(5).toString('latin1');
  }

  /** How `stream` ended, once it has: what its last headers say. */
  async trailers(stream = 1): Promise<Record<string, string>> {
    const ends = (frame: Frame): boolean =>
      frame.stream === stream && frame.type === FrameType.headers && (frame.flags & 1) !== 0;
    await until('trailers', () => this.frames.some(ends) || this.socket.closed);
    return this.frames.find(ends)?.fields ?? {};
  }

  /** The code by which `stream` was reset, once it has been. */
  async reset(stream = 1): Promise<number> {
    const resets = (frame: Frame): boolean => frame.stream === stream && frame.type === RST_STREAM;
    await until('a reset', () => this.frames.some(resets) || this.socket.closed);
    return this.frames.find(resets)?.payload.readUInt32BE(0) ?? -1;
  }

  /** Code and text of the last GOAWAY, once the connection is closed. */
  async sentAway(): Promise<string> {
    await until('the end of the connection', () => this.socket.closed, 20_000);
    const last = this.frames.findLast(({ type }) => type === GOAWAY);
    if (last === undefined) return '(closed)';
    return `${last.payload.readUInt32BE(4)} ${last.payload.toString('utf8', 8)}`;
  }

  async pong(): Promise<void> {
    await until('the answer to a ping', () => this.count(PING) > 0);
  }

  close(): void {
    this.socket.destroy();
  }
}
