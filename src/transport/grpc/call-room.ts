/** What all calls of one transport share, and what all of one connection do. */
import type { FieldList, RequestHead } from '../../grpc/index.js';
import type { Logger } from '../../server/environment.js';
import type { Deadlines } from './deadlines.js';

export interface CallRoom {
  readonly logger: Logger;
  /** Bytes of the largest message taken, for the text that refuses a larger one. */
  readonly maxReceiveBytes: number;
  readonly deadlines: Deadlines;
  /** Calls that have begun and not ended. */
  running: number;
  /** True once the transport is closing: new calls are refused. */
  closing: boolean;
  /** Called each time a call has ended. */
  ended(): void;
}

/** The client at the other end of a connection. */
export interface Caller {
  /** host:port, for log lines. */
  readonly remote: string;
  /** Common name of the client certificate that the listener has verified. */
  readonly certificateName: string | undefined;
  /** What its request says; undefined: malformed. */
  headOf(fields: FieldList): RequestHead | undefined;
  /** Bytes of its messages that have come and cannot be handed on yet. */
  heldBytes: number;
}
