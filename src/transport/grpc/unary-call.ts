/** A unary call. */
import { Code, statusError } from '../../api/index.js';
import { type FieldList, MessageReader, PREFIX_BYTES, type RequestHead } from '../../grpc/index.js';
import type { UnaryMethod } from '../../server/rpc.js';
import { Call } from './call.js';
import type { Caller, CallRoom } from './call-room.js';
import { Holding } from './holding.js';

/** One request, one answer. */
export class UnaryCall extends Call {
  private asked = false;
  /** Only for a request that comes in pieces. */
  private held: Holding | undefined;

  constructor(
    room: CallRoom,
    caller: Caller,
    head: RequestHead,
    fields: FieldList,
    private readonly method: UnaryMethod,
  ) {
    super(room, caller, head, fields);
  }

  /** Running unary calls are let finish. */
  override stop(): void {}

  protected override opened(): void {}

  override data(bytes: Buffer, start: number, end: number, ended: boolean): void {
    this.use(end - start);
    if (this.asked || this.over) return;
    if (this.held === undefined && isOneMessage(bytes, start, end)) {
      this.received(bytes.subarray(start + PREFIX_BYTES, end), false);
    } else if (start < end) {
      this.gather(bytes, start, end);
    }
    if (ended && !this.asked) this.halfClosed();
  }

  private gather(bytes: Buffer, start: number, end: number): void {
    const held = (this.held ??= new Holding(
      this.caller,
      new MessageReader(this.room.maxReceiveBytes),
    ));
    const { reader } = held;
    try {
      reader.push(bytes, start, end);
      const message = reader.next();
      if (message !== undefined) this.received(message, reader.compressed);
      else held.keep();
    } catch (error) {
      this.finish(error);
    }
    if (this.asked || this.over) held.drop();
  }

  private received(message: Buffer, compressed: boolean): void {
    this.asked = true;
    try {
      const request = this.decode(this.method, message, compressed);
      const response = this.method.handle(request, this);
      if (response instanceof Promise) response.then(this.respond, this.refuse);
      else this.respond(response);
    } catch (error) {
      this.finish(error);
    }
  }

  private readonly respond = (response: unknown): void => {
    if (this.over) return;
    try {
      this.sendMessage(this.method.encode(response));
      this.finish();
    } catch (error) {
      this.finish(error);
    }
  };

  private readonly refuse = (error: unknown): void => this.finish(error);

  protected override halfClosed(): void {
    if (this.asked) return;
    const text =
      this.held === undefined ? 'grpc: the request has no message' : 'grpc: unexpected EOF';
    this.finish(statusError(Code.internal, text));
    this.held?.drop();
  }

  protected override wasCancelled(): void {
    this.held?.drop();
  }

  protected override drained(): void {}
}

/** Is the payload a whole message, not compressed, and no more? One that long is never too large. */
function isOneMessage(bytes: Buffer, start: number, end: number): boolean {
  const length = end - start - PREFIX_BYTES;
  return length >= 0 && bytes[start] === 0 && bytes.readUInt32BE(start + 1) === length;
}
