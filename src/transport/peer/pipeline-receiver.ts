/**
 * `POST /raft`: one message.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DecodeError, message as messageCodec } from '../../codec/index.js';
import type { Message } from '../../raft/index.js';
import { textReply } from '../http-text.js';
import { MAX_MESSAGE_BYTES } from './frame-parser.js';
import { refusedMessage } from './inbox.js';
import type { PeerDirectory } from './peer-server.js';
import { sendLastReply, sendReply } from './replies.js';
import { wholeRequestBody } from './request-body.js';

export async function receiveMessage(
  directory: PeerDirectory,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await wholeRequestBody(request, MAX_MESSAGE_BYTES, directory.room.readTimeoutMs);
  if (body === undefined) {
    return sendLastReply(response, textReply(400, 'error reading raft message'));
  }
  const message = decodeMessage(body);
  if (message === undefined) {
    return sendReply(response, textReply(400, 'error unmarshalling raft message'));
  }
  const refusal = refusedMessage(directory.room, message);
  if (refusal !== undefined) {
    directory.room.logger('warn', 'rejected a raft message', { error: refusal });
    return sendLastReply(response, textReply(500, 'error processing raft message'));
  }
  // Outside of this promise: what the member throws is a bug that must end it, not a bad request.
  queueMicrotask(() => directory.deliver(message));
  response.writeHead(204).end();
}

function decodeMessage(body: Uint8Array): Message | undefined {
  try {
    return messageCodec.decode(body);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
