/**
 * What a peer's refusal means.
 */
import type { IncomingMessage } from 'node:http';
import { hexId } from '../../bytes/index.js';
import { wholeBody } from './exchange.js';
import type { PeerRoom } from './peer-room.js';

const MAX_REFUSAL_BYTES = 64 * 1024;

/** Reads a refusal to its end and says it in words; see {@link noteRefusal}. */
export async function readRefusal(room: PeerRoom, response: IncomingMessage): Promise<string> {
  const status = response.statusCode ?? 0;
  const body = await wholeBody(response, MAX_REFUSAL_BYTES);
  return noteRefusal(room, status, response.headers, body);
}

/**
 * Says a refusal in words. 410 on a stream and 403 on a message mean that this member was removed
 * from the cluster: the member is told, if the answer comes from a member of its own cluster.
 */
export function noteRefusal(
  room: PeerRoom,
  status: number,
  headers: Readonly<Record<string, unknown>>,
  body: Uint8Array,
): string {
  const clusterId = hexId(room.handler.identity().clusterId);
  const ofOurCluster = headers['x-etcd-cluster-id'] === clusterId;
  if ((status === 410 || status === 403) && ofOurCluster) room.removedFromCluster();
  const text = Buffer.from(body).toString('latin1').trim().slice(0, 200);
  if (status === 412 && text === 'cluster ID mismatch') {
    return 'request sent was ignored by remote peer due to cluster ID mismatch';
  }
  return `HTTP status ${status}${text === '' ? '' : `: ${text}`}`;
}
