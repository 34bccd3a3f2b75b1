/**
 * The peer endpoints that the member answers itself: /members, /version, /leases …
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hexId } from '../../bytes/index.js';
import type { PeerRequest } from '../../server/peer-network.js';
import { methodNotAllowedReply, notFoundReply, textReply } from '../http-text.js';
import { isForeign, textHeader } from './headers.js';
import type { PeerRoom } from './peer-room.js';
import { sendLastReply, sendReply } from './replies.js';
import { wholeRequestBody } from './request-body.js';

/** Far above any request of these endpoints. */
const MAX_BODY_BYTES = 1024 * 1024;

export async function answerOtherEndpoint(
  room: PeerRoom,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method } = request;
  if (method !== 'GET' && method !== 'POST') {
    return sendReply(response, methodNotAllowedReply('GET, POST'));
  }
  if (path === '/members/hashkv' && isFromOtherCluster(room, request)) {
    return sendReply(response, textReply(412, 'cluster ID mismatch'));
  }
  const body = await wholeRequestBody(request, MAX_BODY_BYTES, room.readTimeoutMs);
  if (body === undefined) {
    return sendLastReply(response, textReply(413, 'request body too large'));
  }
  const reply = await room.handler.serve(describeRequest(method, path, request, body));
  sendReply(response, reply ?? notFoundReply());
}

function isFromOtherCluster(room: PeerRoom, request: IncomingMessage): boolean {
  const clusterId = textHeader(request.headers, 'x-etcd-cluster-id');
  return clusterId !== undefined && clusterId !== hexId(room.handler.identity().clusterId);
}

function describeRequest(
  method: 'GET' | 'POST',
  path: string,
  request: IncomingMessage,
  body: Uint8Array,
): PeerRequest {
  const contentType = textHeader(request.headers, 'content-type');
  const authorization = textHeader(request.headers, 'authorization');
  return {
    method,
    path,
    ...(contentType !== undefined && { contentType }),
    ...(authorization !== undefined && { authorization }),
    isForeign: isForeign(request.headers),
    body,
  };
}
