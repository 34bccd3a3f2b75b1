/**
 * The consensus core of one member: messages and ticks in, {@link Ready} out. It does no I/O, reads no
 * clock and calls nobody. What a message or a tick does is decided here by term and role, as in the
 * paper's figure 2; how it is done stands in one file per concern.
 */
import { assert } from './assert.js';
import { checkQuorum } from './check-quorum.js';
import { checkConfig, type RaftConfig } from './config.js';
import {
  countOwnVote,
  handlePreVoteResponse,
  handleTimeoutNow,
  handleVoteRequest,
  handleVoteResponse,
  hup,
  isIgnoredByLease,
  tickElection,
} from './election.js';
import type { Role } from './events.js';
import { broadcastHeartbeat, handleHeartbeat } from './heartbeat.js';
import { confStateOf } from './membership/configuration.js';
import { applyConfChange } from './membership/reconfigure.js';
import {
  EntryType,
  MessageType,
  type ConfChange,
  type ConfChangeV2,
  type ConfState,
  type Entry,
  type Message,
  type Snapshot,
} from './message.js';
import { handlePropose, maybeLeaveJoint, propose, type ProposeResult } from './proposal.js';
import {
  forwardRead,
  handleReadEcho,
  handleReadIndex,
  handleReadIndexResponse,
  requestRead,
} from './read-index.js';
import { hasReady, takeReady, type Ready } from './ready.js';
import {
  countOwnAppend,
  handleAppend,
  handleAppendResponse,
  handleHeartbeatResponse,
  handleUnreachable,
} from './replication.js';
import { abortTransfer, becomeFollower } from './role.js';
import { adoptInstalled, handleSnapshot, handleSnapshotStatus } from './snapshot.js';
import { RaftState } from './state.js';
import { statusOf, type RaftStatus } from './status.js';
import { forwardTransfer, maybeFinishTransfer, maybeHandOver, startTransfer } from './transfer.js';

/** A configuration change to propose; the core does not look into `data`. */
export interface ConfChangeProposal {
  /** `v1`: an encoded raftpb.ConfChange; `v2`: a ConfChangeV2 (empty data leaves a joint configuration). */
  readonly type: 'v1' | 'v2';
  readonly data: Uint8Array;
}

export class Raft {
  readonly #state: RaftState;

  /** Starts as a follower from what the storage says survived. Throws on an impossible configuration. */
  constructor(config: RaftConfig) {
    checkConfig(config);
    this.#state = new RaftState(config);
  }

  get id(): bigint {
    return this.#state.id;
  }

  get term(): number {
    return this.#state.term;
  }

  /** Voted for in the current term; 0n for nobody. */
  get vote(): bigint {
    return this.#state.vote;
  }

  /** 0n when unknown. */
  get leader(): bigint {
    return this.#state.leader;
  }

  get role(): Role {
    return this.#state.role;
  }

  get commitIndex(): number {
    return this.#state.log.committed;
  }

  /** Highest index reported by {@link Raft.appliedTo}, or of an installed snapshot. */
  get applied(): number {
    return this.#state.log.applied;
  }

  get lastIndex(): number {
    return this.#state.log.lastIndex;
  }

  /**
   * The log's end that is not known to be durable here: from `offset` on, behind a snapshot that is not
   * installed yet if there is one. What lies before `offset` is in the storage.
   */
  get unstable(): {
    readonly offset: number;
    readonly entries: readonly Entry[];
    readonly snapshot: Snapshot | undefined;
  } {
    return this.#state.log.unstable;
  }

  /** Whom this leader is handing over to; 0n for nobody. */
  get transferee(): bigint {
    return this.#state.transferee;
  }

  /** The configuration in force: the last one applied. */
  get confState(): ConfState {
    return confStateOf(this.#state.configuration);
  }

  /** A snapshot of everything; see the getters for what is asked often. */
  status(): RaftStatus {
    return statusOf(this.#state);
  }

  /** One tick of time has passed. */
  tick(): void {
    const state = this.#state;
    if (state.role === 'leader') tickLeader(state);
    else tickElection(state);
  }

  /**
   * A message from another member. Types that members only tell themselves are ignored, and so are
   * answers from members outside the configuration.
   */
  step(message: Message): void {
    const state = this.#state;
    if (isLocal(message.type)) return;
    if (isResponse(message.type) && !state.progress.has(message.from)) return;
    if (hasNoTerm(message.type)) stepByRole(state, message);
    else if (message.term > 0 && admitTerm(state, message)) stepInTerm(state, message);
  }

  /** Proposes one entry per item, all or none, in order. Followers pass them on to the leader. */
  propose(data: readonly Uint8Array[]): ProposeResult {
    return propose(
      this.#state,
      data.map((item) => ({ type: EntryType.normal, data: item })),
    );
  }

  /**
   * Proposes a configuration change. A leader that has another one under way, or for which it cannot
   * fit (see the `confChangeIgnored` event), appends an empty entry instead.
   */
  proposeConfChange({ type, data }: ConfChangeProposal): ProposeResult {
    const entryType = type === 'v1' ? EntryType.confChange : EntryType.confChangeV2;
    return propose(this.#state, [{ type: entryType, data }]);
  }

  /**
   * Must be called for every committed entry of a conf-change type when it is applied, before
   * {@link Raft.appliedTo} of its index; with nodeId 0n if the application refuses it. Returns the
   * configuration now in force, to be persisted. A change that does not fit changes nothing, alike on
   * every member (`confChangeRefused` event).
   */
  applyConfChange(change: ConfChange | ConfChangeV2): ConfState {
    return applyConfChange(this.#state, change);
  }

  /**
   * Asks for an index such that a read at that applied index is linearizable; it comes, if it comes,
   * in {@link Ready.readStates} with the same context. Ask again (best with a new context) if it does
   * not: requests get lost with messages and leaders. `noLeader`: nobody to ask, nothing happened.
   */
  readIndex(context: Uint8Array): 'accepted' | 'noLeader' {
    const state = this.#state;
    if (state.leader === 0n) return 'noLeader';
    if (state.role === 'leader') requestRead(state, { from: state.id, context });
    else forwardRead(state, context);
    return 'accepted';
  }

  /** Begins an election as if the timeout had passed; leaders, learners and outsiders don't. */
  campaign(): void {
    hup(this.#state, this.#state.config.preVote ? 'preElection' : 'election');
  }

  /**
   * Hands leadership to a voter; given up after one election timeout. Proposals are refused meanwhile.
   * Followers pass the wish on to the leader.
   */
  transferLeader(to: bigint): void {
    const state = this.#state;
    if (state.role === 'leader') startTransfer(state, to);
    else if (state.leader !== 0n) forwardTransfer(state, to);
  }

  /** A message to this member was lost for certain: the leader stops to send ahead of answers. */
  reportUnreachable(id: bigint): void {
    if (this.#state.role === 'leader') handleUnreachable(this.#state, id);
  }

  /** A snapshot message to this member has been delivered, or has failed: replication goes on. */
  reportSnapshot(id: bigint, ok: boolean): void {
    if (this.#state.role === 'leader') handleSnapshotStatus(this.#state, id, ok);
  }

  /** Is there anything for {@link Raft.ready} to hand out? */
  hasReady(): boolean {
    return hasReady(this.#state);
  }

  /** Hands out everything to be done now. Several may be under way; see {@link Ready} for the order. */
  ready(): Ready {
    return takeReady(this.#state);
  }

  /**
   * The writes of this Ready and of all before it are durable: entries, hard state, snapshot (which is
   * then also applied). Calls must be in order; for a Ready without writes they are allowed and needless.
   */
  appended(ready: Ready): void {
    const state = this.#state;
    const { number } = ready;
    assert(number <= state.readyNumber, () => `Ready ${number} was never handed out`);
    const installed = state.log.written(number);
    if (installed !== undefined) adoptInstalled(state, installed);
    if (state.role === 'leader') countOwnAppend(state);
    countOwnVote(state, number);
  }

  /** All entries up to this index are applied; their configuration changes have been told before. */
  appliedTo(index: number): void {
    this.#state.log.appliedTo(index);
    maybeLeaveJoint(this.#state);
  }
}

function tickLeader(state: RaftState): void {
  state.heartbeatElapsedTicks++;
  state.electionElapsedTicks++;
  if (state.electionElapsedTicks >= state.config.electionTicks) {
    state.electionElapsedTicks = 0;
    if (state.config.checkQuorum) checkQuorum(state);
    abortTransfer(state, 'timeout');
  }
  if (state.role !== 'leader' || state.heartbeatElapsedTicks < state.config.heartbeatTicks) return;
  state.heartbeatElapsedTicks = 0;
  broadcastHeartbeat(state);
  maybeLeaveJoint(state);
  maybeHandOver(state);
}

/** Requests passed on to the leader belong to no term (etcd's convention). */
function hasNoTerm(type: MessageType): boolean {
  return type === MessageType.propose || type === MessageType.readIndex;
}

function isLocal(type: MessageType): boolean {
  return (
    type === MessageType.hup ||
    type === MessageType.beat ||
    type === MessageType.unreachable ||
    type === MessageType.snapshotStatus ||
    type === MessageType.checkQuorum
  );
}

function isResponse(type: MessageType): boolean {
  return (
    type === MessageType.appendResponse ||
    type === MessageType.voteResponse ||
    type === MessageType.heartbeatResponse ||
    type === MessageType.readIndexResponse ||
    type === MessageType.preVoteResponse
  );
}

function isVoteRequest(type: MessageType): boolean {
  return type === MessageType.vote || type === MessageType.preVote;
}

/** Only the leader of a term sends these. */
function isFromLeader(type: MessageType): boolean {
  return (
    type === MessageType.append || type === MessageType.heartbeat || type === MessageType.snapshot
  );
}

/** Figure 2, rules for all servers: is the message to be handled, after what its term says? */
function admitTerm(state: RaftState, message: Message): boolean {
  if (message.term < state.term) {
    answerOldTerm(state, message);
    return false;
  }
  if (message.term === state.term) return true;
  if (isVoteRequest(message.type) && isIgnoredByLease(state, message)) return false;
  if (movesTerm(message)) adoptTerm(state, message);
  return true;
}

/** A pre-vote and its grant carry a term that nobody is in yet. */
function movesTerm({ type, reject }: Message): boolean {
  return type !== MessageType.preVote && (type !== MessageType.preVoteResponse || reject);
}

function adoptTerm(state: RaftState, { type, term, from }: Message): void {
  state.events.push({ type: 'higherTerm', from, ownTerm: state.term, term });
  becomeFollower(state, term, isFromLeader(type) ? from : 0n);
}

/**
 * Requests of an old term are refused with the newer one (5.1): a leader learns that its term is over, and
 * a candidate that it must go further. Else a member that was cut off with a higher term could neither be
 * won back nor win, and two candidates could trail each other for long. (etcd leaves votes unanswered.)
 */
function answerOldTerm(state: RaftState, { type, from }: Message): void {
  switch (type) {
    case MessageType.append:
    case MessageType.heartbeat:
      return state.send(MessageType.appendResponse, from);
    case MessageType.vote:
      return state.send(MessageType.voteResponse, from, { reject: true });
    case MessageType.preVote:
      return state.send(MessageType.preVoteResponse, from, { reject: true });
    default:
  }
}

function stepInTerm(state: RaftState, message: Message): void {
  if (isVoteRequest(message.type)) return handleVoteRequest(state, message);
  if (isFromLeader(message.type)) followLeader(state, message);
  stepByRole(state, message);
}

/** Candidates give way to the leader of their term; followers count from its last sign of life. */
function followLeader(state: RaftState, { from }: Message): void {
  const { role, term } = state;
  assert(role !== 'leader', () => `two leaders in term ${term}: ${state.id} and ${from}`);
  if (role !== 'follower') becomeFollower(state, term, from);
  state.electionElapsedTicks = 0;
  state.setLeader(from);
}

function stepByRole(state: RaftState, message: Message): void {
  switch (state.role) {
    case 'leader':
      return stepLeader(state, message);
    case 'follower':
      return stepFollower(state, message);
    case 'candidate':
      if (message.type === MessageType.voteResponse) handleVoteResponse(state, message);
      return;
    case 'preCandidate':
      if (message.type === MessageType.preVoteResponse) handlePreVoteResponse(state, message);
      return;
  }
}

function stepLeader(state: RaftState, message: Message): void {
  switch (message.type) {
    case MessageType.propose:
      return handlePropose(state, message);
    case MessageType.appendResponse:
      handleAppendResponse(state, message);
      maybeFinishTransfer(state, message.from);
      return;
    case MessageType.heartbeatResponse:
      handleHeartbeatResponse(state, message);
      handleReadEcho(state, message);
      return;
    case MessageType.readIndex:
      return handleReadIndex(state, message);
    case MessageType.transferLeader:
      return startTransfer(state, message.from);
    default:
  }
}

function stepFollower(state: RaftState, message: Message): void {
  switch (message.type) {
    case MessageType.append:
      return handleAppend(state, message);
    case MessageType.heartbeat:
      return handleHeartbeat(state, message);
    case MessageType.snapshot:
      return handleSnapshot(state, message);
    case MessageType.timeoutNow:
      return handleTimeoutNow(state);
    case MessageType.readIndexResponse:
      return handleReadIndexResponse(state, message);
    case MessageType.propose:
    case MessageType.readIndex:
    case MessageType.transferLeader:
      if (state.leader !== 0n) state.forward(message, state.leader);
      return;
    default:
  }
}
