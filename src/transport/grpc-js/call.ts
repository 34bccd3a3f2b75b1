/**
 * What all gRPC calls on @grpc/grpc-js have in common. They are driven below its handler API: as an
 * interceptor that never passes the call on. That gives reads one at a time, writes whose bytes can
 * be counted, and no object stream in between.
 */
import { randomUUID } from 'node:crypto';
import { type Metadata, ServerInterceptingCall } from '@grpc/grpc-js';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { Code, EtcdError, etcdError, InvariantError } from '../../api/index.js';
import type { Logger } from '../../server/environment.js';
import type { Method } from '../../server/rpc.js';
import { GrpcJsContext } from './context.js';
import { translateStatuses } from './statuses.js';

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

/** The call's life: begun, read, ended by us or cancelled by the client, whichever is first. */
export abstract class GrpcJsCall extends ServerInterceptingCall {
  protected readonly context: GrpcJsContext;
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
    this.context = new GrpcJsContext(wire);
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

/** grpc-js copies messages with a Buffer's methods. */
export function asBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
