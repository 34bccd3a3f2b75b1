/** Messages of a stream that cannot be handed on yet, counted against what its connection may hold. */
import { Code, statusError } from '../../api/index.js';
import type { MessageReader } from '../../grpc/index.js';
import type { Caller } from './call-room.js';

/** Of all streams of a connection together. */
const MOST_HELD_BYTES = 256 * 1024 * 1024;

export class Holding {
  private bytes = 0;

  constructor(
    private readonly caller: Caller,
    readonly reader: MessageReader,
  ) {}

  /** Keeps what is not read. Throws a status when the connection holds too much by now. */
  keep(): void {
    this.reader.keep();
    this.count(this.reader.heldBytes);
    if (this.caller.heldBytes <= MOST_HELD_BYTES) return;
    throw statusError(
      Code.resourceExhausted,
      'grpc: too many unfinished messages on this connection',
    );
  }

  /** Nobody wants them any more. */
  drop(): void {
    this.count(0);
  }

  private count(bytes: number): void {
    this.caller.heldBytes += bytes - this.bytes;
    this.bytes = bytes;
  }
}
