/**
 * The client port's plain HTTP/1.1: an {@link HttpHandler} over node:http, with the CORS headers that
 * etcd puts on every answer.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { Logger } from '../server/environment.js';
import type { HttpHandler, HttpReply, HttpRequest } from '../server/rpc.js';
import { textReply } from './http-text.js';

export interface ClientHttpOptions {
  readonly handler: HttpHandler;
  /** Origins that browsers may call from; `*` allows all (etcd's `--cors`). */
  readonly corsOrigins: readonly string[];
  readonly logger: Logger;
}

/** Longer than any health checker's pause, so that none meets a connection as it is closed. */
const KEEP_ALIVE_TIMEOUT_MS = 300_000;
const HEADERS_TIMEOUT_MS = 10_000;

/** An HTTP server that is fed connections by `emit('connection', socket)` and never listens itself. */
export function createClientHttpServer(options: ClientHttpOptions): Server {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: 5_000,
    requestTimeout: 0,
  });
  server.on('request', (request, response) => {
    answer(options, request, response).catch((error: unknown) =>
      refuseAsInternal(options.logger, response, error),
    );
  });
  // Node starts to watch over its timeouts, and to know its connections, when a server listens.
  server.emit('listening');
  return server;
}

async function answer(
  options: ClientHttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  setCorsHeaders(options.corsOrigins, request, response);
  if (request.method === 'OPTIONS') {
    response.writeHead(200, { 'Content-Length': 0 }).end();
    return;
  }
  const url = parseTarget(request.url ?? '/');
  if (url === undefined) return sendReply(response, textReply(400, '400 Bad Request'));
  sendReply(response, await options.handler(describeRequest(request, url)));
}

function setCorsHeaders(
  origins: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const origin = origins.includes('*') ? '*' : request.headers.origin;
  if (origin === undefined || !origins.includes(origin)) return;
  response.setHeader('Access-Control-Allow-Methods', 'POST, GET, OPTIONS, PUT, DELETE');
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Headers', 'accept, content-type, authorization');
}

function parseTarget(target: string): URL | undefined {
  const text = target.startsWith('/') ? 'http://host' + target : target;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function describeRequest(request: IncomingMessage, url: URL): HttpRequest {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers,
  };
}

function sendReply(response: ServerResponse, reply: HttpReply): void {
  const body = Buffer.from(reply.body);
  response.writeHead(reply.status, { ...reply.headers, 'Content-Length': body.length });
  response.end(body);
}

function refuseAsInternal(logger: Logger, response: ServerResponse, error: unknown): void {
  const id = randomUUID();
  const stack = error instanceof Error ? error.stack : String(error);
  logger('error', 'failed to answer a client HTTP request', { id, error: stack });
  if (response.headersSent) response.destroy();
  else sendReply(response, textReply(500, `internal error ${id}`));
}
