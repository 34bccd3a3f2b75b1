/** A streaming call of any kind. */
import { Code, type EtcdError, etcdError, statusError } from '../../api/index.js';
import { type FieldList, MessageReader, type RequestHead } from '../../grpc/index.js';
import type { StreamMethod, StreamReader, StreamWriter } from '../../server/rpc.js';
import { Call } from './call.js';
import type { Caller, CallRoom } from './call-room.js';
import { Holding } from './holding.js';

/** Any number of messages, both ways, with backpressure both ways. */
export class StreamCall extends Call implements StreamWriter<unknown> {
  private service: StreamReader<unknown> | undefined;
  private readonly held: Holding;
  private readonly drainActions: (() => void)[] = [];
  /** The service is not done with the last message. */
  private busy = false;
  private delivering = false;
  private endSeen = false;
  /** Received, and the client not yet told that it may send so much more. */
  private uncreditedBytes = 0;

  constructor(
    room: CallRoom,
    caller: Caller,
    head: RequestHead,
    fields: FieldList,
    private readonly method: StreamMethod,
  ) {
    super(room, caller, head, fields);
    this.held = new Holding(caller, new MessageReader(room.maxReceiveBytes));
  }

  override stop(): void {
    this.fail(etcdError('stopped'));
  }

  protected override opened(): void {
    try {
      this.service = this.method.open(this, this);
    } catch (error) {
      this.finish(error);
    }
  }

  override data(bytes: Buffer, start: number, end: number, ended: boolean): void {
    if (this.over) return this.use(end - start);
    this.uncreditedBytes += end - start;
    this.endSeen = ended;
    this.held.reader.push(bytes, start, end);
    this.deliver();
  }

  /** Hands on messages until one has to be waited for, and gives credit for what is not held back. */
  private deliver(): void {
    if (this.delivering) return;
    this.delivering = true;
    try {
      this.deliverAll();
      this.held.keep();
    } catch (error) {
      this.fail(error);
    }
    this.delivering = false;
    if (this.over) this.held.drop();
    this.credit();
    if (this.endSeen && !this.busy && !this.over) this.ended();
  }

  private deliverAll(): void {
    const { reader } = this.held;
    while (!this.busy && !this.over) {
      const message = reader.next();
      if (message === undefined) return;
      this.handOn(this.decode(this.method, message, reader.compressed));
    }
  }

  private handOn(request: unknown): void {
    const taken = this.service?.message(request);
    if (!(taken instanceof Promise)) return;
    this.busy = true;
    taken.then(this.deliverNext, this.fail);
  }

  private readonly deliverNext = (): void => {
    this.busy = false;
    if (!this.over) this.deliver();
  };

  /** A message that is not whole yet is no reason to hold the client back. */
  private credit(): void {
    const kept = this.busy ? this.held.reader.heldBytes : 0;
    const count = Math.max(0, this.uncreditedBytes - kept);
    this.uncreditedBytes -= count;
    this.use(count);
  }

  private ended(): void {
    this.endSeen = false;
    if (this.held.reader.heldBytes > 0) {
      return this.fail(statusError(Code.internal, 'grpc: unexpected EOF'));
    }
    this.halfClosed();
  }

  /** Ends the call from this side: the client gets a status, and the service hears that it is over. */
  private readonly fail = (error: unknown): void => {
    if (this.over) return;
    this.finish(error);
    this.cancel();
    this.wasCancelled();
  };

  protected override halfClosed(): void {
    try {
      this.service?.halfClose();
    } catch (error) {
      this.fail(error);
    }
  }

  protected override wasCancelled(): void {
    this.held.drop();
    this.service?.cancel();
  }

  write(response: unknown): boolean {
    return !this.over && this.writeEncoded(this.method.encode(response));
  }

  writeEncoded(bytes: Uint8Array): boolean {
    return !this.over && this.sendMessage(bytes);
  }

  onDrain(action: () => void): void {
    this.drainActions.push(action);
  }

  protected override drained(): void {
    if (this.over) return;
    for (const action of this.drainActions) action();
  }

  end(error?: EtcdError): void {
    this.finish(error);
    this.held.drop();
  }
}
