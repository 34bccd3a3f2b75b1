/** What a port without TLS says to a client that begins with a handshake. */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../server/environment.js';

const HANDSHAKE_RECORD = 0x16;
const TEXT = 'client sent a TLS handshake to a port without TLS';
const BODY = 'Client sent a TLS handshake to a port without TLS.\n';

/**
 * Malformed requests are answered 400, as node:http does by itself; a handshake is named in the log and
 * in the answer, in which Go's clients recognize a server without TLS.
 */
export function refuseMalformedRequests(
  server: Server,
  endpoint: 'client' | 'peer',
  logger: Logger,
): void {
  server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const isHandshake = error.rawPacket?.[0] === HANDSHAKE_RECORD;
    if (isHandshake) logger('warn', `rejected connection on ${endpoint} endpoint`, fields(socket));
    const status =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? '431 Request Header Fields Too Large'
        : '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n${isHandshake ? BODY : ''}`);
  });
}

function fields(socket: Duplex): Record<string, unknown> {
  const { remoteAddress, remotePort } = socket as { remoteAddress?: string; remotePort?: number };
  return { 'remote-addr': `${remoteAddress ?? ''}:${remotePort ?? ''}`, error: TEXT };
}
