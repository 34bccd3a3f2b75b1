/** Changes of role and term (paper, section 5.1 and figure 4). */
import type { RaftState } from './state.js';

export function becomeFollower(state: RaftState, term: number, leader: bigint): void {
  reset(state, term);
  state.role = 'follower';
  state.events.push({ type: 'becameFollower', term, leader });
  state.setLeader(leader);
}

/** Neither term nor vote change: nobody else is to be disturbed (dissertation, section 9.6). */
export function becomePreCandidate(state: RaftState): void {
  state.role = 'preCandidate';
  state.votes.clear();
  state.drawElectionTimeout();
  state.events.push({ type: 'becamePreCandidate', term: state.term });
  state.setLeader(0n);
}

export function becomeCandidate(state: RaftState): void {
  reset(state, state.term + 1);
  state.role = 'candidate';
  state.vote = state.id;
  state.events.push({ type: 'becameCandidate', term: state.term });
  state.setLeader(0n);
}

/** A leader knows nothing about the others' logs yet, and a change may be anywhere in its own. */
export function becomeLeader(state: RaftState): void {
  reset(state, state.term);
  state.role = 'leader';
  const own = state.progress.get(state.id);
  own?.becomeReplicate();
  state.pendingConfIndex = state.log.lastIndex;
  state.events.push({ type: 'becameLeader', term: state.term });
  state.setLeader(state.id);
}

function reset(state: RaftState, term: number): void {
  if (term !== state.term) {
    state.term = term;
    state.vote = 0n;
  }
  state.electionElapsedTicks = 0;
  state.heartbeatElapsedTicks = 0;
  state.drawElectionTimeout();
  state.votes.clear();
  state.ownVoteReady = 0;
  state.pendingConfIndex = 0;
  state.uncommittedBytes = 0;
  state.reads.clear();
  abortTransfer(state, 'roleChanged');
  resetProgress(state);
}

function resetProgress(state: RaftState): void {
  for (const [id, previous] of state.progress) {
    const progress = state.newProgress();
    progress.isLearner = previous.isLearner;
    progress.recentActive = id === state.id;
    if (id === state.id) progress.match = state.log.unstable.durableIndex;
    state.progress.set(id, progress);
  }
}

/** Proposals are taken again (dissertation, section 3.10). */
export function abortTransfer(
  state: RaftState,
  reason: 'timeout' | 'superseded' | 'notVoter' | 'roleChanged',
): void {
  if (state.transferee === 0n) return;
  const { transferee: to, term } = state;
  state.transferee = 0n;
  state.events.push({ type: 'transferAborted', to, term, reason });
}
