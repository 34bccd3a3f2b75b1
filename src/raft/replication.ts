/** Log replication (paper, sections 5.3 and 5.4.2). */
import { bytesOf } from './log.js';
import { MessageType, type Entry, type Message } from './message.js';
import type { Progress } from './progress.js';
import { quorumIndex } from './quorum.js';
import { startParkedReads } from './read-index.js';
import { sendSnapshot } from './snapshot.js';
import type { RaftState } from './state.js';

/** Sends to everybody what they lack; an append without entries where only the commit index is news. */
export function broadcastAppend(state: RaftState): void {
  for (const id of state.progress.keys()) {
    if (id !== state.id) sendAppend(state, id, true);
  }
}

/**
 * Sends the next entries to a member, or the snapshot if they are compacted; says whether it sent. When
 * the window is full an append without entries still goes out, so that a follower whose whole window
 * was lost can say so.
 */
export function sendAppend(state: RaftState, to: bigint, evenIfEmpty: boolean): boolean {
  const progress = state.progress.get(to);
  if (progress === undefined || progress.isPaused()) return false;
  const index = progress.next - 1;
  const logTerm = state.log.term(index);
  const entries = nextEntries(state, progress);
  if (logTerm === undefined || entries === undefined) return sendSnapshot(state, to, progress);
  if (entries.length === 0 && !evenIfEmpty) return false;
  const commit = state.log.committed;
  state.send(MessageType.append, to, { index, logTerm, entries, commit });
  progress.sentEntries(entries.length, bytesOf(entries));
  progress.sentCommit = commit;
  return true;
}

function nextEntries(state: RaftState, progress: Progress): Entry[] | undefined {
  if (progress.state === 'replicate' && progress.inflights.isFull()) return [];
  return state.log.entriesFrom(progress.next, state.config.maxBytesPerMessage);
}

/**
 * Commits what a quorum has, but only up to an entry of the own term: older ones may still be replaced
 * although a quorum holds them (section 5.4.2, figure 8). Says whether the commit index moved.
 */
export function maybeCommit(state: RaftState): boolean {
  const { log, progress, term } = state;
  const index = quorumIndex(state.configuration, (id) => progress.get(id)?.match ?? 0);
  if (index <= log.committed || log.term(index) !== term) return false;
  log.commitTo(index);
  startParkedReads(state);
  return true;
}

/** Leaders: the own log is durable up to a new index, which counts like any follower's answer. */
export function countOwnAppend(state: RaftState): void {
  const own = state.progress.get(state.id);
  if (own?.maybeUpdate(state.log.unstable.durableIndex) && maybeCommit(state)) {
    broadcastAppend(state);
  }
}

/** Leaders. */
export function handleAppendResponse(state: RaftState, message: Message): void {
  const progress = state.progress.get(message.from);
  // An index that this leader's log never had cannot be an answer to it.
  if (progress === undefined || message.index > state.log.lastIndex) return;
  progress.recentActive = true;
  if (message.reject) handleRejection(state, progress, message);
  else handleAcceptance(state, progress, message);
}

/**
 * Finds the next candidate for agreement. The follower has already skipped its entries above our term;
 * we skip ours above its term, so each exchange passes over a whole term on one side or the other.
 */
function handleRejection(state: RaftState, progress: Progress, message: Message): void {
  const { rejectHint, logTerm } = message;
  const hint = logTerm > 0 ? state.log.lastNotAbove(rejectHint, logTerm).index : rejectHint;
  if (!progress.maybeDecreaseTo(message.index, hint)) return;
  if (progress.state === 'replicate') progress.becomeProbe();
  sendAppend(state, message.from, true);
}

function handleAcceptance(state: RaftState, progress: Progress, message: Message): void {
  const wasPaused = progress.isPaused();
  const isNews = progress.maybeUpdate(message.index);
  // A probe that is answered with what was known already ends the probing all the same.
  if (!isNews && !(progress.state === 'probe' && progress.match === message.index)) return;
  advance(state, progress, message.index);
  if (maybeCommit(state)) broadcastAppend(state);
  else if (wasPaused || progress.canBumpCommit(state.log.committed)) {
    sendAppend(state, message.from, true);
  }
  while (sendAppend(state, message.from, false)); // the window may have room for several now
}

function advance(state: RaftState, progress: Progress, index: number): void {
  if (progress.state === 'probe') progress.becomeReplicate();
  else if (progress.state === 'replicate') progress.inflights.freeTo(index);
  else if (progress.match + 1 >= state.log.firstIndex) progress.becomeReplicate();
}

/** Leaders: the member lives, so its next append need not wait any longer. */
export function handleHeartbeatResponse(state: RaftState, message: Message): void {
  const progress = state.progress.get(message.from);
  if (progress === undefined) return;
  progress.recentActive = true;
  progress.flowPaused = false;
  const lags = progress.match < state.log.lastIndex || progress.state === 'probe';
  if (lags) sendAppend(state, message.from, true);
}

/** Followers (figure 2, AppendEntries receiver). */
export function handleAppend(state: RaftState, message: Message): void {
  if (!isWellFormed(message)) return;
  const { log } = state;
  const { from, index, logTerm: term, entries } = message;
  if (index < log.committed) {
    state.send(MessageType.appendResponse, from, { index: log.committed });
  } else if (log.maybeAppend({ index, term }, entries)) {
    const last = index + entries.length;
    log.commitTo(Math.min(message.commit, last));
    state.send(MessageType.appendResponse, from, { index: last });
  } else {
    rejectAppend(state, message);
  }
}

/** Entries follow each other and the position before them; else it is nobody's append. */
function isWellFormed({ index, entries }: Message): boolean {
  return entries.every((entry, i) => entry.index === index + 1 + i);
}

/** The hint is the last position where the logs may agree, given only the leader's term at `index`. */
function rejectAppend(state: RaftState, message: Message): void {
  const { from, index, logTerm } = message;
  const hint = state.log.lastNotAbove(Math.min(index, state.log.lastIndex), logTerm);
  state.send(MessageType.appendResponse, from, {
    index,
    reject: true,
    rejectHint: hint.index,
    logTerm: hint.term,
  });
}

/** Leaders: a message to a member was lost, so what was sent optimistically may be too. */
export function handleUnreachable(state: RaftState, id: bigint): void {
  const progress = state.progress.get(id);
  if (progress?.state === 'replicate') progress.becomeProbe();
}
