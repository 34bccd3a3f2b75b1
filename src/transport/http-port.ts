/**
 * A port that speaks HTTP/1.1 only, with TLS or without: the peers' and the probes'.
 */
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import type { Logger } from '../server/environment.js';
import { listen } from './listen.js';
import { hostAndPort, type ListenAddress } from './listen-address.js';
import { refuseMalformedRequests, type TlsCredentials, TlsGate } from './tls/index.js';

export interface HttpPortOptions {
  /** Is fed connections by `emit('connection', socket)`, and never listens itself. */
  readonly http: HttpServer;
  /** What the port is for, as the log calls it. */
  readonly endpoint: 'client' | 'peer';
  readonly tls: TlsCredentials | undefined;
  readonly logger: Logger;
}

export class HttpPort {
  private readonly server: Server;
  private readonly http: HttpServer;
  private readonly gate: TlsGate | undefined;
  private readonly sockets = new Set<Socket>();

  constructor({ http, endpoint, tls, logger }: HttpPortOptions) {
    this.http = http;
    refuseMalformedRequests(http, endpoint, logger);
    const secured = (socket: Socket): void => this.serve(socket);
    this.gate = tls && new TlsGate({ credentials: tls, endpoint, http2: false, logger, secured });
    this.server = createServer({ noDelay: true }, (socket) => this.accept(socket));
  }

  /** Resolves to the URL with the port that was bound. Rejects in etcd's words. */
  async listen(address: ListenAddress, url: string): Promise<string> {
    try {
      const port = await listen(this.server, address);
      if (address.kind === 'unix') return url;
      return `${address.secure ? 'https' : 'http'}://${hostAndPort(address.host, port)}`;
    } catch (error) {
      this.http.close();
      throw error;
    }
  }

  /** Closes all connections at once. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.http.close();
    this.http.closeAllConnections();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private accept(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    // A reset connection ends its requests by its 'close'; the error itself says no more.
    socket.on('error', () => {});
    if (this.gate === undefined) this.serve(socket);
    else this.gate.accept(socket);
  }

  private serve(socket: Socket): void {
    this.http.emit('connection', socket);
  }
}
