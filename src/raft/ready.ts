/** What the core wants done. */
import type { RaftEvent } from './events.js';
import type { Entry, HardState, Message, Snapshot } from './message.js';
import { releaseUncommitted } from './proposal.js';
import type { ReadResult } from './read-queue.js';
import type { RaftState } from './state.js';

/**
 * One batch of work. Its parts may overlap with those of later Readys as follows:
 *
 * - The writes of Readys are made in the order of the Readys; within one: `snapshot` (replaces the whole
 *   log), `entries` (replace what is stored from their first index on), `hardState` - atomically, or in an
 *   order in which the hard state comes last. With `mustSync` they must survive a crash before they are
 *   reported; without, a write of its own may be put off until the next.
 * - When they are durable and readable through the storage, `Raft.appended(ready)` is called.
 * - `messages` may be sent at once.
 * - `messagesAfterAppend` may be sent when the writes of this and all earlier Readys are durable, even if
 *   this one asks for no write.
 * - What was handed out to apply and is not applied when a `snapshot` comes need not be applied any more.
 * - `committedEntries` are applied in order, independent of this Ready's writes (they are durable), and
 *   reported by `Raft.appliedTo`.
 */
export interface Ready {
  /** 1, 2, 3, …: which Ready this is. */
  readonly number: number;
  /** Present when it changed. */
  readonly hardState: HardState | undefined;
  readonly entries: readonly Entry[];
  /** To be installed: the state machine and the log start anew at its index. */
  readonly snapshot: Snapshot | undefined;
  readonly committedEntries: readonly Entry[];
  readonly messages: readonly Message[];
  readonly messagesAfterAppend: readonly Message[];
  readonly readStates: readonly ReadResult[];
  readonly events: readonly RaftEvent[];
  /** The writes matter for safety: entries, a snapshot, a term or a vote, not just a commit index. */
  readonly mustSync: boolean;
}

export function hasReady(state: RaftState): boolean {
  return (
    state.messages.length > 0 ||
    state.messagesAfterAppend.length > 0 ||
    state.log.unstable.hasUnwritten() ||
    state.log.hasToApply() ||
    state.readStates.length > 0 ||
    state.events.length > 0 ||
    hardStateChanged(state)
  );
}

export function takeReady(state: RaftState): Ready {
  const number = ++state.readyNumber;
  if (state.role === 'candidate' && state.ownVoteReady === 0) state.ownVoteReady = number;
  const { entries, snapshot } = state.log.unstable.handOut(number);
  const committedEntries = state.log.handOutCommitted(state.config.maxCommittedBytesPerReady);
  releaseUncommitted(state, committedEntries);
  const previous = state.handedHardState;
  const hardState = takeHardState(state);
  const mustSync =
    entries.length > 0 ||
    snapshot !== undefined ||
    state.term !== previous.term ||
    state.vote !== previous.vote;
  const output = takeOutput(state);
  return { number, hardState, entries, snapshot, committedEntries, ...output, mustSync };
}

function hardStateChanged({ handedHardState, term, vote, log }: RaftState): boolean {
  const { commit } = handedHardState;
  return handedHardState.term !== term || handedHardState.vote !== vote || commit !== log.committed;
}

function takeHardState(state: RaftState): HardState | undefined {
  if (!hardStateChanged(state)) return undefined;
  const { term, vote, log } = state;
  state.handedHardState = { term, vote, commit: log.committed };
  return state.handedHardState;
}

type Output = Pick<Ready, 'messages' | 'messagesAfterAppend' | 'readStates' | 'events'>;

function takeOutput(state: RaftState): Output {
  const { messages, messagesAfterAppend, readStates, events } = state;
  if (messages.length > 0) state.messages = [];
  if (messagesAfterAppend.length > 0) state.messagesAfterAppend = [];
  if (readStates.length > 0) state.readStates = [];
  if (events.length > 0) state.events = [];
  return {
    messages: messages.length > 0 ? messages : NOTHING,
    messagesAfterAppend: messagesAfterAppend.length > 0 ? messagesAfterAppend : NOTHING,
    readStates: readStates.length > 0 ? readStates : NOTHING,
    events: events.length > 0 ? events : NOTHING,
  };
}

const NOTHING: readonly never[] = [];
