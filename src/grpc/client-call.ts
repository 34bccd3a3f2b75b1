/** A call from the client's side: requests go out, answers are taken one by one. */
import { Code, type EtcdError, etcdError, statusError } from '../api/index.js';
import { acceptsGzip, decompress, GZIP } from './compression.js';
import type { ClientConnection } from './http2/client-connection.js';
import { ErrorCode } from './http2/frames.js';
import type { FieldList } from './http2/header-decoder.js';
import { CommonField, type OutgoingField } from './http2/header-encoder.js';
import { Stream } from './http2/stream.js';
import { MessageReader } from './message-reader.js';
import { fieldOf } from './request-head.js';
import { decodeStatusText } from './status-text.js';
import { formatTimeout } from './timeout.js';

export interface ClientCallOptions {
  readonly path: string;
  /** What the server is called. */
  readonly authority: string;
  readonly secure: boolean;
  /** Request metadata: names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
  /** On the clock of `Date.now`, or Infinity. */
  readonly deadlineMs: number;
  readonly maxReceiveBytes: number;
}

const common = [
  new CommonField(':method', 'POST'),
  new CommonField('content-type', 'application/grpc'),
  new CommonField('te', 'trailers'),
  new CommonField('grpc-accept-encoding', 'identity,gzip'),
  new CommonField('user-agent', 'grpc-kvorum'),
] as const;
const http = new CommonField(':scheme', 'http');
const https = new CommonField(':scheme', 'https');

/** Paths and authorities come again and again, and there are few of them. */
const seldomNew = new Map<string, CommonField>();
const MOST_KEPT = 100;

function keptField(name: string, value: string): OutgoingField {
  const key = `${name} ${value}`;
  const known = seldomNew.get(key);
  if (known !== undefined || seldomNew.size >= MOST_KEPT) return known ?? [name, value];
  const made = new CommonField(name, value);
  seldomNew.set(key, made);
  return made;
}

/** The status of a stream that was reset. */
const resetCodes: Partial<Record<ErrorCode, Code>> = {
  [ErrorCode.refusedStream]: Code.unavailable,
  [ErrorCode.connectError]: Code.unavailable,
  [ErrorCode.cancel]: Code.canceled,
  [ErrorCode.enhanceYourCalm]: Code.resourceExhausted,
  [ErrorCode.inadequateSecurity]: Code.permissionDenied,
};

/** The status of an answer that is no gRPC. */
const httpCodes: Record<string, Code> = {
  '400': Code.internal,
  '401': Code.unauthenticated,
  '403': Code.permissionDenied,
  '404': Code.unimplemented,
  '429': Code.unavailable,
  '502': Code.unavailable,
  '503': Code.unavailable,
  '504': Code.unavailable,
};

/** Longest delay that setTimeout takes. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export class ClientCall extends Stream {
  /** Resolves when the call is over, however it ended. */
  readonly ended: Promise<void>;
  private readonly reader: MessageReader;
  private gzip = false;
  /** Set once it is over; undefined inside: it ended well. */
  private outcome: { error: EtcdError | undefined } | undefined;
  private begun = false;
  private readonly early: (() => void)[] = [];
  private wake: (() => void) | undefined;
  private settle!: () => void;
  private timer: NodeJS.Timeout | undefined;
  private uncreditedBytes = 0;

  /** Begins at once, or when the server has room. */
  constructor(
    private readonly link: ClientConnection,
    private readonly options: ClientCallOptions,
  ) {
    super();
    this.reader = new MessageReader(options.maxReceiveBytes);
    this.ended = new Promise((resolve) => {
      this.settle = resolve;
    });
    const leftMs = options.deadlineMs - Date.now();
    if (leftMs < LONGEST_TIMEOUT_MS) this.timer = setTimeout(() => this.expire(), leftMs);
    link.open(this, this.requestFields(leftMs), () => {
      this.begun = true;
      for (const action of this.early.splice(0)) action();
    });
  }

  private requestFields(leftMs: number): readonly OutgoingField[] {
    const { path, authority, secure, metadata } = this.options;
    const [method, ...others] = common;
    return [
      method,
      secure ? https : http,
      keptField(':path', path),
      keptField(':authority', authority),
      ...others,
      ...(leftMs === Infinity ? [] : [['grpc-timeout', formatTimeout(leftMs)] as const]),
      ...Object.entries(metadata),
    ];
  }

  /** Sends a request; the last one of the call if `end`. */
  write(message: Uint8Array, end = false): void {
    this.soon(() => this.send(0, message, end));
  }

  /** No more requests will come. */
  endRequests(): void {
    this.soon(() => this.sendEnd());
  }

  private soon(action: () => void): void {
    if (this.outcome !== undefined) return;
    if (this.begun) action();
    else this.early.push(action);
  }

  /** Ends the call; who waits for an answer gets the status Canceled. */
  cancel(): void {
    this.give(etcdError('contextCanceled'));
  }

  /** The next answer, or undefined when there are no more. Throws the status that the call ended with. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const message = this.take();
      if (message !== undefined) return message;
      if (this.outcome?.error !== undefined) throw this.outcome.error;
      if (this.outcome !== undefined) return undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private take(): Uint8Array | undefined {
    try {
      const message = this.reader.next();
      this.credit();
      if (message === undefined || !this.reader.compressed) return message;
      if (this.gzip) return decompress(message, this.options.maxReceiveBytes);
      throw statusError(Code.internal, 'grpc: an answer is compressed in an unknown way');
    } catch (error) {
      this.give(error as EtcdError);
      throw error;
    }
  }

  /** An answer that is not whole yet is no reason to hold the server back; answers that wait are. */
  private credit(): void {
    const count = Math.max(0, this.uncreditedBytes - this.reader.heldBytes);
    this.uncreditedBytes -= count;
    this.use(count);
  }

  private expire(): void {
    const { deadlineMs } = this.options;
    if (Date.now() >= deadlineMs) return this.give(etcdError('contextDeadlineExceeded'));
    this.timer = setTimeout(() => this.expire(), Math.max(1, deadlineMs - Date.now()));
  }

  /** Ends the call from this side. */
  private give(error: EtcdError): void {
    if (this.outcome !== undefined) return;
    if (this.begun) this.reset(ErrorCode.cancel);
    else this.link.forget(this);
    this.finish(error);
  }

  private finish(error: EtcdError | undefined): void {
    if (this.outcome !== undefined) return;
    this.outcome = { error };
    clearTimeout(this.timer);
    this.settle();
    this.wakeReader();
  }

  private wakeReader(): void {
    this.wake?.();
    this.wake = undefined;
  }

  override headers(fields: FieldList, ended: boolean): void {
    const encoding = fieldOf(fields, 'grpc-encoding');
    if (encoding !== undefined) this.gzip = acceptsGzip(encoding) && encoding === GZIP;
    const status = fieldOf(fields, ':status');
    if (status !== undefined && status !== '200' && !status.startsWith('1')) {
      return this.refusedByHttp(status, fields);
    }
    if (ended) this.trailed(fields);
  }

  private refusedByHttp(status: string, fields: FieldList): void {
    if (fieldOf(fields, 'grpc-status') !== undefined) return this.trailed(fields);
    const text = `unexpected HTTP status code received from server: ${status}`;
    this.give(statusError(httpCodes[status] ?? Code.unknown, text));
  }

  private trailed(fields: FieldList): void {
    const code = Number(fieldOf(fields, 'grpc-status') ?? Code.unknown);
    const text = decodeStatusText(fieldOf(fields, 'grpc-message') ?? '');
    this.finish(code === Code.ok ? undefined : statusError(code as Code, text));
    // Over before all requests were sent: the server wants no more.
    if (!this.localEnded) this.reset(ErrorCode.cancel);
  }

  override data(bytes: Buffer, start: number, end: number, ended: boolean): void {
    this.uncreditedBytes += end - start;
    this.reader.push(bytes, start, end);
    this.reader.keep();
    if (!this.reader.hasMessage()) {
      this.use(this.uncreditedBytes);
      this.uncreditedBytes = 0;
    }
    this.wakeReader();
    if (ended)
      this.give(statusError(Code.internal, 'server closed the stream without sending trailers'));
  }

  override aborted(code: ErrorCode): void {
    const text =
      code === ErrorCode.connectError
        ? 'the connection to the server was lost'
        : `stream terminated by RST_STREAM with error code: ${code}`;
    this.finish(statusError(resetCodes[code] ?? Code.internal, text));
  }

  protected override drained(): void {}
}
