/**
 * The `message` stream: each message behind its length. Also how a snapshot's message is sent.
 */
import { message as messageCodec } from '../../codec/index.js';
import { type Message, MessageType } from '../../raft/index.js';
import { type Grammar, MAX_MESSAGE_BYTES, readLength, u64 } from './frame-parser.js';

/** The parts of one frame. */
export function encodeMessageFrame(message: Message): Uint8Array[] {
  const bytes = messageCodec.encode(message);
  return [u64(bytes.length), bytes];
}

/** A message without any content; fields are set over it. */
export const blankMessage: Message = {
  type: MessageType.heartbeat,
  to: 0n,
  from: 0n,
  term: 0,
  logTerm: 0,
  index: 0,
  entries: [],
  commit: 0,
  reject: false,
  rejectHint: 0,
  context: new Uint8Array(0),
};

/** A heartbeat from nobody to nobody keeps the link alive. */
export const linkHeartbeatFrame: Uint8Array[] = encodeMessageFrame(blankMessage);

function isLinkHeartbeat(message: Message): boolean {
  return message.type === MessageType.heartbeat && message.from === 0n && message.to === 0n;
}

/** Reads frames for ever; link heartbeats are left out. */
export function* messageStream(emit: (message: Message) => void): Grammar {
  for (;;) {
    const message = messageCodec.decode(yield readLength(yield 8, MAX_MESSAGE_BYTES));
    if (!isLinkHeartbeat(message)) emit(message);
  }
}

/** Reads one frame of at most `limit` bytes and ends. */
export function* singleMessage(limit: number, emit: (message: Message) => void): Grammar {
  emit(messageCodec.decode(yield readLength(yield 8, limit)));
}
