/** What happened inside the core, for logs and metrics: enough to print the lines that etcd's raft does. */
import type { ConfState } from './message.js';

/** `preCandidate` asks whether an election could be won before it raises its term (dissertation, 9.6). */
export type Role = 'follower' | 'preCandidate' | 'candidate' | 'leader';

/** Why an election is held: a trial, for real, or because the leader asked for it. */
export type CampaignKind = 'preElection' | 'election' | 'transfer';

/** In the order in which it happened; `term` is the member's own unless said otherwise. */
export type RaftEvent =
  | { readonly type: 'becameFollower'; readonly term: number; readonly leader: bigint }
  | { readonly type: 'becamePreCandidate'; readonly term: number }
  | { readonly type: 'becameCandidate'; readonly term: number }
  | { readonly type: 'becameLeader'; readonly term: number }
  /** `leader` 0n: lost `previous`; `previous` 0n: found one. */
  | {
      readonly type: 'leaderChanged';
      readonly term: number;
      readonly previous: bigint;
      readonly leader: bigint;
    }
  /** A message of a higher term ended the own one (`ownTerm`). */
  | {
      readonly type: 'higherTerm';
      readonly from: bigint;
      readonly ownTerm: number;
      readonly term: number;
    }
  | { readonly type: 'campaignStarted'; readonly kind: CampaignKind; readonly term: number }
  /** `reason`: what forbids to campaign now. */
  | {
      readonly type: 'campaignRefused';
      readonly term: number;
      readonly reason: 'notPromotable' | 'unappliedConfChange';
    }
  /** An answer to the own campaign, with the count so far. */
  | {
      readonly type: 'voteReceived';
      readonly preVote: boolean;
      readonly from: bigint;
      readonly granted: boolean;
      readonly term: number;
      readonly grants: number;
      readonly rejections: number;
    }
  /** The own answer to a candidate; `term` is the candidate's. */
  | {
      readonly type: 'voteCast';
      readonly preVote: boolean;
      readonly candidate: bigint;
      readonly granted: boolean;
      readonly term: number;
      readonly candidateLastTerm: number;
      readonly candidateLastIndex: number;
      readonly lastTerm: number;
      readonly lastIndex: number;
      readonly vote: bigint;
    }
  /** A vote request within the lease of a live leader (dissertation, 4.2.3); `term` is the candidate's. */
  | {
      readonly type: 'voteIgnored';
      readonly preVote: boolean;
      readonly candidate: bigint;
      readonly term: number;
      readonly remainingLeaseTicks: number;
    }
  /** The leader heard no quorum for an election timeout (dissertation, 6.2). */
  | { readonly type: 'quorumLost'; readonly term: number }
  | { readonly type: 'confChanged'; readonly confState: ConfState }
  /** A committed change did not fit the configuration and changed nothing. */
  | { readonly type: 'confChangeRefused'; readonly confState: ConfState }
  /** A proposed change was replaced by an empty entry: another is pending, or it cannot fit. */
  | { readonly type: 'confChangeIgnored'; readonly index: number; readonly pendingIndex: number }
  | {
      readonly type: 'snapshotSent';
      readonly to: bigint;
      readonly index: number;
      readonly firstIndex: number;
    }
  | { readonly type: 'snapshotRestored'; readonly index: number; readonly term: number }
  | {
      readonly type: 'snapshotIgnored';
      readonly index: number;
      readonly term: number;
      readonly commitIndex: number;
    }
  | { readonly type: 'transferStarted'; readonly to: bigint; readonly term: number }
  | {
      readonly type: 'transferAborted';
      readonly to: bigint;
      readonly term: number;
      readonly reason: 'timeout' | 'superseded' | 'notVoter' | 'roleChanged';
    };
