/** Linearizable reads without log entries (paper, section 8; dissertation, section 6.4). */
import { broadcastHeartbeat, decodeRound } from './heartbeat.js';
import { EntryType, MessageType, type Message } from './message.js';
import type { ReadRequest } from './read-queue.js';
import type { RaftState } from './state.js';

/**
 * Leaders. Before the first commit in its term a leader may not know the newest commit index, so the
 * request waits (a single voter's included: its commit index may be lost in a crash).
 */
export function requestRead(state: RaftState, request: ReadRequest): void {
  if (!hasCommittedInTerm(state)) return state.reads.park(request);
  state.reads.add(request, state.log.committed);
  confirmOrAsk(state);
}

export function hasCommittedInTerm(state: RaftState): boolean {
  return state.log.term(state.log.committed) === state.term;
}

/** The commit index moved; the first time in a term this starts what was parked, as one round. */
export function startParkedReads(state: RaftState): void {
  const parked = state.reads.takeParked();
  if (parked.length === 0) return;
  for (const request of parked) state.reads.add(request, state.log.committed);
  confirmOrAsk(state);
}

/** A single voter is its own quorum and needs no round. */
function confirmOrAsk(state: RaftState): void {
  releaseReads(state);
  if (state.reads.openRound > 0) broadcastHeartbeat(state);
}

/** Answers whatever a quorum has confirmed. Called when an echo comes or the quorum changes. */
export function releaseReads(state: RaftState): void {
  const confirmed = state.reads.takeConfirmed(state.configuration, state.id);
  for (const { from, index, context } of confirmed) {
    if (from === state.id) state.readStates.push({ index, context });
    else answer(state, from, index, context);
  }
}

function answer(state: RaftState, to: bigint, index: number, context: Uint8Array): void {
  const entries = [asEntry(context)];
  state.send(MessageType.readIndexResponse, to, { index, entries });
}

/** How requests and answers carry the requester's context: as the data of one entry. */
function asEntry(data: Uint8Array): Message['entries'][number] {
  return { type: EntryType.normal, term: 0, index: 0, data };
}

/** Leaders. */
export function handleReadEcho(state: RaftState, message: Message): void {
  const round = decodeRound(message.context);
  if (round === 0) return;
  state.reads.echoed(message.from, round);
  releaseReads(state);
}

/** Followers: asks the leader. */
export function forwardRead(state: RaftState, context: Uint8Array): void {
  const entries = [asEntry(context)];
  state.send(MessageType.readIndex, state.leader, { term: 0, entries });
}

/** Leaders: a follower's request. */
export function handleReadIndex(state: RaftState, message: Message): void {
  const context = message.entries[0]?.data;
  if (context !== undefined) requestRead(state, { from: message.from, context });
}

/** Followers: the leader's answer. */
export function handleReadIndexResponse(state: RaftState, message: Message): void {
  const context = message.entries[0]?.data;
  if (context !== undefined) state.readStates.push({ index: message.index, context });
}
