/** One stream: what a call is on the wire. */
import type { Connection } from './connection.js';
import type { FieldList } from './header-decoder.js';
import type { OutgoingField } from './header-encoder.js';
import type { ErrorCode } from './frames.js';

/** Bytes of a gRPC message's prefix: a flag and a length. */
export const PREFIX_BYTES = 5;

/** No prefix: bytes that are sent as they are. */
export const BARE = -1;

/** Something that waits for windows to open. */
export interface Piece {
  readonly bytes: Uint8Array;
  /** The flag of the gRPC prefix that goes before `bytes`, or {@link BARE}. */
  readonly prefix: number;
  /** Ends this side of the stream. */
  readonly end: boolean;
}

/** With so many bytes waiting a stream asks its writer to wait. */
const HIGH_WATER_BYTES = 64 * 1024;
const LOW_WATER_BYTES = HIGH_WATER_BYTES / 2;

export abstract class Stream {
  /** 0 until it is opened. */
  id = 0;
  connection!: Connection;
  /** How much we may send, and the other side may still send; the first may be negative. */
  sendWindow = 0;
  receiveWindow = 0;
  /** Received bytes that we have used and not said so yet. */
  usedBytes = 0;
  /** No more comes from there; nothing more goes from here. */
  remoteEnded = false;
  localEnded = false;
  /** Over for both sides: not in the connection's table any more. */
  closed = false;
  /** What the other side has announced as content-length and not sent yet; -1: nothing announced. */
  announcedBytes = -1;

  /** What waits, how much of the first is sent, and what ends the stream behind it all. */
  readonly pieces: Piece[] = [];
  sentOfFirst = 0;
  trailers: readonly OutgoingField[] | undefined;
  /** Bytes that wait. */
  pendingBytes = 0;
  private full = false;

  /** The other side's header block: what opens a stream, its answer, or trailers. */
  abstract headers(fields: FieldList, ended: boolean): void;
  /** bytes[start, end) are the stream's during the call only; tell `use` when they are used. */
  abstract data(bytes: Buffer, start: number, end: number, ended: boolean): void;
  /** It was reset by the other side, or its connection is gone. Called once at most. */
  abstract aborted(code: ErrorCode): void;
  /** There is room again after {@link Stream.send} has returned false. */
  protected abstract drained(): void;

  /** Header fields, at once; an end only if nothing waits. */
  protected sendHeaders(fields: readonly OutgoingField[], end = false): void {
    this.connection.sendHeaders(this, fields, end);
  }

  /** Sends bytes when windows allow it. False: wait for `drained` before more. */
  protected send(prefix: number, bytes: Uint8Array, end = false): boolean {
    this.connection.send(this, prefix, bytes, end);
    this.full ||= this.pendingBytes >= HIGH_WATER_BYTES;
    return !this.full;
  }

  /** Ends this side, behind all that waits, and says no more. */
  protected sendEnd(): void {
    this.connection.send(this, BARE, NOTHING, true);
  }

  /** Ends this side, behind all that waits. */
  protected sendTrailers(fields: readonly OutgoingField[]): void {
    this.connection.sendTrailers(this, fields);
  }

  protected reset(code: ErrorCode): void {
    this.connection.reset(this, code);
  }

  /** The other side may send `count` bytes more. */
  protected use(count: number): void {
    this.usedBytes += count;
    if (count > 0 && !this.remoteEnded) this.connection.giveCredit(this);
  }

  /** Something of what waited has been sent. */
  noteSent(): void {
    if (!this.full || this.pendingBytes > LOW_WATER_BYTES) return;
    this.full = false;
    this.drained();
  }
}

const NOTHING = new Uint8Array(0);
