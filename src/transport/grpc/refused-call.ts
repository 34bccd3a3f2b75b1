/** A call that nobody serves. */
import type { EtcdError } from '../../api/index.js';
import type { FieldList, RequestHead } from '../../grpc/index.js';
import { Call } from './call.js';
import type { Caller, CallRoom } from './call-room.js';

export class RefusedCall extends Call {
  constructor(
    room: CallRoom,
    caller: Caller,
    head: RequestHead,
    fields: FieldList,
    private readonly reason: EtcdError,
  ) {
    super(room, caller, head, fields);
  }

  override stop(): void {}

  protected override opened(): void {
    this.finish(this.reason);
  }

  override data(_bytes: Buffer, start: number, end: number): void {
    this.use(end - start);
  }

  protected override halfClosed(): void {}
  protected override wasCancelled(): void {}
  protected override drained(): void {}
}
