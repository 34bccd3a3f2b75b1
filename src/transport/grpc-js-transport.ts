/**
 * Serves {@link Method}s with @grpc/grpc-js, on connections that somebody else accepted.
 *
 * grpc-js does not count client pings: etcd's `--grpc-keepalive-min-time` is not enforced here.
 */
import type { ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { Server, ServerCredentials, type ServerInterceptor } from '@grpc/grpc-js';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { assert, Code, EtcdError } from '../api/index.js';
import type { Logger } from '../server/environment.js';
import type { Method } from '../server/rpc.js';
import type { CallRoom, GrpcJsCall } from './grpc-js-call.js';
import { StreamCall } from './grpc-js-stream.js';
import { UnaryCall } from './grpc-js-unary.js';
import { UnknownMethodCall } from './grpc-js-unknown.js';

/** What a request's envelope may add to the largest request: etcd's allowance. */
const ENVELOPE_BYTES = 512 * 1024;
const KEEP_ALIVE_INTERVAL_MS = 2 * 60 * 60 * 1000;
const KEEP_ALIVE_TIMEOUT_MS = 20_000;

export interface GrpcJsTransportOptions {
  readonly methods: readonly Method[];
  /** The largest request that a service takes; messages may be 512 KiB larger. */
  readonly maxRequestBytes: number;
  /** Streams at a time on one connection; absent: as many as HTTP/2 can number. */
  readonly maxConcurrentStreams?: number;
  /** Pause before a quiet connection is pinged, 2 h by default. */
  readonly keepAliveIntervalMs?: number;
  /** How long a ping may go unanswered before the connection is closed, 20 s by default. */
  readonly keepAliveTimeoutMs?: number;
  readonly logger: Logger;
}

export class GrpcJsTransport {
  private readonly server: Server;
  private readonly methods: ReadonlyMap<string, Method>;
  private readonly services: ReadonlySet<string>;
  private readonly injector: ReturnType<Server['createConnectionInjector']>;
  private readonly room: CallRoom;
  private wakeCloser: (() => void) | undefined;

  constructor(options: GrpcJsTransportOptions) {
    this.methods = new Map(options.methods.map((method) => [method.path, method]));
    this.services = new Set(options.methods.map(({ path }) => path.split('/')[1]!));
    this.room = {
      logger: options.logger,
      maxReceiveBytes: options.maxRequestBytes + ENVELOPE_BYTES,
      running: new Set(),
      closing: false,
      ended: () => {
        if (this.room.running.size === 0) this.wakeCloser?.();
      },
    };
    this.server = new Server(serverOptions(options, this.room, this.intercept));
    routeAllPaths(this.server);
    surviveResetCalls(this.server);
    this.injector = this.server.createConnectionInjector(ServerCredentials.createInsecure());
  }

  /** Serves a connection whose client speaks HTTP/2; bytes put back on it are read first. */
  inject(connection: Duplex): void {
    this.injector.injectConnection(connection);
  }

  /**
   * Refuses new calls, ends streams with "etcdserver: server stopped", lets unary calls finish, and
   * tells clients to go away. Resolves when no call is left; connections may still be open.
   */
  async close(): Promise<void> {
    this.room.closing = true;
    const { running } = this.room;
    for (const call of running) call.stop();
    this.server.tryShutdown(() => {});
    if (running.size > 0) {
      await new Promise<void>((resolve) => {
        this.wakeCloser = resolve;
      });
    }
  }

  /** Closes all connections at once. */
  destroy(): void {
    this.room.closing = true;
    this.server.forceShutdown();
  }

  private readonly intercept: ServerInterceptor = (descriptor, wire) =>
    this.callOf(descriptor.path, wire);

  private callOf(path: string, wire: ServerInterceptingCallInterface): GrpcJsCall {
    const method = this.methods.get(path);
    switch (method?.kind) {
      case 'unary':
        return new UnaryCall(wire, this.room, method);
      case 'stream':
        return new StreamCall(wire, this.room, method);
      case undefined:
        return new UnknownMethodCall(wire, this.room, path, this.unknown(path));
    }
  }

  /** grpc-go's texts. */
  private unknown(path: string): EtcdError {
    const [, service, method] = /^\/?(.*)\/([^/]*)$/.exec(path) ?? [];
    let text = `malformed method name: "${path}"`;
    if (service !== undefined) {
      text = this.services.has(service)
        ? `unknown method ${method} for service ${service}`
        : `unknown service ${service}`;
    }
    return new EtcdError('status', Code.unimplemented, text);
  }
}

function serverOptions(
  options: GrpcJsTransportOptions,
  room: CallRoom,
  interceptor: ServerInterceptor,
): ConstructorParameters<typeof Server>[0] {
  const { maxConcurrentStreams } = options;
  return {
    'grpc.max_receive_message_length': room.maxReceiveBytes,
    'grpc.max_send_message_length': -1,
    'grpc.keepalive_time_ms': options.keepAliveIntervalMs ?? KEEP_ALIVE_INTERVAL_MS,
    'grpc.keepalive_timeout_ms': options.keepAliveTimeoutMs ?? KEEP_ALIVE_TIMEOUT_MS,
    'grpc.enable_channelz': 0,
    ...(maxConcurrentStreams !== undefined && {
      'grpc.max_concurrent_streams': maxConcurrentStreams,
    }),
    interceptors: [interceptor],
  };
}

const identity = (bytes: Buffer): Buffer => bytes;

/** Has a handler for every path; none is ever run, because the interceptor keeps the call. */
class EveryPath extends Map<string, unknown> {
  override get(path: string): unknown {
    return { func: () => {}, serialize: identity, deserialize: identity, type: 'bidi', path };
  }
}

/**
 * grpc-js looks a path up in a map of its own and answers what is missing in words that are not
 * etcd's, with no hook for others; so every path is made to lead to the interceptor. The version is
 * pinned in package.json, and a test would tell.
 */
function routeAllPaths(server: Server): void {
  assert(
    Reflect.get(server, 'handlers') instanceof Map,
    () => 'grpc-js keeps its handlers elsewhere',
  );
  Reflect.set(server, 'handlers', new EveryPath());
}

/**
 * A call without gRPC's content type is answered 415 by grpc-js, which throws, uncaught, when the client
 * has already reset the stream. Such a call needs no answer.
 */
function surviveResetCalls(server: Server): void {
  const verify: unknown = Reflect.get(server, '_verifyContentType');
  assert(typeof verify === 'function', () => 'grpc-js verifies the content type elsewhere');
  const verifyUnlessReset = (stream: ServerHttp2Stream, headers: unknown): boolean => {
    if (stream.destroyed || stream.closed) return false;
    return Reflect.apply(verify as () => boolean, server, [stream, headers] as never[]);
  };
  Reflect.set(server, '_verifyContentType', verifyUnlessReset);
}
