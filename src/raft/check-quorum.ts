/** A leader that hears no quorum stops leading (dissertation, section 6.2). */
import { quorumVote } from './quorum.js';
import { becomeFollower } from './role.js';
import type { RaftState } from './state.js';

/** Once an election timeout: were a quorum heard since the last time? */
export function checkQuorum(state: RaftState): void {
  const isActive = (id: bigint): boolean =>
    id === state.id || state.progress.get(id)?.recentActive === true;
  if (quorumVote(state.configuration, isActive) !== 'won') {
    state.events.push({ type: 'quorumLost', term: state.term });
    becomeFollower(state, state.term, 0n);
  }
  for (const progress of state.progress.values()) progress.recentActive = false;
}
