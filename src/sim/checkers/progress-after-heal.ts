/**
 * After the last fault heals, the cluster works again within a bounded time (`progress-after-heal`).
 *
 * The world heals everything at `healedMs`, and has a probing client ask every running member, again and
 * again, for a put and for a linearizable read, until each has answered or the bound has passed.
 *
 * Verifies that by `healedMs + boundMs`
 * - each running member has answered a put and a linearizable read that were asked after the heal;
 * - exactly one running node leads in the highest term;
 * - all running nodes have applied what was committed when the healing began.
 *
 * Does not verify anything about the time before, nor that the bound is a good one: a few election
 * timeouts, the client's own timeout, and what a laggard needs to catch up.
 */
import type { History, Operation } from '../history.js';
import type { Violation } from './violation.js';
import type { NodeView } from './world-view.js';

export interface ProgressQuestion {
  readonly healedMs: number;
  readonly boundMs: number;
  /** Members that run and may serve clients: started, not removed, not learners. */
  readonly members: readonly bigint[];
  /** Highest commit index that any node knew at `healedMs`. */
  readonly committedAtHeal: number;
}

/** What is looked at in a member. */
export type MemberState = Pick<NodeView, 'id' | 'role' | 'term' | 'appliedIndex'>;

/** `nodes`: those that run, as they are when the bound has passed. */
export function checkProgressAfterHeal(
  history: History,
  nodes: readonly MemberState[],
  question: ProgressQuestion,
): Violation[] {
  const texts = [
    ...question.members.flatMap((member) => unanswered(history, member, question)),
    ...leadershipFaults(nodes),
    ...nodes.flatMap((node) => laggard(node, question)),
  ];
  return texts.map((explanation) => ({ promise: 'progress-after-heal', explanation }));
}

function unanswered(
  { operations }: History,
  member: bigint,
  { healedMs, boundMs }: ProgressQuestion,
): string[] {
  const answered = operations.filter(
    ({ member: asked, invoked, completed, outcome }) =>
      asked === member &&
      invoked.ms >= healedMs &&
      outcome.kind === 'ok' &&
      completed!.ms <= healedMs + boundMs,
  );
  const within = `within ${boundMs} ms of the heal`;
  const missing: string[] = [];
  if (!answered.some(({ kind }) => kind === 'put')) {
    missing.push(`member ${member} has not answered a put ${within}`);
  }
  if (!answered.some(isLinearizableRead)) {
    missing.push(`member ${member} has not answered a linearizable read ${within}`);
  }
  return missing;
}

function isLinearizableRead(operation: Operation): boolean {
  return operation.kind === 'range' && !operation.request.serializable;
}

function leadershipFaults(nodes: readonly MemberState[]): string[] {
  const term = Math.max(...nodes.map((node) => node.term));
  const leaders = nodes.filter((node) => node.role === 'leader' && node.term === term);
  return leaders.length === 1 ? [] : [`${leaders.length} nodes lead in term ${term}`];
}

function laggard(node: MemberState, { committedAtHeal }: ProgressQuestion): string[] {
  if (node.appliedIndex >= committedAtHeal) return [];
  return [`node ${node.id} has applied ${node.appliedIndex} of ${committedAtHeal}`];
}
