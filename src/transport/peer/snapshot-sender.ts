/**
 * A snapshot to a peer: one POST of the message's frame and then the database, to its end.
 */
import type { ClientRequest } from 'node:http';
import { hexId } from '../../bytes/index.js';
import type { Message } from '../../raft/index.js';
import type { Activity } from './activity.js';
import { dialPeer } from './dial.js';
import { responseTo } from './exchange.js';
import { identityHeaders } from './headers.js';
import { encodeMessageFrame } from './message-framing.js';
import type { PeerTraffic } from './peer-traffic.js';
import { errorText, type PeerRoom } from './peer-room.js';
import { readRefusal } from './refusals.js';
import type { UrlRotation } from './url-rotation.js';

/**
 * There is no limit on the whole, and a receiver may stop to write; but one that takes nothing for
 * this long is gone.
 */
const STALL_TIMEOUT_MS = 60_000;

export interface SnapshotSending {
  readonly room: PeerRoom;
  readonly peerId: bigint;
  readonly urls: UrlRotation;
  readonly activity: Activity;
  readonly traffic: PeerTraffic;
  readonly message: Message;
  readonly body: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** Resolves to whether the peer has taken it. `body` is read to its end or returned. */
export async function sendSnapshot(sending: SnapshotSending): Promise<boolean> {
  const { room, peerId, urls, activity, signal } = sending;
  const fields = { 'remote-peer-id': hexId(peerId), bytes: 0 };
  const body = new ClosingBody(sending.body, (bytes) => {
    fields.bytes += bytes;
    sending.traffic.sentBytes.value += bytes;
  });
  const url = urls.current();
  try {
    if (url === undefined) throw new Error('the peer has no URL');
    room.logger('info', 'sending database snapshot', { ...fields });
    await upload(sending, url, body);
    activity.activate();
    room.logger('info', 'sent database snapshot', fields);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    if (url !== undefined) urls.failed(url);
    activity.deactivate(errorText(error));
    const failed = { ...fields, error: errorText(error) };
    room.logger('warn', 'failed to send database snapshot', failed);
    return false;
  } finally {
    await body.close();
  }
}

async function upload(sending: SnapshotSending, url: string, body: ClosingBody): Promise<void> {
  const { room, message, signal } = sending;
  const request = dial(room, url);
  const abort = (): void => void request.destroy(new Error('stopped'));
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  const answer = responseTo(request);
  // Awaited below, after the body; until then a failure must not count as unhandled.
  answer.catch(() => {});
  try {
    request.write(Buffer.concat(encodeMessageFrame(message)));
    await writeAll(request, body);
    request.end();
    const response = await answer;
    if (response.statusCode !== 204) throw new Error(await readRefusal(room, response));
    response.resume();
  } finally {
    signal.removeEventListener('abort', abort);
    request.destroy();
  }
}

function dial(room: PeerRoom, baseUrl: string): ClientRequest {
  const headers = identityHeaders(room.handler.identity(), room.versions);
  const request = dialPeer({
    baseUrl,
    method: 'POST',
    path: '/raft/snapshot',
    headers: { ...headers, 'Content-Type': 'application/octet-stream' },
    tls: room.tls,
    dialTimeoutMs: room.dialTimeoutMs,
  });
  request.on('socket', (socket) =>
    socket.setTimeout(STALL_TIMEOUT_MS, () => request.destroy(new Error('the peer has stalled'))),
  );
  return request;
}

/** Ends early when the request fails, or the peer answers before the end: both say why themselves. */
async function writeAll(request: ClientRequest, body: ClosingBody): Promise<void> {
  let over = false;
  let wake = (): void => {};
  const end = (): void => {
    over = true;
    wake();
  };
  request
    .on('drain', () => wake())
    .on('response', end)
    .on('error', end)
    .on('close', end);
  for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) {
    if (over) return;
    if (request.write(chunk)) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

/** A body that is closed exactly once, even if nothing of it was ever read. */
class ClosingBody {
  private readonly iterator: AsyncIterator<Uint8Array>;
  private over = false;

  constructor(
    body: AsyncIterable<Uint8Array>,
    private readonly count: (bytes: number) => void,
  ) {
    this.iterator = body[Symbol.asyncIterator]();
  }

  /** The next bytes, or undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    const step = await this.iterator.next();
    this.over = step.done === true;
    if (step.done) return undefined;
    this.count(step.value.length);
    return step.value;
  }

  async close(): Promise<void> {
    if (this.over) return;
    this.over = true;
    await this.iterator.return?.();
  }
}
