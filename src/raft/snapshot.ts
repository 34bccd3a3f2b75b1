/** Snapshots for members that need compacted entries (paper, section 7). */
import { configurationFrom } from './membership/configuration.js';
import { MessageType, type Message, type Snapshot } from './message.js';
import type { Progress } from './progress.js';
import type { RaftState } from './state.js';

/** Leaders. One that does not answer would not receive it either; says whether it was sent. */
export function sendSnapshot(state: RaftState, to: bigint, progress: Progress): boolean {
  if (!progress.recentActive) return false;
  const snapshot = state.log.storedSnapshot();
  const { index } = snapshot.metadata;
  // The application has compacted and not described its snapshot yet; the next heartbeat tries again.
  if (index < state.log.firstIndex - 1 || index === 0) return false;
  state.events.push({ type: 'snapshotSent', to, index, firstIndex: state.log.firstIndex });
  progress.becomeSnapshot(index);
  state.send(MessageType.snapshot, to, { snapshot });
  return true;
}

/**
 * Leaders: how the transfer of a snapshot ended. Either way the member is probed, after the next
 * heartbeat response rather than at once: its acknowledgement may be on the way.
 */
export function handleSnapshotStatus(state: RaftState, id: bigint, ok: boolean): void {
  const progress = state.progress.get(id);
  if (progress?.state !== 'snapshot') return;
  if (!ok) progress.pendingSnapshot = 0;
  progress.becomeProbe();
  progress.flowPaused = true;
}

/** Followers. The answer says what the log holds now, whether the snapshot was needed or not. */
export function handleSnapshot(state: RaftState, message: Message): void {
  const { snapshot, from } = message;
  if (snapshot === undefined) return;
  const { index, term } = snapshot.metadata;
  const { log } = state;
  if (isNeeded(state, snapshot)) {
    log.restore(snapshot);
    state.events.push({ type: 'snapshotRestored', index, term });
  } else {
    const commitIndex = log.committed;
    state.events.push({ type: 'snapshotIgnored', index, term, commitIndex });
  }
  state.send(MessageType.appendResponse, from, { index: log.committed });
}

/**
 * A log that reaches the snapshot already only learns that it is committed so far. A snapshot whose
 * configuration lacks this member is taken too (etcd's core refuses it): the entry that adds a newcomer
 * may come behind it.
 */
function isNeeded(state: RaftState, snapshot: Snapshot): boolean {
  const { index, term } = snapshot.metadata;
  if (index <= state.log.committed) return false;
  if (!state.log.matches({ index, term })) return true;
  state.log.commitTo(index);
  return false;
}

/**
 * The snapshot is durable: its configuration takes effect now, not when it came, as the application may
 * still have been applying older entries meanwhile.
 */
export function adoptInstalled(state: RaftState, snapshot: Snapshot): void {
  const { confState } = snapshot.metadata;
  state.configuration = configurationFrom(confState);
  state.progress.clear();
  state.fitProgress();
  state.events.push({ type: 'confChanged', confState });
}
