/** What all gRPC calls on the lean transport have in common. */
import { randomUUID } from 'node:crypto';
import { Code, EtcdError, etcdError, InvariantError, statusError } from '../../api/index.js';
import {
  CommonField,
  compress,
  decompress,
  encodeStatusText,
  type ErrorCode,
  fieldOf,
  type FieldList,
  GZIP,
  type OutgoingField,
  parseTimeout,
  type RequestHead,
  Stream,
} from '../../grpc/index.js';
import type { CallContext, Method } from '../../server/rpc.js';
import type { Caller, CallRoom } from './call-room.js';

const status200 = new CommonField(':status', '200');
export const grpcType = new CommonField('content-type', 'application/grpc');
const gzipEncoding = new CommonField('grpc-encoding', GZIP);
const statusOk = new CommonField('grpc-status', '0');
const noText = new CommonField('grpc-message', '');

const ANSWER: readonly OutgoingField[] = [status200, grpcType];
const GZIP_ANSWER: readonly OutgoingField[] = [status200, grpcType, gzipEncoding];
const OK_TRAILERS: readonly OutgoingField[] = [statusOk, noText];

const BIN = '-bin';

/** The call's life: begun, read, ended by us or cancelled by the client, whichever is first. */
export abstract class Call extends Stream implements CallContext {
  cancelled = false;
  /** On the clock of `performance.now`. */
  deadlineMs = Infinity;
  /** Ended for the service; its answer may still be on its way. */
  protected over = false;
  private begun = false;
  private answering = false;
  private cancelActions: (() => void)[] | undefined;
  /** Does the client compress, and so take answers that are? */
  private readonly gzip: boolean;

  constructor(
    protected readonly room: CallRoom,
    protected readonly caller: Caller,
    protected readonly head: RequestHead,
    private readonly fields: FieldList,
  ) {
    super();
    this.announcedBytes = head.contentLength;
    this.gzip = head.encoding === GZIP;
  }

  // What comes.

  override headers(_: FieldList, ended: boolean): void {
    if (!this.begun) this.begin(ended);
    else if (!this.over) this.halfClosed(); // trailers, which say nothing to anybody
  }

  private begin(ended: boolean): void {
    this.begun = true;
    this.room.running++;
    const refusal = this.refusal();
    if (refusal !== undefined) return this.finish(refusal);
    this.opened();
    if (ended && !this.over) this.halfClosed();
  }

  private refusal(): EtcdError | undefined {
    const { timeout, encoding } = this.head;
    if (this.room.closing) return etcdError('stopped');
    if (encoding !== undefined && encoding !== GZIP && encoding !== 'identity') {
      return statusError(
        Code.unimplemented,
        `grpc: Decompressor is not installed for grpc-encoding "${encoding}"`,
      );
    }
    return timeout === undefined ? undefined : this.setDeadline(timeout);
  }

  private setDeadline(timeout: string): EtcdError | undefined {
    const timeoutMs = parseTimeout(timeout);
    if (timeoutMs === undefined) {
      return statusError(Code.internal, `malformed grpc-timeout: ${timeout}`);
    }
    this.deadlineMs = performance.now() + timeoutMs;
    this.room.deadlines.add(this);
    return undefined;
  }

  override aborted(_: ErrorCode): void {
    if (this.over) return;
    this.leave();
    this.cancel();
    this.wasCancelled();
  }

  expire(): void {
    if (this.over) return;
    this.finish(etcdError('contextDeadlineExceeded'));
    this.cancel();
    this.wasCancelled();
  }

  /** The transport is closing. */
  abstract stop(): void;
  protected abstract opened(): void;
  /** The client will send no more. */
  protected abstract halfClosed(): void;
  /** The client is gone, or its deadline has passed. */
  protected abstract wasCancelled(): void;

  // What a service may know of its caller.

  get remote(): string {
    return this.caller.remote;
  }

  get certificateName(): string | undefined {
    return this.caller.certificateName;
  }

  metadata(name: string): string | undefined {
    const value = fieldOf(this.fields, name.toLowerCase());
    if (value === undefined || !name.endsWith(BIN)) return value;
    return Buffer.from(value, 'base64').toString('latin1');
  }

  timeLeftMs(): number | undefined {
    if (this.deadlineMs === Infinity) return undefined;
    return Math.max(0, this.deadlineMs - performance.now());
  }

  onCancel(action: () => void): void {
    if (this.cancelled) action();
    else if (this.cancelActions === undefined) this.cancelActions = [action];
    else this.cancelActions.push(action);
  }

  protected cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    const actions = this.cancelActions;
    this.cancelActions = undefined;
    for (const action of actions ?? []) action();
  }

  // What goes.

  /** A message of the answer. False: wait for `drained` before more. */
  protected sendMessage(bytes: Uint8Array): boolean {
    if (!this.answering) {
      this.answering = true;
      this.sendHeaders(this.gzip ? GZIP_ANSWER : ANSWER);
    }
    return this.gzip ? this.send(1, compress(bytes)) : this.send(0, bytes);
  }

  /** Ends the call with OK, or with the status of `error`. */
  protected finish(error?: unknown): void {
    if (this.over) return;
    this.leave();
    if (error === undefined && this.answering) return this.sendTrailers(OK_TRAILERS);
    const trailers = error === undefined ? OK_TRAILERS : this.statusOf(error);
    if (this.answering) this.sendTrailers(trailers);
    else this.sendHeaders([...ANSWER, ...trailers], true);
  }

  private leave(): void {
    this.over = true;
    if (this.deadlineMs !== Infinity) this.room.deadlines.delete(this);
    this.room.running--;
    this.room.ended();
  }

  private statusOf(error: unknown): OutgoingField[] {
    if (error instanceof EtcdError) return statusFields(error.code, error.message);
    const id = randomUUID();
    const stack = error instanceof Error ? error.stack : String(error);
    const { path } = this.head;
    this.room.logger('error', 'failed to serve a call', { id, method: path, error: stack });
    if (error instanceof InvariantError) endProcess(error);
    return statusFields(Code.internal, `etcdserver: internal error ${id}`);
  }

  /** The request in a message; throws a status when there is none. */
  protected decode<Req>(method: Method, message: Buffer, compressed: boolean): Req {
    const bytes = compressed ? this.decompressed(message) : message;
    try {
      return method.decode(bytes) as Req;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const text = `grpc: error unmarshalling request: ${reason}`;
      throw statusError(Code.internal, text, { cause: error });
    }
  }

  private decompressed(message: Buffer): Buffer {
    if (this.gzip) return decompress(message, this.room.maxReceiveBytes);
    throw statusError(Code.internal, 'grpc: compressed flag set with identity or empty encoding');
  }
}

export function statusFields(code: number, text: string): OutgoingField[] {
  return [
    ['grpc-status', String(code)],
    ['grpc-message', encodeStatusText(text)],
  ];
}

/** A broken invariant ends the member: nothing up here catches it. */
function endProcess(error: InvariantError): void {
  setImmediate(() => {
    throw error;
  });
}
