/**
 * The TLS in front of a port: accepted sockets go in, verified connections come out.
 */
import { constants, type X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Logger } from '../../server/environment.js';
import type { TlsCredentials, TlsMaterial } from './credentials.js';
import { notTlsText, tlsFailureText, verificationText } from './failure-words.js';
import { refusedAddress, refusedNames, revokedText } from './remote-identity.js';

export interface TlsGateOptions {
  readonly credentials: TlsCredentials;
  /** What the port is for, as the log calls it. */
  readonly endpoint: 'client' | 'peer';
  readonly logger: Logger;
  /** HTTP/2 is offered beside HTTP/1.1. */
  readonly http2: boolean;
  /** From the accepted connection to the end of the handshake, 10 s by default. */
  readonly handshakeTimeoutMs?: number;
  /** Called with each connection that has passed; its certificate is verified if one was asked for. */
  readonly secured: (socket: TLSSocket) => void;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** The first byte of a TLS record with a handshake in it. */
const HANDSHAKE_RECORD = 0x16;
/** What Go's server says to a client that has forgotten the s in https. */
const NOT_TLS_REPLY =
  'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

export class TlsGate {
  private readonly server: Server;
  private material: TlsMaterial;

  constructor(private readonly options: TlsGateOptions) {
    const { credentials, http2 } = options;
    this.material = credentials.current();
    this.server = createServer({
      ...this.contextOptions(),
      handshakeTimeout: this.timeoutMs,
      requestCert: credentials.requiresClientCertificate,
      rejectUnauthorized: credentials.requiresClientCertificate,
      ALPNCallback: ({ protocols }) => chooseProtocol(protocols, http2),
    });
    this.server.on('secureConnection', (socket) => this.admit(socket));
    this.server.on('tlsClientError', (error, socket) => this.failed(error, socket));
  }

  /** Takes over a socket that was just accepted. */
  accept(socket: Socket): void {
    this.refresh();
    const timer = setTimeout(() => socket.destroy(), this.timeoutMs);
    const finish = (): void => {
      clearTimeout(timer);
      socket.off('readable', read).off('close', finish).off('end', giveUp);
    };
    const giveUp = (): void => {
      finish();
      socket.destroy();
    };
    const read = (): void => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      finish();
      if (chunk[0] !== HANDSHAKE_RECORD) return this.refusePlaintext(socket);
      socket.unshift(chunk);
      this.server.emit('connection', socket);
    };
    socket.on('readable', read).on('close', finish).on('end', giveUp);
  }

  private get timeoutMs(): number {
    return this.options.handshakeTimeoutMs ?? HANDSHAKE_TIMEOUT_MS;
  }

  /** New connections get the certificates that are in the files now. */
  private refresh(): void {
    const material = this.options.credentials.current();
    if (material === this.material) return;
    this.material = material;
    this.server.setSecureContext(this.contextOptions());
  }

  private contextOptions() {
    const { server, ca } = this.material;
    return {
      ...server,
      ...(ca !== undefined && { ca }),
      ...this.options.credentials.limits,
      // Every connection shows its certificate anew: it may have been revoked, or the CA replaced.
      secureOptions: constants.SSL_OP_NO_TICKET,
    };
  }

  private refusePlaintext(socket: Socket): void {
    this.log(socket, notTlsText);
    socket.end(NOT_TLS_REPLY, () => socket.destroy());
  }

  private admit(socket: TLSSocket): void {
    // A connection that breaks ends by its 'close', which whoever serves it listens to.
    socket.on('error', () => {});
    const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
    if (certificate === undefined) return this.options.secured(socket);
    const refusal = this.refusalOf(certificate);
    if (refusal !== undefined) return this.refuse(socket, refusal);
    void this.admitAddress(socket, certificate);
  }

  private async admitAddress(socket: TLSSocket, certificate: X509Certificate): Promise<void> {
    const address = socket.remoteAddress;
    // A Unix socket's callers have none.
    const checked =
      address !== undefined && this.options.credentials.settings.skipClientAddressCheck !== true;
    const refusal = checked
      ? await refusedAddress(certificate, withoutMapping(address))
      : undefined;
    if (refusal !== undefined) this.refuse(socket, refusal);
    else if (!socket.destroyed) this.options.secured(socket);
  }

  private refusalOf(certificate: X509Certificate): string | undefined {
    return (
      refusedNames(this.options.credentials.settings, certificate) ??
      revokedText(this.material.revoked, certificate)
    );
  }

  private refuse(socket: TLSSocket, refusal: string): void {
    this.log(socket, refusal);
    socket.destroy();
  }

  private failed(error: Error, socket: TLSSocket): void {
    const code = socket.authorizationError as unknown;
    const text = typeof code === 'string' ? verificationText(code) : tlsFailureText(error);
    this.log(socket, text ?? error.message);
    socket.destroy();
  }

  private log(socket: Socket, error: string): void {
    const { endpoint, logger } = this.options;
    const { remoteAddress = '', remotePort = '' } = socket;
    const serverName = (socket as TLSSocket).servername;
    logger('warn', `rejected connection on ${endpoint} endpoint`, {
      'remote-addr': `${remoteAddress}:${remotePort}`,
      'server-name': typeof serverName === 'string' ? serverName : '',
      error,
    });
  }
}

/**
 * A client of gRPC offers HTTP/2 alone; one that offers both is a browser or curl, whose requests are
 * answered on HTTP/1.1.
 */
function chooseProtocol(offered: readonly string[], http2: boolean): string | undefined {
  const spoken = http2 ? ['http/1.1', 'h2'] : ['http/1.1'];
  return spoken.find((protocol) => offered.includes(protocol));
}

function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}
