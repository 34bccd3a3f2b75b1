/**
 * The client port: HTTP/2 and HTTP/1.1 on one address, told apart by a connection's first bytes.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { Server as HttpServer } from 'node:http';
import type { HttpHandler, Listener } from '../server/rpc.js';
import { createHttp1Server, createPlainHttp, type PlainHttp } from './client-http.js';
import { GrpcTransport } from './grpc/transport.js';
import { listen } from './listen.js';
import { parseListenUrl, requireCertificate } from './listen-address.js';
import { sniffProtocol } from './protocol-sniffer.js';
import { refuseMalformedRequests, type TlsCredentials, TlsGate } from './tls/index.js';
import type { Transport, TransportOptions } from './transport.js';

/** Who speaks HTTP/2 to clients: we ourselves, or @grpc/grpc-js, to compare with. */
export type TransportName = 'http2' | 'grpc-js';

export interface ClientPortOptions extends TransportOptions {
  /** `http://127.0.0.1:2379`, `http://[::1]:0`, `unix://member.sock`. */
  readonly url: string;
  readonly http: HttpHandler;
  /** For an https or unixs URL. */
  readonly tls?: TlsCredentials;
  /** http2 by default. */
  readonly transport?: TransportName;
  /** Origins that browsers may call from; all by default. */
  readonly corsOrigins?: readonly string[];
  /** How long a new connection may take to show its protocol, 10 s by default. */
  readonly firstBytesTimeoutMs?: number;
  /** How long `close` waits for what is running, 5 s by default. */
  readonly closeTimeoutMs?: number;
}

const FIRST_BYTES_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 5_000;
/** Lets final statuses and GOAWAY reach the client before its connection goes. */
const LINGER_MS = 250;

/**
 * Listens and serves. Rejects with one line in etcd's words when the address is taken or wrong.
 */
export async function listenClientPort(options: ClientPortOptions): Promise<Listener> {
  const address = parseListenUrl(options.url);
  requireCertificate(address, options.url, options.tls);
  const http = createPlainHttp({
    handler: options.http,
    corsOrigins: options.corsOrigins ?? ['*'],
    logger: options.logger,
  });
  const tls = address.secure ? options.tls : undefined;
  const port = new ClientPort(options, tls, http, await openTransport(options, http));
  await port.listen(address);
  return port;
}

async function openTransport(options: ClientPortOptions, http: PlainHttp): Promise<Transport> {
  if (options.transport !== 'grpc-js') {
    const handshakeTimeoutMs = options.firstBytesTimeoutMs ?? FIRST_BYTES_TIMEOUT_MS;
    return new GrpcTransport({ ...options, http, handshakeTimeoutMs });
  }
  const { GrpcJsTransport } = await import('./grpc-js/transport.js');
  return new GrpcJsTransport(options);
}

class ClientPort implements Listener {
  port = 0;
  private readonly server: Server;
  private readonly httpServer: HttpServer;
  private readonly gate: TlsGate | undefined;
  private readonly sockets = new Set<Socket>();
  private closed: Promise<void> | undefined;

  constructor(
    private readonly options: ClientPortOptions,
    tls: TlsCredentials | undefined,
    http: PlainHttp,
    private readonly grpc: Transport,
  ) {
    const { logger } = options;
    this.httpServer = createHttp1Server(http);
    refuseMalformedRequests(this.httpServer, 'client', logger);
    const secured = (socket: Socket): void => this.serve(socket);
    this.gate =
      tls && new TlsGate({ credentials: tls, endpoint: 'client', http2: true, logger, secured });
    this.server = createServer({ noDelay: true }, (socket) => this.accept(socket));
  }

  async listen(address: ReturnType<typeof parseListenUrl>): Promise<void> {
    try {
      this.port = await listen(this.server, address);
    } catch (error) {
      this.httpServer.close();
      this.grpc.destroy();
      throw error;
    }
  }

  private accept(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    // A reset connection ends its calls by its 'close'; the error itself says no more.
    socket.on('error', () => {});
    if (this.gate === undefined) this.serve(socket);
    else this.gate.accept(socket);
  }

  /** Of a socket that speaks plainly, or by now does. */
  private serve(socket: Socket): void {
    const timeoutMs = this.options.firstBytesTimeoutMs ?? FIRST_BYTES_TIMEOUT_MS;
    sniffProtocol(socket, timeoutMs, (protocol) => {
      if (protocol === 'http2') this.grpc.inject(socket);
      else this.httpServer.emit('connection', socket);
    });
  }

  close(): Promise<void> {
    this.closed ??= this.closeAll();
    return this.closed;
  }

  private async closeAll(): Promise<void> {
    const stopped = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.httpServer.close();
    const finished = this.grpc.close();
    await withinMs(finished, this.options.closeTimeoutMs ?? CLOSE_TIMEOUT_MS);
    await withinMs(stopped, LINGER_MS);
    this.grpc.destroy();
    this.httpServer.closeAllConnections();
    for (const socket of this.sockets) socket.destroy();
    await stopped;
  }
}

/** Resolves with `work`, or without it when the time is over. */
async function withinMs(work: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
