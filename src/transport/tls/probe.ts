/** Why a client's connections don't come about, where TLS is the reason. */
import { connect as connectPlain, isIP, type NetConnectOpts, type Socket } from 'node:net';
import { connect as connectTls, type SecureContextOptions } from 'node:tls';
import { tlsFailureText } from './failure-words.js';

export interface ProbedServer {
  /** `host:port`, or the path of a Unix socket. */
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  /** The client's own side of TLS; absent: it speaks plainly. */
  readonly tls?: SecureContextOptions & { rejectUnauthorized: boolean };
}

/** A server that turns a certificate away says so soon after the handshake. */
const SETTLED_MS = 500;
const WANTS_TLS = 'the server speaks TLS: use https:// or --cacert';
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/**
 * Connects once more. Resolves with Go's words for what TLS has against it, or with undefined when it
 * has nothing, or nobody listens.
 */
export function probeTls(server: ProbedServer): Promise<string | undefined> {
  const address = (
    server.path === undefined ? { host: server.host, port: server.port } : { path: server.path }
  ) as NetConnectOpts;
  return server.tls === undefined ? probePlain(address) : probeSecure(address, server);
}

function probeSecure(address: NetConnectOpts, server: ProbedServer): Promise<string | undefined> {
  const { host } = server;
  const named = host !== undefined && isIP(host) === 0 ? { servername: host } : {};
  const socket = connectTls({ ...address, ...named, ...server.tls, ALPNProtocols: ['h2'] });
  return outcome(socket, tlsFailureText);
}

/** To a client without TLS, a server with it answers with an alert or in words. */
function probePlain(address: NetConnectOpts): Promise<string | undefined> {
  const socket = connectPlain(address, () => socket.write(PREFACE));
  const failed = outcome(socket, () => undefined);
  const answered = new Promise<string | undefined>((resolve) => {
    socket.once('data', (chunk: Buffer) => {
      const answer = chunk.toString('latin1');
      const wantsTls = answer.startsWith('\x15\x03') || /^HTTP\/1\.[01] 400 /.test(answer);
      resolve(wantsTls ? WANTS_TLS : undefined);
      socket.destroy();
    });
  });
  return Promise.race([answered, failed]);
}

function outcome(
  socket: Socket,
  textOf: (error: Error) => string | undefined,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    socket.setTimeout(SETTLED_MS, () => socket.destroy());
    socket.on('error', (error) => resolve(textOf(error)));
    socket.on('close', () => resolve(undefined));
  });
}
