/**
 * What members ask each other beside raft messages (peer-protocol 1.2): the member list, versions,
 * hashes, and what only the leader may answer about leases and promotion.
 */
import { type EtcdError, etcdError, isEtcdError } from '../api/index.js';
import { hexId } from '../bytes/index.js';
import {
  leaseInternalRequest,
  leaseInternalResponse,
  leaseKeepAliveRequest,
  leaseKeepAliveResponse,
  membersJson,
} from '../codec/index.js';
import type { Member } from './member.js';
import type { PeerReply, PeerRequest } from './peer-network.js';
import { versionDocument } from './version-document.js';

/** Undefined for a path that is not served. */
export async function servePeer(
  member: Member,
  request: PeerRequest,
): Promise<PeerReply | undefined> {
  const promote = /^\/members\/promote\/(\d{1,20})$/.exec(request.path);
  if (promote !== null) return promoteLearner(member, request, BigInt(promote[1]!));
  switch (request.path) {
    case '/members':
      return request.method === 'GET' ? members(member) : notAllowed('GET');
    case '/version':
      return request.method === 'GET' ? json(versionDocument(member)) : notAllowed('GET');
    case '/members/hashkv':
      return request.method === 'GET' ? hashKv(member, request) : notAllowed('GET');
    case '/downgrade/enabled':
      return text(200, 'false', clusterHeader(member));
    case '/leases':
      return request.method === 'POST' ? renew(member, request) : notAllowed('POST');
    case '/leases/internal':
      return request.method === 'POST' ? timeToLive(member, request) : notAllowed('POST');
    default:
      return undefined;
  }
}

function members(member: Member): PeerReply {
  return json(membersJson.encode(member.membership.list()), clusterHeader(member));
}

async function promoteLearner(
  member: Member,
  request: PeerRequest,
  id: bigint,
): Promise<PeerReply> {
  if (request.method !== 'POST') return notAllowed('POST');
  try {
    await member.reconfiguration.promoteHere(id);
    return members(member);
  } catch (error) {
    if (isEtcdError(error, 'memberNotFound')) return text(404, 'membership: ID not found');
    if (isEtcdError(error, 'memberNotLearner')) {
      return text(412, 'membership: can only promote a learner member');
    }
    if (isEtcdError(error, 'learnerNotReady')) return text(412, error.message);
    return text(500, refusalText(error));
  }
}

async function hashKv(member: Member, request: PeerRequest): Promise<PeerReply> {
  const revision = revisionIn(request.body);
  if (revision === undefined) return text(400, 'error unmarshalling request');
  // A hash that differs from theirs, for whatever reason, makes real members raise an alarm over the whole
  // cluster. This answer is one that all of their checks pass over.
  if (request.isForeign) return text(400, mvccText(etcdError('futureRev')));
  try {
    const { hash, compactRevision, hashRevision } = await member.store.hashKv(revision);
    const header = { revision: member.store.currentRevision };
    const answer = { header, hash, compact_revision: compactRevision, hash_revision: hashRevision };
    return json(JSON.stringify(answer), clusterHeader(member));
  } catch (error) {
    if (isEtcdError(error, 'compacted') || isEtcdError(error, 'futureRev')) {
      return text(400, mvccText(error));
    }
    throw error;
  }
}

/** Between members the error travels without the server's prefix. */
function mvccText(error: EtcdError): string {
  return error.message.replace('etcdserver: ', '');
}

function revisionIn(body: Uint8Array | undefined): number | undefined {
  try {
    const { revision } = JSON.parse(Buffer.from(body ?? []).toString()) as { revision?: unknown };
    return revision === undefined ? 0 : typeof revision === 'number' ? revision : undefined;
  } catch {
    return undefined;
  }
}

async function renew(member: Member, request: PeerRequest): Promise<PeerReply> {
  const decoded = decodeOr400(() => leaseKeepAliveRequest.decode(request.body!));
  if (decoded === undefined) return text(400, 'error unmarshalling request');
  try {
    const ttl = await member.leaseRouter.renewHere(decoded.id);
    return protobuf(leaseKeepAliveResponse.encode({ id: decoded.id, ttl }));
  } catch (error) {
    return leaseFailure(error);
  }
}

async function timeToLive(member: Member, request: PeerRequest): Promise<PeerReply> {
  const decoded = decodeOr400(() => leaseInternalRequest.decode(request.body!));
  if (decoded === undefined) return text(400, 'error unmarshalling request');
  try {
    const response = await member.leaseRouter.timeToLiveHere(decoded);
    response.header = { ...member.header() };
    return protobuf(leaseInternalResponse.encode(response));
  } catch (error) {
    return leaseFailure(error);
  }
}

function leaseFailure(error: unknown): PeerReply {
  if (isEtcdError(error, 'leaseNotFound')) return text(404, 'lease not found');
  if (isEtcdError(error, 'timeoutWaitAppliedIndex')) {
    return text(408, etcdError('timeoutWaitAppliedIndex').message);
  }
  return text(isEtcdError(error) ? 400 : 500, refusalText(error));
}

function decodeOr400<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

function refusalText(error: unknown): string {
  return isEtcdError(error) ? error.message : 'internal error';
}

function clusterHeader(member: Member): Record<string, string> {
  return { 'X-Etcd-Cluster-ID': hexId(member.clusterId) };
}

function json(body: string | Uint8Array, headers: Record<string, string> = {}): PeerReply {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? Buffer.from(body) : body,
  };
}

function protobuf(body: Uint8Array): PeerReply {
  return { status: 200, headers: { 'Content-Type': 'application/protobuf' }, body };
}

function notAllowed(method: string): PeerReply {
  return text(405, 'Method Not Allowed', { Allow: method });
}

/** Go's http.Error: the text and a newline. */
function text(status: number, body: string, headers: Record<string, string> = {}): PeerReply {
  const contentType = { 'Content-Type': 'text/plain; charset=utf-8' };
  const ending = status === 200 ? '' : '\n';
  return { status, headers: { ...contentType, ...headers }, body: Buffer.from(body + ending) };
}
