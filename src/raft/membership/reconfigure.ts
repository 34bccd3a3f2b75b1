/** A committed configuration change takes effect (dissertation, chapter 4). */
import type { ConfChange, ConfChangeV2, ConfState } from '../message.js';
import { releaseReads } from '../read-index.js';
import { broadcastAppend, maybeCommit } from '../replication.js';
import { abortTransfer } from '../role.js';
import type { RaftState } from '../state.js';
import { maybeHandOver } from '../transfer.js';
import { asV2, changeConfiguration } from './conf-change.js';
import { confStateOf, isVoter } from './configuration.js';

/**
 * Takes effect when applied, not when appended (etcd's way; dissertation, 4.1 appends): safe because the
 * next change cannot be appended before, and nobody campaigns with one unapplied.
 */
export function applyConfChange(state: RaftState, change: ConfChange | ConfChangeV2): ConfState {
  const next = changeConfiguration(state.configuration, asV2(change));
  const confState = confStateOf(next ?? state.configuration);
  if (next === undefined) {
    state.events.push({ type: 'confChangeRefused', confState });
    return confState;
  }
  state.configuration = next;
  state.fitProgress();
  state.events.push({ type: 'confChanged', confState });
  if (state.role === 'leader') adjustLeader(state);
  return confState;
}

function adjustLeader(state: RaftState): void {
  // A smaller quorum may have what the old one lacked; a newcomer is to be probed at once.
  maybeCommit(state);
  broadcastAppend(state);
  releaseReads(state);
  if (!isVoter(state.configuration, state.transferee)) abortTransfer(state, 'notVoter');
  maybeHandOver(state);
}
