/**
 * The small interface between services and transports. A service lists its methods; a transport
 * carries bytes to them. Nothing here knows gRPC's framing, sockets or protobuf.
 */
import type { EtcdError } from '../api/index.js';

/** One call, as a service sees it. */
export interface CallContext {
  /** The first value of a request metadata key (lower case), or undefined. */
  metadata(name: string): string | undefined;
  /** Common name of the verified client certificate, if there is one. */
  readonly certificateName?: string;
  /** The caller's address, for log lines. */
  readonly remote: string;
  /** Milliseconds left until the caller's deadline, or undefined when it set none. */
  timeLeftMs(): number | undefined;
  /** True once the caller has gone or its deadline has passed. */
  readonly cancelled: boolean;
  /** Called once, when the call is cancelled; at once if it is already. */
  onCancel(action: () => void): void;
}

export interface UnaryMethod<Req = unknown, Res = unknown> {
  readonly kind: 'unary';
  /** `/etcdserverpb.KV/Range` */
  readonly path: string;
  /** Throws on malformed bytes (answered with Internal, as gRPC does). */
  decode(bytes: Uint8Array): Req;
  encode(response: Res): Uint8Array;
  /** Throws or rejects with {@link EtcdError} to refuse. */
  handle(request: Req, context: CallContext): Res | Promise<Res>;
}

/** Any of the streaming kinds; a server stream just gets one request and its end. */
export interface StreamMethod<Req = unknown, Res = unknown> {
  readonly kind: 'stream';
  readonly path: string;
  /** Only for descriptions; both are served alike. */
  readonly clientStreaming: boolean;
  decode(bytes: Uint8Array): Req;
  encode(response: Res): Uint8Array;
  /** Called when the stream opens. Throws {@link EtcdError} to refuse it. */
  open(out: StreamWriter<Res>, context: CallContext): StreamReader<Req>;
}

export type Method = UnaryMethod<any, any> | StreamMethod<any, any>;

/** What the client sends on a stream. */
export interface StreamReader<Req> {
  /** A returned promise holds back the next message (and, in time, the client) until it resolves. */
  message(request: Req): void | Promise<void>;
  /** The client will send no more; the stream stays open for answers. */
  halfClose(): void;
  /** The call ended early: client gone, deadline, connection lost. No answer can be sent. */
  cancel(): void;
}

/** What the service sends on a stream. Calls after the end are ignored. */
export interface StreamWriter<Res> {
  /** Returns false when the client is not keeping up: wait for onDrain before more. */
  write(response: Res): boolean;
  /** The same for bytes that are encoded already (an event is encoded once, for all its watchers). */
  writeEncoded(bytes: Uint8Array): boolean;
  /** Bytes accepted and not yet taken by the socket. */
  readonly pendingBytes: number;
  /** `action` runs each time the writer becomes able to take more after having returned false. */
  onDrain(action: () => void): void;
  /** Ends the stream, with OK or with a refusal. */
  end(error?: EtcdError): void;
}

/** The plain HTTP/1.1 requests of the client port (/health, /version, /metrics …). */
export interface HttpRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | undefined>;
}
export interface HttpReply {
  status: number;
  headers?: Record<string, string>;
  body: string | Uint8Array;
}
export type HttpHandler = (request: HttpRequest) => HttpReply | Promise<HttpReply>;

/** What a transport serves on one listening address. */
export interface Listener {
  /** The port that was bound (useful when 0 was asked for). */
  readonly port: number;
  /** Refuses new calls, lets running unary ones finish, ends streams; resolves when all is closed. */
  close(): Promise<void>;
}
