/**
 * Opens HTTP requests to peers: the one place where connections to peers come from.
 */
import { Agent as HttpAgent, type ClientRequest, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { TlsDialer } from '../tls/index.js';

export interface PeerCall {
  /** `http://10.0.0.1:2380`, without a slash at its end. */
  readonly baseUrl: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Record<string, string | number>;
  /** How long a new connection may take to come about. */
  readonly dialTimeoutMs: number;
  /** For an https URL; absent: the system's CAs, and no certificate to show. */
  readonly tls?: TlsDialer | undefined;
  /** Absent: a connection of its own, closed afterwards. */
  readonly connections?: PeerConnections | undefined;
}

/** Begins a request; its body is the caller's to write. A failed dial is its 'error'. */
export function dialPeer(call: PeerCall): ClientRequest {
  const secure = call.baseUrl.startsWith('https:');
  const open = secure ? httpsRequest : httpRequest;
  const request = open(call.baseUrl + call.path, {
    method: call.method,
    headers: call.headers,
    agent: call.connections?.agentFor(secure) ?? false,
    ...(secure && call.tls?.options()),
  });
  request.setNoDelay(true);
  limitDialing(request, call.dialTimeoutMs, secure ? 'secureConnect' : 'connect');
  return request;
}

function limitDialing(
  request: ClientRequest,
  dialTimeoutMs: number,
  connected: 'connect' | 'secureConnect',
): void {
  const timer = setTimeout(() => request.destroy(new Error('dial timeout')), dialTimeoutMs);
  const stop = (): void => clearTimeout(timer);
  request.on('close', stop);
  request.on('socket', (socket) => {
    if (request.reusedSocket) stop();
    else socket.once(connected, stop);
  });
}

/** Connections to one peer that are kept open between requests. */
export class PeerConnections {
  private http: HttpAgent | undefined;
  private https: HttpsAgent | undefined;

  constructor(private readonly maxConnections: number) {}

  agentFor(secure: boolean): HttpAgent {
    const options = { keepAlive: true, maxSockets: this.maxConnections };
    // Each connection shows and checks certificates: sessions are not taken up again.
    if (secure) return (this.https ??= new HttpsAgent({ ...options, maxCachedSessions: 0 }));
    return (this.http ??= new HttpAgent(options));
  }

  /** Closes them, in use or not. */
  destroy(): void {
    this.http?.destroy();
    this.https?.destroy();
  }
}
