/** A port behind a gate that greets, and clients of it. */
import { once } from 'node:events';
import { type AddressInfo, connect as connectPlain, createServer, type Socket } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { TlsCredentials, TlsGate, type TlsSettings } from '../../../../src/transport/tls/index.js';

export interface Meeting {
  /** What came from the server before the end; '' when it only closed. */
  greeting: string;
  error: (Error & { code?: string }) | undefined;
  socket: TLSSocket;
}

export class TlsPort {
  readonly log: string[] = [];
  readonly admitted: TLSSocket[] = [];
  private readonly server;
  private readonly sockets = new Set<Socket>();

  constructor(settings: TlsSettings) {
    const logger = (
      _level: string,
      message: string,
      fields: Record<string, unknown> = {},
    ): void => {
      this.log.push(`${message}: ${String(fields['error'])}`);
    };
    const credentials = new TlsCredentials(settings, {
      ownMustBeTrusted: false,
      logger,
      wallMs: () => Date.now(),
    });
    const gate = new TlsGate({
      credentials,
      endpoint: 'client',
      http2: true,
      logger,
      handshakeTimeoutMs: 400,
      secured: (socket) => {
        this.admitted.push(socket);
        socket.end('hello');
      },
    });
    this.server = createServer((socket) => {
      this.sockets.add(socket);
      socket.on('error', () => {});
      gate.accept(socket);
    });
  }

  static async open(settings: TlsSettings): Promise<TlsPort> {
    const port = new TlsPort(settings);
    port.server.listen(0, '127.0.0.1');
    await once(port.server, 'listening');
    return port;
  }

  get number(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async meet(options: ConnectionOptions): Promise<Meeting> {
    const socket = connect({ host: '127.0.0.1', port: this.number, ...options });
    let greeting = '';
    let error: Meeting['error'];
    socket.on('data', (chunk: Buffer) => (greeting += chunk.toString()));
    socket.on('error', (failure) => (error = failure));
    await new Promise((resolve) => socket.on('close', resolve));
    return { greeting, error, socket };
  }

  /** The whole answer to a client that does not speak TLS. */
  async say(text: string): Promise<string> {
    const socket = connectPlain(this.number, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.on('error', () => {});
    await new Promise((resolve) => socket.on('close', resolve));
    return answer;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}
