/**
 * The client port: gRPC and plain HTTP/1.1 on one address, told apart by a connection's first bytes.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { Server as HttpServer } from 'node:http';
import type { HttpHandler, Listener } from '../server/rpc.js';
import { createClientHttpServer } from './client-http.js';
import { GrpcJsTransport, type GrpcJsTransportOptions } from './grpc-js-transport.js';
import { openConnection } from './http2/open-connection.js';
import { listen } from './listen.js';
import { parseListenUrl, requireCertificate } from './listen-address.js';
import { sniffProtocol } from './protocol-sniffer.js';
import { type TlsCredentials, TlsGate, refuseMalformedRequests } from './tls/index.js';

export interface ClientPortOptions extends GrpcJsTransportOptions {
  /** `http://127.0.0.1:2379`, `http://[::1]:0`, `unix://member.sock`. */
  readonly url: string;
  readonly http: HttpHandler;
  /** For an https or unixs URL. */
  readonly tls?: TlsCredentials;
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
  const port = new ClientPort(options, address.secure ? options.tls : undefined);
  await port.listen(address);
  return port;
}

class ClientPort implements Listener {
  port = 0;
  private readonly server: Server;
  private readonly httpServer: HttpServer;
  private readonly grpc: GrpcJsTransport;
  private readonly gate: TlsGate | undefined;
  private readonly sockets = new Set<Socket>();
  private closed: Promise<void> | undefined;

  constructor(
    private readonly options: ClientPortOptions,
    tls: TlsCredentials | undefined,
  ) {
    const { logger } = options;
    this.grpc = new GrpcJsTransport(options);
    this.httpServer = createClientHttpServer({
      handler: options.http,
      corsOrigins: options.corsOrigins ?? ['*'],
      logger,
    });
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
      if (protocol === 'http2')
        openConnection(socket, (connection) => this.grpc.inject(connection));
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
