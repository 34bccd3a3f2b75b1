/** What a core is made from. */
import { assert } from './assert.js';
import type { Random } from './random.js';
import type { RaftStorage } from './storage.js';

export interface RaftConfig {
  /** This member, not 0n. */
  readonly id: bigint;
  /** The stable log; its `initialState` says what survived. */
  readonly storage: RaftStorage;
  /** Draws election timeouts. */
  readonly random: Random;
  /** Highest index that the state machine has applied already; entries behind it are handed out. */
  readonly applied: number;
  /** Election timeouts are uniform in `[electionTicks, 2 * electionTicks - 1]`; above `heartbeatTicks`. */
  readonly electionTicks: number;
  /** A leader sends heartbeats this often; at least 1. */
  readonly heartbeatTicks: number;
  /** Ask before raising the term (dissertation, section 9.6). */
  readonly preVote: boolean;
  /** Leaders without a quorum step down; followers of a live leader ignore candidates (6.2, 4.2.3). */
  readonly checkQuorum: boolean;
  /** Most entry data in one append; a single entry may exceed it. */
  readonly maxBytesPerMessage: number;
  /** Most appends under way to one follower; at least 1. */
  readonly maxInflightMessages: number;
  /** Most entry data under way to one follower; 0 is no limit. */
  readonly maxInflightBytes: number;
  /** Most proposed data that is not committed and handed out yet; beyond, proposals are refused. 0 is no limit. */
  readonly maxUncommittedBytes: number;
  /** Most entry data in `Ready.committedEntries`; a single entry may exceed it. */
  readonly maxCommittedBytesPerReady: number;
}

/** Throws on values that no core can work with. */
export function checkConfig(config: RaftConfig): void {
  const { id, heartbeatTicks, electionTicks, maxInflightMessages } = config;
  assert(id > 0n, () => `member id must be above 0, not ${id}`);
  assert(heartbeatTicks >= 1, () => `heartbeatTicks must be at least 1, not ${heartbeatTicks}`);
  assert(
    electionTicks > heartbeatTicks,
    () => `electionTicks ${electionTicks} must exceed heartbeatTicks ${heartbeatTicks}`,
  );
  assert(maxInflightMessages >= 1, () => `maxInflightMessages must be at least 1`);
}
