/**
 * Requests of the member to peers, beside raft's messages.
 */
import type { PeerReply, PeerRequest } from '../../server/peer-network.js';
import type { PeerConnections } from './dial.js';
import { exchange } from './exchange.js';
import { identityHeaders } from './headers.js';
import { errorText, type PeerRoom } from './peer-room.js';

export interface PeerRequestWay {
  readonly room: PeerRoom;
  /** Tried in turn. */
  readonly baseUrls: readonly string[];
  /** Kept connections; absent: a new one. */
  readonly connections?: PeerConnections;
  /** Gives up when it is aborted. */
  readonly signal: AbortSignal;
}

/** Resolves with the first answer, of whatever status. Rejects when no URL answers within the time. */
export async function requestPeer(
  way: PeerRequestWay,
  request: PeerRequest,
  timeoutMs: number,
): Promise<PeerReply> {
  const { clock } = way.room;
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  let failure: unknown = new Error('the peer has no URL');
  for (const baseUrl of way.baseUrls) {
    const leftMs = deadlineMs - clock.monotonicMs();
    if (leftMs <= 0 || way.signal.aborted) break;
    try {
      return await requestAt(way, baseUrl, request, leftMs);
    } catch (error) {
      failure = error;
    }
  }
  throw new Error(`${request.method} ${request.path}: ${errorText(failure)}`, { cause: failure });
}

function requestAt(
  way: PeerRequestWay,
  baseUrl: string,
  request: PeerRequest,
  timeoutMs: number,
): Promise<PeerReply> {
  return exchange({
    baseUrl,
    method: request.method,
    path: request.path,
    headers: requestHeaders(way.room, request),
    ...(request.body !== undefined && { body: request.body }),
    tls: way.room.tls,
    dialTimeoutMs: way.room.dialTimeoutMs,
    timeoutMs,
    connections: way.connections,
    signal: way.signal,
  });
}

function requestHeaders(room: PeerRoom, request: PeerRequest): Record<string, string> {
  const headers = identityHeaders(room.handler.identity(), room.versions);
  if (request.contentType !== undefined) headers['Content-Type'] = request.contentType;
  if (request.authorization !== undefined) headers['Authorization'] = request.authorization;
  return headers;
}
