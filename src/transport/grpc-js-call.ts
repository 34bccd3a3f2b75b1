/**
 * One gRPC call on @grpc/grpc-js, driven below its handler API: as an interceptor that never passes
 * the call on. That gives reads one at a time, writes whose bytes can be counted, and no object
 * stream in between.
 */
import { randomUUID } from 'node:crypto';
import { type Metadata, ServerInterceptingCall } from '@grpc/grpc-js';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { Code, EtcdError, etcdError, InvariantError } from '../api/index.js';
import type { Logger } from '../server/environment.js';
import type { CallContext, Method, StreamMethod, StreamReader } from '../server/rpc.js';
import type { StreamWriter, UnaryMethod } from '../server/rpc.js';
import { translateStatuses } from './grpc-js-statuses.js';

/** What all calls of one transport share. */
export interface CallRoom {
  readonly logger: Logger;
  /** Bytes of the largest message taken, for the text that refuses a larger one. */
  readonly maxReceiveBytes: number;
  /** Calls that have begun and not ended. */
  readonly running: Set<GrpcJsCall>;
  /** True once the transport is closing: new calls are refused. */
  closing: boolean;
  /** Called each time a call ends. */
  ended(): void;
}

/** A stream that has this many bytes waiting for its socket asks its service to wait. */
const HIGH_WATER_BYTES = 64 * 1024;
const LOW_WATER_BYTES = HIGH_WATER_BYTES / 2;

/** The call's life: begun, read, ended by us or cancelled by the client, whichever is first. */
export abstract class GrpcJsCall extends ServerInterceptingCall {
  protected readonly context: GrpcCallContext;
  protected over = false;
  private readonly sendFinalStatus: ServerInterceptingCallInterface['sendStatus'];
  private reading = false;
  private readAgain = false;

  protected constructor(
    protected readonly wire: ServerInterceptingCallInterface,
    protected readonly room: CallRoom,
    protected readonly path: string,
  ) {
    super(wire);
    this.sendFinalStatus = translateStatuses(wire, room.maxReceiveBytes);
    this.context = new GrpcCallContext(wire);
  }

  /** grpc-js calls this with a listener of its own, which is not used. */
  override start(): void {
    this.wire.start({
      onReceiveMetadata: (metadata) => this.begin(metadata),
      onReceiveMessage: (bytes: Uint8Array) => this.receive(bytes),
      onReceiveHalfClose: () => {
        if (!this.over) this.halfClosed();
      },
      onCancel: () => this.cancel(),
    });
  }

  /** The transport is closing. */
  abstract stop(): void;
  protected abstract opened(): void;
  protected abstract received(bytes: Uint8Array): void;
  protected abstract halfClosed(): void;
  protected abstract cancelled(): void;

  private begin(metadata: Metadata): void {
    this.context.setMetadata(metadata);
    if (this.room.closing) return this.finish(etcdError('stopped'));
    this.room.running.add(this);
    this.opened();
  }

  private receive(bytes: Uint8Array): void {
    if (!this.over) this.received(bytes);
  }

  private cancel(): void {
    if (this.over) return;
    this.leave();
    this.context.cancel();
    this.cancelled();
  }

  private leave(): void {
    this.over = true;
    if (this.room.running.delete(this)) this.room.ended();
  }

  /** Ends the call with OK, or with the status of `error`. */
  protected finish(error?: unknown): void {
    if (this.over) return;
    this.leave();
    this.sendFinalStatus(error === undefined ? OK : this.statusOf(error));
  }

  private statusOf(error: unknown): { code: number; details: string } {
    if (error instanceof EtcdError) return { code: error.code, details: error.message };
    const id = randomUUID();
    const stack = error instanceof Error ? error.stack : String(error);
    this.room.logger('error', 'failed to serve a call', { id, method: this.path, error: stack });
    if (error instanceof InvariantError) endProcess(error);
    return { code: Code.internal, details: `etcdserver: internal error ${id}` };
  }

  /** Asks for the next message. grpc-js may deliver one that it has already before this returns. */
  protected read(): void {
    this.readAgain = true;
    if (this.reading) return;
    this.reading = true;
    while (this.readAgain && !this.over) {
      this.readAgain = false;
      this.wire.startRead();
    }
    this.reading = false;
  }

  protected decode<Req>(method: Method, bytes: Uint8Array): { request: Req } | undefined {
    try {
      return { request: method.decode(bytes) as Req };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const text = `grpc: error unmarshalling request: ${reason}`;
      this.finish(new EtcdError('status', Code.internal, text));
      return undefined;
    }
  }
}

/** A broken invariant ends the member: nothing up here catches it. */
function endProcess(error: InvariantError): void {
  setImmediate(() => {
    throw error;
  });
}

const OK = { code: Code.ok, details: '' };

/** One request, one answer. */
export class UnaryCall extends GrpcJsCall {
  private answered = false;

  constructor(
    wire: ServerInterceptingCallInterface,
    room: CallRoom,
    private readonly method: UnaryMethod,
  ) {
    super(wire, room, method.path);
  }

  /** Running unary calls are let finish. */
  override stop(): void {}

  protected override opened(): void {
    this.read();
  }

  protected override received(bytes: Uint8Array): void {
    if (this.answered) return;
    this.answered = true;
    const decoded = this.decode(this.method, bytes);
    if (decoded === undefined) return;
    this.handle(decoded.request);
  }

  private handle(request: unknown): void {
    try {
      const response = this.method.handle(request, this.context);
      if (response instanceof Promise) response.then(this.respond, this.refuse);
      else this.respond(response);
    } catch (error) {
      this.finish(error);
    }
  }

  private readonly respond = (response: unknown): void => {
    if (this.over) return;
    try {
      this.wire.sendMessage(asBuffer(this.method.encode(response)), () => {});
      this.finish();
    } catch (error) {
      this.finish(error);
    }
  };

  private readonly refuse = (error: unknown): void => this.finish(error);

  protected override halfClosed(): void {
    if (!this.answered) {
      this.finish(new EtcdError('status', Code.internal, 'grpc: the request has no message'));
    }
  }

  protected override cancelled(): void {}
}

/** Any number of messages, both ways, with backpressure both ways. */
export class StreamCall extends GrpcJsCall implements StreamWriter<unknown> {
  private reader: StreamReader<unknown> | undefined;
  private readonly drainActions: (() => void)[] = [];
  private pending = 0;
  private full = false;

  constructor(
    wire: ServerInterceptingCallInterface,
    room: CallRoom,
    private readonly method: StreamMethod,
  ) {
    super(wire, room, method.path);
  }

  override stop(): void {
    this.fail(etcdError('stopped'));
  }

  protected override opened(): void {
    try {
      this.reader = this.method.open(this, this.context);
      this.read();
    } catch (error) {
      this.finish(error);
    }
  }

  protected override received(bytes: Uint8Array): void {
    const decoded = this.decode(this.method, bytes);
    if (decoded === undefined) return;
    try {
      const taken = this.reader?.message(decoded.request);
      if (taken instanceof Promise) taken.then(this.readNext, this.fail);
      else this.read();
    } catch (error) {
      this.fail(error);
    }
  }

  private readonly readNext = (): void => {
    if (!this.over) this.read();
  };

  /** Ends the call from this side: the client gets a status, and the service hears that it is over. */
  private readonly fail = (error: unknown): void => {
    if (this.over) return;
    this.finish(error);
    this.context.cancel();
    this.reader?.cancel();
  };

  protected override halfClosed(): void {
    try {
      this.reader?.halfClose();
    } catch (error) {
      this.fail(error);
    }
  }

  protected override cancelled(): void {
    this.pending = 0;
    this.reader?.cancel();
  }

  get pendingBytes(): number {
    return this.pending;
  }

  write(response: unknown): boolean {
    return !this.over && this.writeEncoded(this.method.encode(response));
  }

  writeEncoded(bytes: Uint8Array): boolean {
    if (this.over) return false;
    this.pending += bytes.length;
    this.wire.sendMessage(asBuffer(bytes), () => this.taken(bytes.length));
    this.full ||= this.pending >= HIGH_WATER_BYTES;
    return !this.full;
  }

  private taken(bytes: number): void {
    this.pending = Math.max(0, this.pending - bytes);
    if (!this.full || this.over || this.pending > LOW_WATER_BYTES) return;
    this.full = false;
    for (const action of this.drainActions) action();
  }

  onDrain(action: () => void): void {
    this.drainActions.push(action);
  }

  end(error?: EtcdError): void {
    this.finish(error);
  }
}

/** A call of a method that no service has. */
export class UnknownMethodCall extends GrpcJsCall {
  constructor(
    wire: ServerInterceptingCallInterface,
    room: CallRoom,
    path: string,
    private readonly refusal: EtcdError,
  ) {
    super(wire, room, path);
  }

  override stop(): void {}

  protected override opened(): void {
    this.finish(this.refusal);
  }

  protected override received(): void {}
  protected override halfClosed(): void {}
  protected override cancelled(): void {}
}

/** grpc-js copies messages with a Buffer's methods. */
function asBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

class GrpcCallContext implements CallContext {
  cancelled = false;
  readonly remote: string;
  private requestMetadata: Metadata | undefined;
  private cancelActions: (() => void)[] = [];

  constructor(private readonly wire: ServerInterceptingCallInterface) {
    this.remote = wire.getPeer();
  }

  setMetadata(metadata: Metadata): void {
    this.requestMetadata = metadata;
  }

  metadata(name: string): string | undefined {
    return this.requestMetadata?.get(name)[0]?.toString();
  }

  /** Only a certificate that the listener has verified appears here. */
  get certificateName(): string | undefined {
    const name: unknown = this.wire.getAuthContext().sslPeerCertificate?.subject.CN;
    return typeof name === 'string' ? name : undefined;
  }

  timeLeftMs(): number | undefined {
    const deadline = Number(this.wire.getDeadline());
    return deadline === Infinity ? undefined : Math.max(0, deadline - Date.now());
  }

  onCancel(action: () => void): void {
    if (this.cancelled) action();
    else this.cancelActions.push(action);
  }

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    const actions = this.cancelActions;
    this.cancelActions = [];
    for (const action of actions) action();
  }
}
