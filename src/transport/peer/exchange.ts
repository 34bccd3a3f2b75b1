/**
 * One request to a peer and its whole answer.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { PeerReply } from '../../server/peer-network.js';
import { dialPeer, type PeerCall } from './dial.js';

/** Far above any answer of a peer endpoint. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

export interface Exchange extends PeerCall {
  readonly body?: Uint8Array;
  /** From the first step to the answer's last byte. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Rejects when there is no whole answer in time; any status is an answer. A kept connection that the
 * peer closed as it was used again is no failure: the request goes out once more on a new one.
 */
export async function exchange(call: Exchange): Promise<PeerReply> {
  const first = new Attempt(call);
  try {
    return await first.reply;
  } catch (error) {
    if (!first.metClosedConnection) throw error;
    return await new Attempt({ ...call, connections: undefined }).reply;
  }
}

class Attempt {
  readonly reply: Promise<PeerReply>;
  private readonly request: ClientRequest;
  private answered = false;
  private timedOut = false;

  constructor(private readonly call: Exchange) {
    this.request = dialPeer({ ...call, headers: { ...call.headers, ...bodyHeaders(call) } });
    this.reply = this.run();
    this.request.end(call.body);
  }

  get metClosedConnection(): boolean {
    return this.request.reusedSocket && !this.answered && !this.timedOut;
  }

  private async run(): Promise<PeerReply> {
    const timer = setTimeout(() => {
      this.timedOut = true;
      this.request.destroy(new Error(`no answer within ${this.call.timeoutMs} ms`));
    }, this.call.timeoutMs);
    const abort = (): void => {
      this.timedOut = true;
      this.request.destroy(new Error('stopped'));
    };
    this.call.signal?.addEventListener('abort', abort);
    if (this.call.signal?.aborted) abort();
    try {
      const response = await responseTo(this.request);
      this.answered = true;
      return { ...describe(response), body: await wholeBody(response, MAX_REPLY_BYTES) };
    } finally {
      clearTimeout(timer);
      this.call.signal?.removeEventListener('abort', abort);
    }
  }
}

function bodyHeaders(call: Exchange): Record<string, number> {
  return call.body === undefined ? {} : { 'Content-Length': call.body.length };
}

/** Resolves with the answer's head, rejects when the request fails before. */
export function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    request.on('close', () => reject(new Error('connection closed without an answer')));
  });
}

function describe(response: IncomingMessage): Pick<PeerReply, 'status' | 'headers'> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { status: response.statusCode ?? 0, headers };
}

/** Reads `stream` to its end. Rejects, and closes it, when that is more than `limitBytes`. */
export async function wholeBody(stream: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new Error(`body larger than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
