/**
 * Serves {@link Method}s with @grpc/grpc-js, on connections that somebody else accepted.
 *
 * grpc-js does not count client pings: etcd's `--grpc-keepalive-min-time` is not enforced here.
 */
import type { Socket } from 'node:net';
import type { ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { Server, ServerCredentials, type ServerInterceptor } from '@grpc/grpc-js';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { assert, Code, statusError } from '../../api/index.js';
import {
  KEEP_ALIVE_INTERVAL_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  maxReceiveBytes,
  MethodTable,
  type Transport,
  type TransportOptions,
} from '../transport.js';
import type { CallRoom, GrpcJsCall } from './call.js';
import { openConnection } from './open-connection.js';
import { StreamCall } from './stream-call.js';
import { UnaryCall } from './unary-call.js';
import { UnknownMethodCall } from './unknown-call.js';

export class GrpcJsTransport implements Transport {
  private readonly server: Server;
  private readonly methods: MethodTable;
  private readonly injector: ReturnType<Server['createConnectionInjector']>;
  private readonly room: CallRoom;
  private wakeCloser: (() => void) | undefined;

  constructor(options: TransportOptions) {
    this.methods = new MethodTable(options.methods);
    this.room = {
      logger: options.logger,
      maxReceiveBytes: maxReceiveBytes(options),
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

  inject(connection: Duplex): void {
    openConnection(connection as Socket, (opened) => this.injector.injectConnection(opened));
  }

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
        return new UnknownMethodCall(
          wire,
          this.room,
          path,
          statusError(Code.unimplemented, this.methods.explain(path)),
        );
    }
  }
}

function serverOptions(
  options: TransportOptions,
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
