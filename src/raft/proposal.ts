/** Proposals: how entries enter a leader's log (paper, section 5.3). */
import { isJoint, isVoter } from './membership/configuration.js';
import { EntryType, MessageType, type Entry, type Message } from './message.js';
import { broadcastAppend } from './replication.js';
import { becomeLeader } from './role.js';
import type { RaftState } from './state.js';

/**
 * - `accepted`: appended here or passed on to the leader. It may still get lost; only its appearance
 *   among the committed entries says that it did not.
 * - `noLeader`: nobody to give it to (or a leader that was removed and is handing over); nothing happened.
 * - `transferring`: the leader is handing over and takes nothing; nothing happened.
 * - `tooLarge`: `maxUncommittedBytes` would be exceeded; nothing happened.
 */
export type ProposeResult = 'accepted' | 'noLeader' | 'transferring' | 'tooLarge';

/** What is proposed; term and index are the leader's to give. */
export type Proposal = Pick<Entry, 'type' | 'data'>;

const NO_DATA = new Uint8Array(0);
const NO_OP: Proposal = { type: EntryType.normal, data: NO_DATA };

/** A leader's first act: an empty entry, whose commit commits all before it (section 5.4.2 and 8). */
export function becomeTermLeader(state: RaftState): void {
  becomeLeader(state);
  appendOwn(state, [NO_OP]);
  broadcastAppend(state);
}

/** From the application, on any member. */
export function propose(state: RaftState, proposals: readonly Proposal[]): ProposeResult {
  if (proposals.length === 0) return 'accepted';
  if (state.role === 'leader') return proposeAsLeader(state, proposals);
  if (state.leader === 0n) return 'noLeader';
  const entries = proposals.map(({ type, data }) => ({ type, data, term: 0, index: 0 }));
  state.send(MessageType.propose, state.leader, { term: 0, entries });
  return 'accepted';
}

/** Leaders: a follower's; one that cannot be taken is dropped, its proposer will notice. */
export function handlePropose(state: RaftState, message: Message): void {
  if (message.entries.length > 0) proposeAsLeader(state, message.entries);
}

function proposeAsLeader(state: RaftState, proposals: readonly Proposal[]): ProposeResult {
  if (!isVoter(state.configuration, state.id)) return 'noLeader';
  if (state.transferee !== 0n) return 'transferring';
  if (!admit(state, proposals)) return 'tooLarge';
  appendOwn(state, proposals);
  broadcastAppend(state);
  return 'accepted';
}

/** One proposal alone may exceed the limit, and empty ones always pass: leaders need them. */
function admit(state: RaftState, proposals: readonly Proposal[]): boolean {
  let bytes = 0;
  for (const { data } of proposals) bytes += data.length;
  const limit = state.config.maxUncommittedBytes;
  if (limit === 0 || bytes === 0 || state.uncommittedBytes === 0) return true;
  return state.uncommittedBytes + bytes <= limit;
}

/** Committed entries leave the leader for its application; only those of its term were counted. */
export function releaseUncommitted(state: RaftState, committed: readonly Entry[]): void {
  if (state.uncommittedBytes === 0) return;
  for (const { term, data } of committed) {
    if (term === state.term) state.uncommittedBytes -= data.length;
  }
}

/** The leader never waits for itself to be durable before it replicates; only before it counts itself. */
function appendOwn(state: RaftState, proposals: readonly Proposal[]): void {
  const { term, log } = state;
  let index = log.lastIndex;
  const entries: Entry[] = [];
  for (const proposal of proposals) {
    index++;
    const { type, data } = admitConfChange(state, proposal, index);
    entries.push({ type, term, index, data });
    state.uncommittedBytes += data.length;
  }
  log.append(entries);
}

/** At most one change is under way: until it is applied another becomes an empty entry. */
function admitConfChange(state: RaftState, proposal: Proposal, index: number): Proposal {
  if (proposal.type === EntryType.normal) return proposal;
  const pendingIndex = state.pendingConfIndex;
  if (pendingIndex > state.log.applied || !fitsJointState(state, proposal)) {
    state.events.push({ type: 'confChangeIgnored', index, pendingIndex });
    return NO_OP;
  }
  state.pendingConfIndex = index;
  return proposal;
}

/**
 * What can be said without decoding: single-step changes do not fit a joint configuration, and a change
 * without content (which leaves it) fits no other. The rest is decided, alike everywhere, at apply.
 */
function fitsJointState(state: RaftState, { type, data }: Proposal): boolean {
  if (isJoint(state.configuration)) return type === EntryType.confChangeV2;
  return type === EntryType.confChange || data.length > 0;
}

/**
 * Leaders: leaves a joint configuration that asked for it once it is applied (paper, section 6), with a
 * change without content. Tried again with every heartbeat, as a transfer may be in the way.
 */
export function maybeLeaveJoint(state: RaftState): void {
  if (state.role !== 'leader' || !state.configuration.autoLeave) return;
  if (state.pendingConfIndex > state.log.applied) return;
  propose(state, [{ type: EntryType.confChangeV2, data: NO_DATA }]);
}
