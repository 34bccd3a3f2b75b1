/**
 * A connection whose inbound bytes are repaired on their way. Slower than the socket itself, which
 * Node's HTTP/2 reads and writes without JavaScript: for clients that need it only.
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { InboundRepair } from './inbound-repair.js';

export class RepairedConnection extends Duplex {
  private readonly repair: InboundRepair;

  /** Takes `socket` over; `first` was read from it, preface included. */
  constructor(
    private readonly socket: Socket,
    first: Buffer,
    ackOwed: boolean,
  ) {
    super();
    this.repair = new InboundRepair(ackOwed);
    // A reset connection ends its calls by its 'close'; the error itself says no more.
    this.on('error', () => {});
    socket.on('data', (chunk: Buffer) => this.arrived(chunk));
    socket.on('end', () => this.push(null));
    socket.on('close', () => this.destroy());
    this.arrived(first);
  }

  private arrived(chunk: Buffer): void {
    const bytes = this.repair.push(chunk);
    if (bytes.length > 0 && !this.push(bytes)) this.socket.pause();
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }
}
