/** Leadership transfer (dissertation, section 3.10). */
import { isVoter } from './membership/configuration.js';
import { makeMessage, MessageType } from './message.js';
import { sendAppend } from './replication.js';
import { abortTransfer } from './role.js';
import type { RaftState } from './state.js';

/** Leaders. No proposals from now on; the transferee is brought up to date and then told to campaign. */
export function startTransfer(state: RaftState, to: bigint): void {
  if (to === state.transferee) return;
  abortTransfer(state, 'superseded');
  if (to === state.id || !isVoter(state.configuration, to)) return;
  // The time for it starts now (tick of a leader): one election timeout.
  state.electionElapsedTicks = 0;
  state.transferee = to;
  state.events.push({ type: 'transferStarted', to, term: state.term });
  if (!maybeFinishTransfer(state, to)) sendAppend(state, to, true);
}

/** Leaders: tells `from` to campaign if it is the transferee and has the whole log. */
export function maybeFinishTransfer(state: RaftState, from: bigint): boolean {
  if (state.transferee === 0n || from !== state.transferee) return false;
  if (state.progress.get(from)?.match !== state.log.lastIndex) return false;
  state.send(MessageType.timeoutNow, from);
  return true;
}

/** Followers pass the wish on; by etcd's convention such a message comes "from" the transferee. */
export function forwardTransfer(state: RaftState, to: bigint): void {
  const message = makeMessage(MessageType.transferLeader, to, state.leader, { term: state.term });
  state.forward(message, state.leader);
}
