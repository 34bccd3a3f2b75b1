/** Who belongs to the cluster and how: the sets behind raftpb's ConfState. */
import type { ConfState } from '../message.js';

/** Never changed in place. `learnersNext` is a subset of `votersOutgoing`, disjoint from `voters`. */
export interface Configuration {
  readonly voters: ReadonlySet<bigint>;
  /** Not empty: the configuration is joint (paper, section 6). */
  readonly votersOutgoing: ReadonlySet<bigint>;
  readonly learners: ReadonlySet<bigint>;
  /** They vote in the outgoing half still and become learners when it is left. */
  readonly learnersNext: ReadonlySet<bigint>;
  /** The leader leaves the joint configuration by itself, as soon as it is applied. */
  readonly autoLeave: boolean;
}

export function configurationFrom(confState: ConfState): Configuration {
  return {
    voters: new Set(confState.voters),
    votersOutgoing: new Set(confState.votersOutgoing),
    learners: new Set(confState.learners),
    learnersNext: new Set(confState.learnersNext),
    autoLeave: confState.autoLeave,
  };
}

/** All lists ascend. */
export function confStateOf(configuration: Configuration): ConfState {
  return {
    voters: ascending(configuration.voters),
    learners: ascending(configuration.learners),
    votersOutgoing: ascending(configuration.votersOutgoing),
    learnersNext: ascending(configuration.learnersNext),
    autoLeave: configuration.autoLeave,
  };
}

export function isJoint(configuration: Configuration): boolean {
  return configuration.votersOutgoing.size > 0;
}

/** Votes in either half. */
export function isVoter(configuration: Configuration, id: bigint): boolean {
  return configuration.voters.has(id) || configuration.votersOutgoing.has(id);
}

/** Everybody the leader replicates to, ascending. */
export function membersOf(configuration: Configuration): bigint[] {
  const { voters, votersOutgoing, learners } = configuration;
  return ascending(new Set([...voters, ...votersOutgoing, ...learners]));
}

/** Everybody who is asked for a vote, ascending. */
export function votersOf(configuration: Configuration): bigint[] {
  return ascending(new Set([...configuration.voters, ...configuration.votersOutgoing]));
}

function ascending(ids: ReadonlySet<bigint>): bigint[] {
  return [...ids].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
