/**
 * The peer port: which request goes where, and the tests that all of them must pass.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { hexId, parseHexId } from '../../bytes/index.js';
import type { Message } from '../../raft/index.js';
import type { HttpReply } from '../../server/rpc.js';
import { methodNotAllowedReply, textReply } from '../http-text.js';
import { isCompatibleSender, sendersUrls, textHeader } from './headers.js';
import { answerOtherEndpoint } from './other-endpoints.js';
import { errorText, type PeerRoom } from './peer-room.js';
import { receiveMessage } from './pipeline-receiver.js';
import { probingReply } from './probing.js';
import { sendLastReply, sendReply } from './replies.js';
import { receiveSnapshot } from './snapshot-receiver.js';
import { type StreamKind, streamKindOf } from './streams.js';

/** What the server needs of the network. */
export interface PeerDirectory {
  readonly room: PeerRoom;
  /** Gives a stream that was just opened to the peer that dialled it; false when it is unknown. */
  attach(id: bigint, kind: StreamKind, response: ServerResponse): boolean;
  knows(id: bigint): boolean;
  /** A stranger of our cluster introduced itself. */
  addRemote(id: bigint, urls: readonly string[]): void;
  /** A message that has passed all tests. */
  deliver(message: Message): void;
}

/** An idle connection of another member's pool may stay this long. */
const KEEP_ALIVE_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 10_000;

/** A server that is fed connections by `emit('connection', socket)` and never listens itself. */
export function createPeerServer(directory: PeerDirectory): Server {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: 5_000,
    // A snapshot may take any time; bodies have a limit on silence instead.
    requestTimeout: 0,
  });
  server.on('request', (request, response) => {
    route(directory, request, response).catch((error: unknown) => {
      directory.room.logger('warn', 'failed to answer a peer', {
        path: request.url,
        error: errorText(error),
      });
      abortAnswer(response);
    });
  });
  // Node starts to watch over its timeouts, and to know its connections, when a server listens.
  server.emit('listening');
  return server;
}

async function route(
  directory: PeerDirectory,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url?.split('?')[0] ?? '/';
  if (path === '/raft/probing') return sendReply(response, probingReply(directory.room.clock));
  if (path === '/raft') {
    if (admitPost(directory, request, response)) {
      await receiveMessage(directory, request, response);
    }
  } else if (path === '/raft/snapshot') {
    if (admitPost(directory, request, response)) {
      await receiveSnapshot(directory, request, response);
    }
  } else if (path.startsWith('/raft/stream/')) {
    openStream(directory, path, request, response);
  } else {
    await answerOtherEndpoint(directory.room, path, request, response);
  }
}

/** Sends the refusal and returns false when the request does not pass. */
function admit(room: PeerRoom, request: IncomingMessage, response: ServerResponse): boolean {
  const clusterId = hexId(room.handler.identity().clusterId);
  const refusal = isCompatibleSender(request.headers, room.versions.serverVersion)
    ? request.headers['x-etcd-cluster-id'] === clusterId
      ? undefined
      : 'cluster ID mismatch'
    : 'incompatible version';
  if (refusal === undefined) return true;
  sendReply(response, textReply(412, refusal));
  return false;
}

function admitPost(
  directory: PeerDirectory,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { room } = directory;
  if (request.method !== 'POST') {
    sendReply(response, methodNotAllowedReply('POST'));
    return false;
  }
  response.setHeader('X-Etcd-Cluster-ID', hexId(room.handler.identity().clusterId));
  if (!admit(room, request, response)) return false;
  introduce(directory, parseHexId(textHeader(request.headers, 'x-server-from') ?? ''), request);
  return true;
}

/** Remembers how to reach a sender that is no peer of ours. */
function introduce(
  directory: PeerDirectory,
  id: bigint | undefined,
  request: IncomingMessage,
): void {
  if (id === undefined || directory.knows(id)) return;
  const urls = sendersUrls(request.headers);
  if (urls.length > 0) directory.addRemote(id, urls);
}

function openStream(
  directory: PeerDirectory,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { room } = directory;
  if (request.method !== 'GET') return sendReply(response, methodNotAllowedReply('GET'));
  const identity = room.handler.identity();
  response.setHeader('X-Server-Version', room.versions.serverVersion);
  response.setHeader('X-Etcd-Cluster-ID', hexId(identity.clusterId));
  if (!admit(room, request, response)) return;
  const refusal = refuseStream(directory, path, request);
  if (refusal !== undefined) return sendReply(response, refusal);
  const [, , , kind, id] = path.split('/');
  response.writeHead(200);
  response.flushHeaders();
  directory.attach(parseHexId(id!)!, streamKindOf(kind)!, response);
}

/**
 * 410 makes a real etcd give up its data dir: only an id that is removed for good gets it, and a
 * stranger gets 404.
 */
function refuseStream(
  directory: PeerDirectory,
  path: string,
  request: IncomingMessage,
): HttpReply | undefined {
  const { handler } = directory.room;
  const [, , , kind, idText, ...more] = path.split('/');
  if (streamKindOf(kind) === undefined || idText === undefined || more.length > 0) {
    return textReply(404, 'invalid path');
  }
  const id = parseHexId(idText);
  if (id === undefined) return textReply(404, 'invalid from');
  if (handler.isRemoved(id)) return textReply(410, 'removed member');
  if (!directory.knows(id)) {
    introduce(directory, id, request);
    return textReply(404, 'error sender not found');
  }
  const to = textHeader(request.headers, 'x-raft-to');
  return to === hexId(handler.identity().memberId)
    ? undefined
    : textReply(412, 'to field mismatch');
}

function abortAnswer(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else sendLastReply(response, textReply(500, 'Internal Server Error'));
}
