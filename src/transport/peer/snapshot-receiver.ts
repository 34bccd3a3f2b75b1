/**
 * `POST /raft/snapshot`: a message and, behind it, a database.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hexId } from '../../bytes/index.js';
import { DecodeError } from '../../codec/index.js';
import { type Message, MessageType } from '../../raft/index.js';
import { textReply } from '../http-text.js';
import { FrameError, FrameParser } from './frame-parser.js';
import { refusedSender } from './inbox.js';
import { singleMessage } from './message-framing.js';
import { errorText } from './peer-room.js';
import type { PeerDirectory } from './peer-server.js';
import { sendLastReply } from './replies.js';
import { requestBody } from './request-body.js';

/** For the message alone, as in the newest etcd; the database has no limit. */
const MAX_SNAPSHOT_MESSAGE_BYTES = 64 * 1024 * 1024;

export async function receiveSnapshot(
  directory: PeerDirectory,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { room } = directory;
  const body = requestBody(request, room.readTimeoutMs);
  const refuse = (status: number, text: string): void => {
    room.logger('warn', 'refused a database snapshot', { error: text });
    sendLastReply(response, textReply(status, text));
  };
  const { message, rest, failure } = await readSnapshotMessage(body);
  if (message === undefined) return refuse(400, `failed to decode raft message (${failure})`);
  if (message.type !== MessageType.snapshot) return refuse(400, 'wrong raft message type');
  const refusal = refusedSender(room, message);
  if (refusal !== undefined) return refuse(500, `failed to process raft message (${refusal})`);

  const fields = { 'remote-snapshot-sender-id': hexId(message.from) };
  room.logger('info', 'receiving database snapshot', fields);
  try {
    await room.handler.receiveSnapshot(message, database(rest, body));
  } catch (error) {
    return refuse(500, `failed to save KV snapshot (${errorText(error)})`);
  }
  room.logger('info', 'received and saved database snapshot', fields);
  response.writeHead(204).end();
}

interface SnapshotHead {
  message?: Message;
  /** What came of the database with the message. */
  rest: Uint8Array[];
  failure?: string;
}

async function readSnapshotMessage(body: AsyncGenerator<Uint8Array, void>): Promise<SnapshotHead> {
  let message: Message | undefined;
  const grammar = singleMessage(MAX_SNAPSHOT_MESSAGE_BYTES, (read) => void (message = read));
  const parser = new FrameParser(grammar);
  try {
    while (!parser.done) {
      const step = await body.next();
      if (step.done) return { rest: [], failure: 'unexpected EOF' };
      parser.push(step.value);
    }
    return { message: message!, rest: parser.rest() };
  } catch (error) {
    if (!(error instanceof FrameError || error instanceof DecodeError)) throw error;
    return { rest: [], failure: errorText(error) };
  }
}

async function* database(
  rest: readonly Uint8Array[],
  body: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  yield* rest;
  yield* body;
}
