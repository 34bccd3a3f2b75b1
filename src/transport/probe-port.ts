/** A port of its own for probes and metrics (--listen-metrics-urls). */
import type { Logger } from '../server/environment.js';
import type { HttpHandler } from '../server/rpc.js';
import { createHttp1Server, createPlainHttp } from './client-http.js';
import { HttpPort } from './http-port.js';
import { parseListenUrl, requireCertificate } from './listen-address.js';
import type { TlsCredentials } from './tls/index.js';

export interface ProbePortOptions {
  readonly url: string;
  readonly http: HttpHandler;
  /** For an https URL. */
  readonly tls?: TlsCredentials;
  readonly logger: Logger;
}

export interface ProbePort {
  /** The URL with the port that was bound. */
  readonly url: string;
  close(): Promise<void>;
}

/** Listens and serves. Rejects with one line in etcd's words when the address is taken or wrong. */
export async function listenProbePort(options: ProbePortOptions): Promise<ProbePort> {
  const { url, http: handler, tls, logger } = options;
  const address = parseListenUrl(url);
  requireCertificate(address, url, tls);
  const port = new HttpPort({
    http: createHttp1Server(createPlainHttp({ handler, corsOrigins: ['*'], logger })),
    endpoint: 'client',
    tls: address.secure ? tls : undefined,
    logger,
  });
  return { url: await port.listen(address, url), close: () => port.close() };
}
