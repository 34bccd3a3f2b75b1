/** What a world shows to the checkers that look at it after every step. */
import type { ConfState, Entry, Message, Role } from '../../raft/index.js';

/**
 * One node. Getters are read after every step and should cost next to nothing; a view may be one object
 * that always answers for the present. The disk's side is read for nodes that are down, too.
 */
export interface NodeView {
  readonly id: bigint;
  /** False while it is down: nothing but {@link NodeView.durable} is read then. */
  readonly alive: boolean;
  /** Counts its starts, from 0. */
  readonly incarnation: number;
  readonly role: Role;
  readonly term: number;
  /** Voted for in `term`; 0n for nobody. */
  readonly vote: bigint;
  readonly commitIndex: number;
  /** Last entry given to the state machine; after a snapshot, the snapshot's index. */
  readonly appliedIndex: number;
  /** First index that the log still has; lastIndex + 1 when it has none. */
  readonly firstIndex: number;
  /** Durable or not. */
  readonly lastIndex: number;
  /** The configuration in force there. */
  readonly confState: ConfState;
  /** The entry as the core sees it, durable or not; undefined outside firstIndex to lastIndex. */
  entryAt(index: number): Entry | undefined;
  /** What a crash now would leave. */
  readonly durable: DurableView;
}

/** The log as it would be read back after a crash at this moment. */
export interface DurableView {
  /** First index held as an entry; what is below is covered by a snapshot point. */
  readonly firstIndex: number;
  readonly lastIndex: number;
  /** Undefined below firstIndex and above lastIndex. */
  termAt(index: number): number | undefined;
}

export interface WorldView {
  /** True virtual milliseconds. */
  readonly nowMs: number;
  /** Every node that the world has ever had and whose disk still exists, in a fixed order. */
  nodes(): Iterable<NodeView>;
  /** Those of them that may differ from how they were at the last step; left out: all. */
  changed?(): Iterable<NodeView>;
}

/**
 * What a checker of every step is told. The world calls `message` for each message that a node gives to
 * the network (delivered or not), and `step` when all that an event caused has come to rest.
 */
export interface StepChecker {
  message(message: Message): void;
  step(world: WorldView): void;
}
