/**
 * What members say to each other and what the log holds: the content of etcd's raftpb messages.
 * Node ids are uint64 (bigint, 0n is "nobody"); terms and indexes are numbers.
 */

export const EntryType = { normal: 0, confChange: 1, confChangeV2: 2 } as const;
export type EntryType = (typeof EntryType)[keyof typeof EntryType];

/** One position of the replicated log. Entries are immutable once made. */
export interface Entry {
  readonly type: EntryType;
  readonly term: number;
  readonly index: number;
  /** Empty for the no-op that a new leader appends first. */
  readonly data: Uint8Array;
}

/** raftpb.MessageType numbers; those missing here (19 to 23) are local to other implementations. */
export const MessageType = {
  hup: 0,
  beat: 1,
  propose: 2,
  append: 3,
  appendResponse: 4,
  vote: 5,
  voteResponse: 6,
  snapshot: 7,
  heartbeat: 8,
  heartbeatResponse: 9,
  unreachable: 10,
  snapshotStatus: 11,
  checkQuorum: 12,
  transferLeader: 13,
  timeoutNow: 14,
  readIndex: 15,
  readIndexResponse: 16,
  preVote: 17,
  preVoteResponse: 18,
} as const;
export type MessageType = (typeof MessageType)[keyof typeof MessageType];

/** Who votes. `voters` alone outside a joint configuration; all lists ascend. */
export interface ConfState {
  readonly voters: readonly bigint[];
  readonly learners: readonly bigint[];
  /** Voters of the outgoing half of a joint configuration, else empty. */
  readonly votersOutgoing: readonly bigint[];
  /** Voters of the outgoing half that become learners when it is left. */
  readonly learnersNext: readonly bigint[];
  /** Leave the joint configuration as soon as it is applied. */
  readonly autoLeave: boolean;
}

export interface SnapshotMetadata {
  readonly confState: ConfState;
  readonly index: number;
  readonly term: number;
}

/** A snapshot's description; the state itself travels beside it (see server/snapshot). */
export interface Snapshot {
  readonly metadata: SnapshotMetadata;
  /** Opaque to raft: etcd 3.4 to 3.6 carry the membership as JSON here. */
  readonly data: Uint8Array;
}

/** What must survive a crash beside the log (paper, figure 2: persistent state). */
export interface HardState {
  readonly term: number;
  /** Voted for in `term`; 0n for nobody. */
  readonly vote: bigint;
  readonly commit: number;
}

/** raftpb.Message. A field that the type does not use is zero or empty. */
export interface Message {
  readonly type: MessageType;
  readonly to: bigint;
  readonly from: bigint;
  /** Sender's term; 0 for proposals and ReadIndex, which carry none. */
  readonly term: number;
  readonly logTerm: number;
  readonly index: number;
  readonly entries: readonly Entry[];
  readonly commit: number;
  readonly snapshot?: Snapshot;
  readonly reject: boolean;
  readonly rejectHint: number;
  readonly context: Uint8Array;
}

export const ConfChangeType = {
  addNode: 0,
  removeNode: 1,
  updateNode: 2,
  addLearnerNode: 3,
} as const;
export type ConfChangeType = (typeof ConfChangeType)[keyof typeof ConfChangeType];

/** raftpb.ConfChange: the single-step change that etcd writes to its log. */
export interface ConfChange {
  readonly id: bigint;
  readonly type: ConfChangeType;
  /** 0n turns the change into a no-op (how a change refused at apply is told to raft). */
  readonly nodeId: bigint;
  readonly context: Uint8Array;
}

export const ConfChangeTransition = { auto: 0, jointImplicit: 1, jointExplicit: 2 } as const;
export type ConfChangeTransition = (typeof ConfChangeTransition)[keyof typeof ConfChangeTransition];

/** raftpb.ConfChangeV2: several changes at once, through a joint configuration where needed. */
export interface ConfChangeV2 {
  readonly transition: ConfChangeTransition;
  readonly changes: readonly { readonly type: ConfChangeType; readonly nodeId: bigint }[];
  readonly context: Uint8Array;
}

const NO_BYTES = new Uint8Array(0);
const NO_ENTRIES: readonly Entry[] = [];

/** A message with the fields that its type does not use left zero or empty. */
export function makeMessage(
  type: MessageType,
  from: bigint,
  to: bigint,
  fields: Partial<Omit<Message, 'type' | 'from' | 'to'>>,
): Message {
  return {
    type,
    to,
    from,
    term: fields.term ?? 0,
    logTerm: fields.logTerm ?? 0,
    index: fields.index ?? 0,
    entries: fields.entries ?? NO_ENTRIES,
    commit: fields.commit ?? 0,
    snapshot: fields.snapshot,
    reject: fields.reject ?? false,
    rejectHint: fields.rejectHint ?? 0,
    context: fields.context ?? NO_BYTES,
  };
}
