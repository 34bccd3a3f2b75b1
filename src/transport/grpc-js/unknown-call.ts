/**
 * A call that nobody serves.
 */
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { EtcdError } from '../../api/index.js';
import { type CallRoom, GrpcJsCall } from './call.js';

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
