/** gRPC's metrics, taken at the seam between services and transports, whichever transport it is. */
import { Code, EtcdError } from '../../api/index.js';
import type {
  CallContext,
  Method,
  StreamMethod,
  StreamReader,
  StreamWriter,
  UnaryMethod,
} from '../rpc.js';
import type { MemberMetrics } from './member-metrics.js';
import type { Counter, Histogram } from './registry.js';

/** Go's names of the status codes, by number. */
const CODE_NAMES = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

/** The same methods, counted. All their series exist from the start. */
export function measured(
  methods: readonly Method[],
  metrics: MemberMetrics,
  monotonicMs: () => number,
): Method[] {
  return methods.map((method) => {
    const calls = new Calls(method, metrics, monotonicMs);
    return method.kind === 'unary' ? measuredUnary(method, calls) : measuredStream(method, calls);
  });
}

/** The counters of one method. */
class Calls {
  readonly started: Counter;
  readonly received: Counter;
  readonly sent: Counter;
  private readonly handled: readonly Counter[];
  private readonly seconds: Histogram | undefined;

  constructor(
    method: Method,
    readonly metrics: MemberMetrics,
    private readonly monotonicMs: () => number,
  ) {
    const [, service = '', name = ''] = method.path.split('/');
    const labels = [typeOf(method), service, name];
    this.started = metrics.grpcStarted.with(...labels);
    this.received = metrics.grpcReceived.with(...labels);
    this.sent = metrics.grpcSent.with(...labels);
    this.handled = CODE_NAMES.map((code) => metrics.grpcHandled.with(...labels, code));
    this.seconds = metrics.grpcSeconds?.with(...labels);
  }

  /** When a call began; 0 where nobody wants to know. */
  begin(): number {
    this.started.value++;
    return this.seconds === undefined ? 0 : this.monotonicMs();
  }

  end(code: Code, begunMs: number): void {
    this.handled[code]!.value++;
    this.seconds?.observe((this.monotonicMs() - begunMs) / 1000);
  }
}

/** A service that only streams out is given one request: `clientStreaming` tells them apart. */
function typeOf(method: Method): string {
  if (method.kind === 'unary') return 'unary';
  return method.clientStreaming ? 'bidi_stream' : 'server_stream';
}

function codeOf(error: unknown): Code {
  return error instanceof EtcdError ? error.code : Code.internal;
}

function measuredUnary(method: UnaryMethod<unknown, unknown>, calls: Calls): UnaryMethod {
  const { metrics } = calls;
  return {
    ...method,
    decode: (bytes) => {
      metrics.clientReceivedBytes.value += bytes.length;
      return method.decode(bytes);
    },
    encode: (response) => {
      const bytes = method.encode(response);
      metrics.clientSentBytes.value += bytes.length;
      return bytes;
    },
    handle: (request, context) => {
      const begunMs = calls.begin();
      calls.received.value++;
      try {
        const result = method.handle(request, context);
        if (result instanceof Promise) watchUnary(result, calls, context, begunMs);
        else answered(calls, begunMs);
        return result;
      } catch (error) {
        calls.end(codeOf(error), begunMs);
        throw error;
      }
    },
  };
}

/** Beside the way of the answer, which does not wait for it. */
function watchUnary(
  result: Promise<unknown>,
  calls: Calls,
  context: CallContext,
  begunMs: number,
): void {
  result.then(
    () => {
      if (context.cancelled) calls.end(Code.canceled, begunMs);
      else answered(calls, begunMs);
    },
    (error: unknown) => calls.end(context.cancelled ? Code.canceled : codeOf(error), begunMs),
  );
}

function answered(calls: Calls, begunMs: number): void {
  calls.sent.value++;
  calls.end(Code.ok, begunMs);
}

function measuredStream(method: StreamMethod<unknown, unknown>, calls: Calls): StreamMethod {
  const { metrics } = calls;
  return {
    ...method,
    decode: (bytes) => {
      metrics.clientReceivedBytes.value += bytes.length;
      return method.decode(bytes);
    },
    encode: (response) => {
      const bytes = method.encode(response);
      metrics.clientSentBytes.value += bytes.length;
      return bytes;
    },
    open: (out, context) => openMeasured(method, calls, out, context),
  };
}

function openMeasured(
  method: StreamMethod<unknown, unknown>,
  calls: Calls,
  out: StreamWriter<unknown>,
  context: CallContext,
): StreamReader<unknown> {
  const begunMs = calls.begin();
  let over = false;
  const end = (code: Code): void => {
    if (!over) calls.end(code, begunMs);
    over = true;
  };
  try {
    const reader = method.open(new MeasuredWriter(out, calls, end), context);
    return {
      message: (request) => {
        calls.received.value++;
        return reader.message(request);
      },
      halfClose: () => reader.halfClose(),
      cancel: () => {
        end(Code.canceled);
        reader.cancel();
      },
    };
  } catch (error) {
    end(codeOf(error));
    throw error;
  }
}

class MeasuredWriter implements StreamWriter<unknown> {
  constructor(
    private readonly out: StreamWriter<unknown>,
    private readonly calls: Calls,
    private readonly ended: (code: Code) => void,
  ) {}

  write(response: unknown): boolean {
    this.calls.sent.value++;
    return this.out.write(response);
  }

  writeEncoded(bytes: Uint8Array): boolean {
    this.calls.sent.value++;
    this.calls.metrics.clientSentBytes.value += bytes.length;
    return this.out.writeEncoded(bytes);
  }

  get pendingBytes(): number {
    return this.out.pendingBytes;
  }

  onDrain(action: () => void): void {
    this.out.onDrain(action);
  }

  end(error?: EtcdError): void {
    this.ended(error?.code ?? Code.ok);
    this.out.end(error);
  }
}
