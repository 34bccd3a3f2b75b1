/**
 * Serializable reads: old perhaps, never wrong.
 *
 * Verifies:
 * - `serializable-answer`: each shows exactly the state of the revision in its header, one that had been
 *   reached.
 * - `serializable-monotonic`: one process of a member never shows an older state than it has shown
 *   before. (A restarted process may: what it had applied comes back as it hears of commits again.)
 *
 * Does not verify how old an answer is.
 */
import { EtcdError } from '../../api/index.js';
import type { History, Operation } from '../history.js';
import { canonical, withoutHeader } from './canonical.js';
import { isSerializable } from './linearizable-by-revision.js';
import { executeRange, executeTxn } from './model.js';
import { shownRevision } from './observed-floor.js';
import { viewAt, type TrueHistory } from './true-history.js';
import type { Violation } from './violation.js';

type Read = Operation<'range' | 'txn'>;

export function checkSerializableReads(history: History, truth: TrueHistory): Violation[] {
  const reads = history.operations.filter(
    (operation): operation is Read => isSerializable(operation) && operation.outcome.kind === 'ok',
  );
  return [...reads.flatMap((read) => checkAnswer(read, truth)), ...checkMonotonic(reads)];
}

function checkAnswer(read: Read, { timeline }: TrueHistory): Violation[] {
  if (read.outcome.kind !== 'ok') return [];
  const revision = shownRevision(read)!;
  const expected =
    revision <= timeline.currentRevision ? answerAt(read, viewAt(timeline, revision)) : undefined;
  const actual = canonical(withoutHeader(read.outcome.response));
  if (actual === expected) return [];
  const explanation = `${read.kind} ${read.id} at revision ${revision} answered ${actual}, should have ${expected ?? 'refused'}`;
  return [{ promise: 'serializable-answer', explanation, operations: [read.id] }];
}

function answerAt(read: Read, view: Parameters<typeof executeRange>[0]): string | undefined {
  try {
    const answer =
      read.kind === 'range'
        ? executeRange(view, read.request)
        : executeTxn(view, read.request).response;
    return canonical(answer);
  } catch (error) {
    if (error instanceof EtcdError) return undefined;
    throw error;
  }
}

interface Moment {
  readonly sequence: number;
  readonly read: Read;
  readonly isEnd: boolean;
}

/** Sweeps through time: what a process had answered before a read began is the least it may show. */
function checkMonotonic(reads: readonly Read[]): Violation[] {
  const violations: Violation[] = [];
  const shown = new Map<string, number>();
  const least = new Map<number, number>();
  for (const { read, isEnd } of momentsOf(reads)) {
    const process = `${read.member} ${read.incarnation ?? 0}`;
    if (!isEnd) {
      least.set(read.id, shown.get(process) ?? 0);
      continue;
    }
    const revision = shownRevision(read)!;
    const floor = least.get(read.id)!;
    if (revision < floor) {
      const explanation = `${read.kind} ${read.id} shows revision ${revision} of member ${read.member}, which had shown ${floor}`;
      violations.push({ promise: 'serializable-monotonic', explanation, operations: [read.id] });
    }
    shown.set(process, Math.max(revision, shown.get(process) ?? 0));
  }
  return violations;
}

function momentsOf(reads: readonly Read[]): Moment[] {
  const moments = reads.flatMap((read) => [
    { sequence: read.invoked.sequence, read, isEnd: false },
    { sequence: read.completed!.sequence, read, isEnd: true },
  ]);
  return moments.sort((a, b) => a.sequence - b.sequence);
}
