/**
 * A unary call.
 */
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { Code, EtcdError } from '../../api/index.js';
import type { UnaryMethod } from '../../server/rpc.js';
import { asBuffer, type CallRoom, GrpcJsCall } from './call.js';

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
