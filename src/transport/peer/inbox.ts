/**
 * Which messages of peers reach the member.
 */
import { hexId } from '../../bytes/index.js';
import { type Message, MessageType } from '../../raft/index.js';
import type { PeerRoom } from './peer-room.js';

/** Those that only a member itself may raise, and snapshots, which come with a body. */
const NOT_FROM_PEERS: ReadonlySet<number> = new Set([
  MessageType.hup,
  MessageType.beat,
  MessageType.snapshot,
  MessageType.unreachable,
  MessageType.snapshotStatus,
  MessageType.checkQuorum,
]);
/** Numbers above are other implementations' own. */
const LAST_TYPE = MessageType.preVoteResponse;

/** Why `message` must not reach the member, or undefined. The kind of message is not looked at. */
export function refusedSender(room: PeerRoom, message: Message): string | undefined {
  const { handler } = room;
  if (message.to !== handler.identity().memberId) {
    return `message is for ${hexId(message.to)}, not for this member`;
  }
  if (handler.isRemoved(message.from)) return `sender ${hexId(message.from)} was removed`;
  return undefined;
}

/** Why `message` must not reach the member as a raft message, or undefined. */
export function refusedMessage(room: PeerRoom, message: Message): string | undefined {
  if (NOT_FROM_PEERS.has(message.type) || message.type > LAST_TYPE) {
    return `message type ${message.type} is not for peers to send`;
  }
  return refusedSender(room, message);
}
