/** The transport that members use: HTTP/2 of our own (src/grpc), with no object between it and a service. */
import type { Duplex } from 'node:stream';
import { Code, statusError } from '../../api/index.js';
import {
  ErrorCode,
  type FieldList,
  type RequestHead,
  ServerConnection,
  type Stream,
} from '../../grpc/index.js';
import type { PlainHttp } from '../client-http.js';
import {
  KEEP_ALIVE_INTERVAL_MS,
  KEEP_ALIVE_MIN_TIME_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  maxReceiveBytes,
  MethodTable,
  type Transport,
  type TransportOptions,
} from '../transport.js';
import { Call } from './call.js';
import type { Caller, CallRoom } from './call-room.js';
import { callerOf } from './caller.js';
import { Deadlines } from './deadlines.js';
import { HttpExchange } from './http-exchange.js';
import { RefusedCall } from './refused-call.js';
import { StreamCall } from './stream-call.js';
import { UnaryCall } from './unary-call.js';

export interface GrpcTransportOptions extends TransportOptions {
  /** Answers what is not gRPC. */
  readonly http: PlainHttp;
  /** How long a client may take to say its SETTINGS, 10 s by default. */
  readonly handshakeTimeoutMs?: number;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;

export class GrpcTransport implements Transport {
  private readonly methods: MethodTable;
  private readonly room: CallRoom;
  private readonly connections = new Set<ServerConnection>();
  private wakeCloser: (() => void) | undefined;

  constructor(private readonly options: GrpcTransportOptions) {
    this.methods = new MethodTable(options.methods);
    this.room = {
      logger: options.logger,
      maxReceiveBytes: maxReceiveBytes(options),
      deadlines: new Deadlines(),
      running: 0,
      closing: false,
      ended: () => {
        if (this.room.running === 0) this.wakeCloser?.();
      },
    };
  }

  inject(socket: Duplex): void {
    const { options } = this;
    const caller = callerOf(socket);
    const connection: ServerConnection = new ServerConnection(socket, {
      accept: (fields) => this.accept(caller, fields),
      maxConcurrentStreams: options.maxConcurrentStreams,
      minPingIntervalMs: options.keepAliveMinTimeMs ?? KEEP_ALIVE_MIN_TIME_MS,
      handshakeTimeoutMs: options.handshakeTimeoutMs ?? HANDSHAKE_TIMEOUT_MS,
      keepAlive: {
        intervalMs: options.keepAliveIntervalMs ?? KEEP_ALIVE_INTERVAL_MS,
        timeoutMs: options.keepAliveTimeoutMs ?? KEEP_ALIVE_TIMEOUT_MS,
      },
      closed: () => this.connections.delete(connection),
    });
    this.connections.add(connection);
    if (this.room.closing) connection.sendAway();
  }

  get openConnections(): number {
    return this.connections.size;
  }

  /** Calls that their services have not ended. */
  get runningCalls(): number {
    return this.room.running;
  }

  private accept(caller: Caller, fields: FieldList): Stream | ErrorCode {
    const head = caller.headOf(fields);
    if (head === undefined) return ErrorCode.protocolError;
    if (!isGrpc(head.contentType)) return new HttpExchange(this.options.http, head, fields);
    return this.callOf(caller, head, fields);
  }

  private callOf(caller: Caller, head: RequestHead, fields: FieldList): Call {
    const { room } = this;
    if (head.method !== 'POST') {
      const text = `Received a HEADERS frame with :method "${head.method}" which should be POST`;
      return new RefusedCall(room, caller, head, fields, statusError(Code.internal, text));
    }
    const method = this.methods.get(head.path);
    switch (method?.kind) {
      case 'unary':
        return new UnaryCall(room, caller, head, fields, method);
      case 'stream':
        return new StreamCall(room, caller, head, fields, method);
      case undefined: {
        const unknown = statusError(Code.unimplemented, this.methods.explain(head.path));
        return new RefusedCall(room, caller, head, fields, unknown);
      }
    }
  }

  async close(): Promise<void> {
    this.room.closing = true;
    for (const connection of this.connections) {
      for (const stream of connection.openStreams()) if (stream instanceof Call) stream.stop();
      connection.sendAway();
    }
    if (this.room.running > 0) {
      await new Promise<void>((resolve) => {
        this.wakeCloser = resolve;
      });
    }
  }

  destroy(): void {
    this.room.closing = true;
    for (const connection of this.connections) connection.destroy();
  }
}

/** `application/grpc`, maybe with the name of a message format or parameters behind it. */
function isGrpc(contentType: string): boolean {
  return GRPC_TYPE.test(contentType);
}

const GRPC_TYPE = /^application\/grpc([+;].*)?$/i;
