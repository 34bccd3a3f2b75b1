/** Elections (paper, sections 5.2 and 5.4.1) with pre-vote and leader leases (dissertation, 9.6, 4.2.3). */
import type { CampaignKind } from './events.js';
import { isVoter, votersOf } from './membership/configuration.js';
import { MessageType, type Message } from './message.js';
import { becomeTermLeader } from './proposal.js';
import { quorumVote } from './quorum.js';
import { becomeCandidate, becomeFollower, becomePreCandidate } from './role.js';
import type { RaftState } from './state.js';

/** Marks the vote requests of a transfer, which the lease of the old leader must not stop: etcd's bytes. */
const TRANSFER_CONTEXT = Uint8Array.from('CampaignTransfer', (letter) => letter.charCodeAt(0));

/** For everybody but a leader: an election begins when no leader was heard for a whole timeout. */
export function tickElection(state: RaftState): void {
  state.electionElapsedTicks++;
  if (!isPromotable(state) || state.electionElapsedTicks < state.electionTimeoutTicks) return;
  state.electionElapsedTicks = 0;
  hup(state, state.config.preVote ? 'preElection' : 'election');
}

/** May it become a leader: a voter whose log is not being replaced by a snapshot? */
export function isPromotable(state: RaftState): boolean {
  return isVoter(state.configuration, state.id) && state.log.unstable.snapshot === undefined;
}

/** Campaigns unless it must not: a change it has not applied may say who votes. */
export function hup(state: RaftState, kind: CampaignKind): void {
  if (state.role === 'leader') return;
  const reason = !isPromotable(state)
    ? 'notPromotable'
    : state.log.hasUnappliedConfChange()
      ? 'unappliedConfChange'
      : undefined;
  if (reason === undefined) campaign(state, kind);
  else state.events.push({ type: 'campaignRefused', term: state.term, reason });
}

/** A pre-election counts the own vote at once: it promises nothing. Any other, when it is durable. */
function campaign(state: RaftState, kind: CampaignKind): void {
  state.events.push({ type: 'campaignStarted', kind, term: state.term });
  if (kind === 'preElection') {
    becomePreCandidate(state);
    requestVotes(state, MessageType.preVote, state.term + 1, kind);
    countVote(state, state.id, true);
  } else {
    becomeCandidate(state);
    requestVotes(state, MessageType.vote, state.term, kind);
  }
}

function requestVotes(state: RaftState, type: MessageType, term: number, kind: CampaignKind): void {
  const { lastIndex: index, lastTerm: logTerm } = state.log;
  const context = kind === 'transfer' ? { context: TRANSFER_CONTEXT } : undefined;
  for (const id of votersOf(state.configuration)) {
    if (id !== state.id) state.send(type, id, { term, index, logTerm, ...context });
  }
}

/** All writes up to this Ready are durable, and with them perhaps the candidate's vote for itself. */
export function countOwnVote(state: RaftState, readyNumber: number): void {
  if (state.role !== 'candidate' || state.votes.has(state.id)) return;
  if (state.ownVoteReady > 0 && state.ownVoteReady <= readyNumber) {
    countVote(state, state.id, true);
  }
}

/** Candidates. */
export function handleVoteResponse(state: RaftState, message: Message): void {
  countVote(state, message.from, !message.reject);
}

/** Pre-candidates; a grant that is late answers an earlier question and says nothing of this one. */
export function handlePreVoteResponse(state: RaftState, message: Message): void {
  if (message.reject || message.term === state.term + 1) {
    countVote(state, message.from, !message.reject);
  }
}

function countVote(state: RaftState, from: bigint, granted: boolean): void {
  if (!state.votes.has(from)) state.votes.set(from, granted);
  reportVote(state, from, granted);
  const result = quorumVote(state.configuration, (id) => state.votes.get(id));
  if (result === 'lost') becomeFollower(state, state.term, 0n);
  if (result !== 'won') return;
  if (state.role === 'preCandidate') campaign(state, 'election');
  else becomeTermLeader(state);
}

function reportVote(state: RaftState, from: bigint, granted: boolean): void {
  let grants = 0;
  for (const vote of state.votes.values()) if (vote) grants++;
  const rejections = state.votes.size - grants;
  const { term } = state;
  const preVote = state.role === 'preCandidate';
  state.events.push({
    type: 'voteReceived',
    preVote,
    from,
    granted,
    term,
    grants,
    rejections,
  });
}

/**
 * Is this request to be ignored, because a leader was heard within the minimum election timeout? A
 * removed or partitioned member can then not disturb a working cluster. A transfer is the leader's wish.
 */
export function isIgnoredByLease(state: RaftState, message: Message): boolean {
  const { config, leader, electionElapsedTicks } = state;
  if (!config.checkQuorum || leader === 0n) return false;
  if (electionElapsedTicks >= config.electionTicks || isTransfer(message)) return false;
  state.events.push({
    type: 'voteIgnored',
    preVote: message.type === MessageType.preVote,
    candidate: message.from,
    term: message.term,
    remainingLeaseTicks: config.electionTicks - electionElapsedTicks,
  });
  return true;
}

function isTransfer(message: Message): boolean {
  const { context } = message;
  if (context.length !== TRANSFER_CONTEXT.length) return false;
  return context.every((byte, i) => byte === TRANSFER_CONTEXT[i]);
}

/**
 * A request of the own term, or a pre-vote of a higher one. Learners answer too: they may have been
 * promoted without having learned it. A pre-vote binds nobody, and its grant carries the term asked for.
 */
export function handleVoteRequest(state: RaftState, message: Message): void {
  const preVote = message.type === MessageType.preVote;
  const granted =
    mayVoteFor(state, message, preVote) &&
    state.log.isUpToDate({ index: message.index, term: message.logTerm });
  reportCast(state, message, preVote, granted);
  if (granted && !preVote) {
    state.vote = message.from;
    state.electionElapsedTicks = 0;
  }
  const type = preVote ? MessageType.preVoteResponse : MessageType.voteResponse;
  if (granted) state.send(type, message.from, { term: message.term });
  else state.send(type, message.from, { reject: true });
}

function mayVoteFor(state: RaftState, message: Message, preVote: boolean): boolean {
  if (state.vote === message.from) return true;
  if (state.vote === 0n && state.leader === 0n) return true;
  return preVote && message.term > state.term;
}

function reportCast(state: RaftState, message: Message, preVote: boolean, granted: boolean): void {
  state.events.push({
    type: 'voteCast',
    preVote,
    candidate: message.from,
    granted,
    term: message.term,
    candidateLastTerm: message.logTerm,
    candidateLastIndex: message.index,
    lastTerm: state.log.lastTerm,
    lastIndex: state.log.lastIndex,
    vote: state.vote,
  });
}

/** The leader asks this voter to take over at once (dissertation, section 3.10). */
export function handleTimeoutNow(state: RaftState): void {
  hup(state, 'transfer');
}
