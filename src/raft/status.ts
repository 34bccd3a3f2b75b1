/** What a member knows, for operators and for checks before membership changes. */
import type { Role } from './events.js';
import { confStateOf } from './membership/configuration.js';
import type { ConfState } from './message.js';
import type { ProgressState } from './progress.js';
import type { RaftState } from './state.js';

/** Of one member, as the leader sees it. */
export interface ProgressStatus {
  readonly state: ProgressState;
  /** Highest index known to be durable there. */
  readonly match: number;
  /** Next index to send. */
  readonly next: number;
  /** Heard from since the last quorum check. */
  readonly recentActive: boolean;
  readonly isLearner: boolean;
  /** Index of the snapshot on its way there; 0 for none. */
  readonly pendingSnapshot: number;
  readonly isPaused: boolean;
  readonly inflightMessages: number;
}

export interface RaftStatus {
  readonly id: bigint;
  readonly term: number;
  /** 0n for nobody. */
  readonly vote: bigint;
  readonly commitIndex: number;
  readonly applied: number;
  readonly lastIndex: number;
  readonly role: Role;
  /** 0n when unknown. */
  readonly leader: bigint;
  /** Whom this leader is handing over to; 0n for nobody. */
  readonly transferee: bigint;
  readonly confState: ConfState;
  /** Of every member, itself included; empty unless this is the leader. */
  readonly progress: ReadonlyMap<bigint, ProgressStatus>;
}

export function statusOf(state: RaftState): RaftStatus {
  return {
    id: state.id,
    term: state.term,
    vote: state.vote,
    commitIndex: state.log.committed,
    applied: state.log.applied,
    lastIndex: state.log.lastIndex,
    role: state.role,
    leader: state.leader,
    transferee: state.transferee,
    confState: confStateOf(state.configuration),
    progress: state.role === 'leader' ? progressOf(state) : new Map(),
  };
}

function progressOf(state: RaftState): Map<bigint, ProgressStatus> {
  const all = new Map<bigint, ProgressStatus>();
  for (const [id, progress] of state.progress) {
    const { match, next, recentActive, isLearner, pendingSnapshot } = progress;
    all.set(id, {
      state: progress.state,
      match,
      next,
      recentActive,
      isLearner,
      pendingSnapshot,
      isPaused: progress.isPaused(),
      inflightMessages: progress.inflights.count,
    });
  }
  return all;
}
