/**
 * A streaming call of any kind.
 */
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { type EtcdError, etcdError } from '../../api/index.js';
import type { StreamMethod, StreamReader, StreamWriter } from '../../server/rpc.js';
import { asBuffer, type CallRoom, GrpcJsCall } from './call.js';

/** A stream that has this many bytes waiting for its socket asks its service to wait. */
const HIGH_WATER_BYTES = 64 * 1024;
const LOW_WATER_BYTES = HIGH_WATER_BYTES / 2;

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
    if (decoded === undefined) return this.leaveService();
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
    this.leaveService();
  };

  private leaveService(): void {
    this.context.cancel();
    this.reader?.cancel();
  }

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
    const { length } = bytes;
    this.pending += length;
    // grpc-js has its own copy: nothing here may hold another until that has left.
    this.wire.sendMessage(asBuffer(bytes), () => this.taken(length));
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
