/**
 * How a committed change turns one configuration into the next (paper, section 6; dissertation,
 * sections 4.1 and 4.3). Pure arithmetic: it depends on nothing but the two, so that every member
 * decides alike, refusals included.
 */
import {
  ConfChangeTransition,
  ConfChangeType,
  type ConfChange,
  type ConfChangeV2,
} from '../message.js';
import { isJoint, type Configuration } from './configuration.js';

type SingleChange = ConfChangeV2['changes'][number];

interface Sets {
  voters: Set<bigint>;
  learners: Set<bigint>;
  learnersNext: Set<bigint>;
}

/** A single-step change, in the form of the other kind. */
export function asV2(change: ConfChange | ConfChangeV2): ConfChangeV2 {
  if ('changes' in change) return change;
  return {
    transition: ConfChangeTransition.auto,
    changes: [{ type: change.type, nodeId: change.nodeId }],
    context: change.context,
  };
}

/**
 * The configuration after `change`, or undefined when it does not fit: a change of more than one voter
 * without a joint step, any but a leave while joint, a leave while not joint, or no voter left.
 */
export function changeConfiguration(
  from: Configuration,
  change: ConfChangeV2,
): Configuration | undefined {
  if (isLeave(change)) return leaveJoint(from);
  if (isJoint(from)) return undefined;
  return needsJoint(change) ? enterJoint(from, change) : changeOne(from, change.changes);
}

/** A change without content leaves the joint configuration. */
export function isLeave(change: ConfChangeV2): boolean {
  return change.changes.length === 0 && change.transition === ConfChangeTransition.auto;
}

function needsJoint(change: ConfChangeV2): boolean {
  return change.transition !== ConfChangeTransition.auto || change.changes.length > 1;
}

function changeOne(
  from: Configuration,
  changes: readonly SingleChange[],
): Configuration | undefined {
  const sets = apply(from, changes);
  if (sets.voters.size === 0 || difference(from.voters, sets.voters) > 1) return undefined;
  return { ...sets, votersOutgoing: from.votersOutgoing, autoLeave: false };
}

function enterJoint(from: Configuration, change: ConfChangeV2): Configuration | undefined {
  if (from.voters.size === 0) return undefined;
  const outgoing = new Set(from.voters);
  const sets = apply({ ...from, votersOutgoing: outgoing }, change.changes);
  if (sets.voters.size === 0) return undefined;
  const autoLeave = change.transition !== ConfChangeTransition.jointExplicit;
  return { ...sets, votersOutgoing: outgoing, autoLeave };
}

function leaveJoint(from: Configuration): Configuration | undefined {
  if (!isJoint(from)) return undefined;
  return {
    voters: from.voters,
    votersOutgoing: new Set(),
    learners: new Set([...from.learners, ...from.learnersNext]),
    learnersNext: new Set(),
    autoLeave: false,
  };
}

function apply(from: Configuration, changes: readonly SingleChange[]): Sets {
  const sets = {
    voters: new Set(from.voters),
    learners: new Set(from.learners),
    learnersNext: new Set(from.learnersNext),
  };
  for (const { type, nodeId } of changes) {
    // How a change that was refused at apply is told to raft.
    if (nodeId === 0n) continue;
    if (type === ConfChangeType.updateNode) continue;
    forget(sets, nodeId);
    if (type === ConfChangeType.addNode) sets.voters.add(nodeId);
    else if (type === ConfChangeType.addLearnerNode) addLearner(sets, from, nodeId);
  }
  return sets;
}

function forget(sets: Sets, id: bigint): void {
  sets.voters.delete(id);
  sets.learners.delete(id);
  sets.learnersNext.delete(id);
}

/** A voter of the outgoing half must go on voting there, and cannot be a learner at the same time. */
function addLearner(sets: Sets, from: Configuration, id: bigint): void {
  if (from.votersOutgoing.has(id)) sets.learnersNext.add(id);
  else sets.learners.add(id);
}

function difference(a: ReadonlySet<bigint>, b: ReadonlySet<bigint>): number {
  let count = 0;
  for (const id of a) if (!b.has(id)) count++;
  for (const id of b) if (!a.has(id)) count++;
  return count;
}
