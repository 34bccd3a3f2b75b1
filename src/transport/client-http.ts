/**
 * The client port's plain HTTP: an {@link HttpHandler} with the CORS headers that etcd puts on every
 * answer, whatever version of HTTP carries it; and the server that carries HTTP/1.1.
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

/** A request as it stands on the wire; header names in lower case. */
export interface PlainRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: HttpRequest['headers'];
}

/** Answers anything, and never rejects. */
export type PlainHttp = (request: PlainRequest) => Promise<HttpReply>;

export function createPlainHttp(options: ClientHttpOptions): PlainHttp {
  return async (request) => {
    const reply = await answer(options, request);
    const cors = corsHeaders(options.corsOrigins, request.headers['origin']);
    return { ...reply, headers: { ...reply.headers, ...cors } };
  };
}

async function answer(options: ClientHttpOptions, request: PlainRequest): Promise<HttpReply> {
  const { method, headers } = request;
  if (method === 'OPTIONS') return { status: 200, body: '' };
  const url = parseTarget(request.target);
  if (url === undefined) return textReply(400, '400 Bad Request');
  try {
    return await options.handler({ method, path: url.pathname, query: url.searchParams, headers });
  } catch (error) {
    return refuseAsInternal(options.logger, error);
  }
}

function corsHeaders(origins: readonly string[], asked: string | undefined): HttpReply['headers'] {
  const origin = origins.includes('*') ? '*' : asked;
  if (origin === undefined || !origins.includes(origin)) return {};
  return {
    'Access-Control-Allow-Methods': 'POST, GET, OPTIONS, PUT, DELETE',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Headers': 'accept, content-type, authorization',
  };
}

function parseTarget(target: string): URL | undefined {
  const text = target.startsWith('/') ? 'http://host' + target : target;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function refuseAsInternal(logger: Logger, error: unknown): HttpReply {
  const id = randomUUID();
  const stack = error instanceof Error ? error.stack : String(error);
  logger('error', 'failed to answer a client HTTP request', { id, error: stack });
  return textReply(500, `internal error ${id}`);
}

/** Longer than any health checker's pause, so that none meets a connection as it is closed. */
const KEEP_ALIVE_TIMEOUT_MS = 300_000;
const HEADERS_TIMEOUT_MS = 10_000;

/** An HTTP/1.1 server that is fed connections by `emit('connection', socket)` and never listens itself. */
export function createHttp1Server(http: PlainHttp): Server {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: 5_000,
    requestTimeout: 0,
  });
  server.on('request', (request, response) => {
    request.resume();
    void http(describeRequest(request)).then((reply) => sendReply(response, reply));
  });
  // Node starts to watch over its timeouts, and to know its connections, when a server listens.
  server.emit('listening');
  return server;
}

function describeRequest(request: IncomingMessage): PlainRequest {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { method: request.method ?? 'GET', target: request.url ?? '/', headers };
}

function sendReply(response: ServerResponse, reply: HttpReply): void {
  const body = Buffer.from(reply.body);
  response.writeHead(reply.status, { ...reply.headers, 'Content-Length': body.length });
  response.end(body);
}
