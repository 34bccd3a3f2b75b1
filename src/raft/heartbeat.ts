/** Heartbeats (paper, section 5.2) and what they carry: the commit index and rounds of ReadIndex. */
import { MessageType, type Message } from './message.js';
import type { RaftState } from './state.js';

/** The round goes out again with every heartbeat until it is confirmed: an earlier one may be lost. */
export function broadcastHeartbeat(state: RaftState): void {
  const round = state.reads.openRound;
  const context = round === 0 ? undefined : { context: encodeRound(round) };
  for (const [id, progress] of state.progress) {
    if (id === state.id) continue;
    // Never beyond what the member is known to have: it could not tell which entry is meant.
    const commit = Math.min(progress.match, state.log.committed);
    state.send(MessageType.heartbeat, id, { commit, ...context });
    progress.sentCommit = Math.max(progress.sentCommit, commit);
  }
}

/** Followers. The context returns as it came. */
export function handleHeartbeat(state: RaftState, message: Message): void {
  state.log.commitTo(message.commit);
  state.send(MessageType.heartbeatResponse, message.from, { context: message.context });
}

function encodeRound(round: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(round));
  return bytes;
}

/** The round that a heartbeat response confirms; 0 if none. */
export function decodeRound(context: Uint8Array): number {
  if (context.length !== 8) return 0;
  return Number(new DataView(context.buffer, context.byteOffset, 8).getBigUint64(0));
}
