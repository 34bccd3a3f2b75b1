/** Leadership transfer (dissertation, section 3.10). */
import { isVoter, votersOf } from './membership/configuration.js';
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

/**
 * Leaders that are no longer voters lead on without proposals until a voter with the whole log takes
 * over: the others may not know yet that the removal is committed, and could need this member's vote to
 * get a leader. (Stepping down at once, as dissertation 4.2.2 has it, is safe to do only where
 * configurations take effect when appended.) Tried again with every heartbeat.
 */
export function maybeHandOver(state: RaftState): void {
  if (state.role !== 'leader' || state.transferee !== 0n) return;
  if (isVoter(state.configuration, state.id)) return;
  const successors = mostAdvancedVoters(state);
  // Chance, lest a member that is down be asked for ever.
  const chosen = successors[state.config.random.uint32() % successors.length];
  if (chosen !== undefined) startTransfer(state, chosen);
}

function mostAdvancedVoters(state: RaftState): bigint[] {
  const matchOf = (id: bigint): number => state.progress.get(id)?.match ?? 0;
  const voters = votersOf(state.configuration);
  const best = Math.max(...voters.map(matchOf));
  return voters.filter((id) => matchOf(id) === best);
}

/** Followers pass the wish on; by etcd's convention such a message comes "from" the transferee. */
export function forwardTransfer(state: RaftState, to: bigint): void {
  const message = makeMessage(MessageType.transferLeader, to, state.leader, { term: state.term });
  state.forward(message, state.leader);
}
