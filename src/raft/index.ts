/** The only door to the consensus core. */
export { RaftInvariantError } from './assert.js';
export type { RaftConfig } from './config.js';
export type { CampaignKind, RaftEvent, Role } from './events.js';
export {
  ConfChangeTransition,
  ConfChangeType,
  EntryType,
  makeMessage,
  MessageType,
  type ConfChange,
  type ConfChangeV2,
  type ConfState,
  type Entry,
  type HardState,
  type Message,
  type Snapshot,
  type SnapshotMetadata,
} from './message.js';
export type { ProgressState } from './progress.js';
export type { ProposeResult } from './proposal.js';
export { Raft, type ConfChangeProposal } from './raft.js';
export { SeededRandom, type Random } from './random.js';
export type { ReadResult } from './read-queue.js';
export type { Ready } from './ready.js';
export type { ProgressStatus, RaftStatus } from './status.js';
export type { RaftStorage } from './storage.js';
