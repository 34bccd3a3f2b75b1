/**
 * Linearizability of the keyspace, with the revision order as witness.
 *
 * Verifies, against the true history:
 * - `write-answer`: an acknowledged write did at its revision exactly what it asked for, with the right
 *   answer; one that changed nothing was right to.
 * - `read-answer`: a linearizable read shows exactly the state of the revision it was served at (or of
 *   the older one it asked for).
 * - `real-time-order`: what was answered before a request was sent is not missing from its answer, and a
 *   write sent after an answer comes after that answer's revision.
 * - `write-once`: no revision belongs to two acknowledged writes.
 * - `write-from-nowhere`: every other revision is the work of one request of unknown outcome, sent
 *   before, each of which has happened at most once; or of a lease that ran out. So a refused request has
 *   had no effect.
 * - `revision-refused`: an old revision is refused only if a compaction may have passed it, a future one
 *   only if it may not have been reached; and none is served that had been compacted before.
 *
 * Trusts the revisions in answers; linearizable-by-search.ts does not. Serializable reads are not looked
 * at (serializable-reads.ts).
 */
import { EtcdError, type Event, type RangeRequest, type ResponseOp } from '../../api/index.js';
import { isReadOnlyTxn, isSerializableTxn } from '../../mvcc/index.js';
import type { History, Operation } from '../history.js';
import { canonical, withoutHeader } from './canonical.js';
import { matchEach } from './matching.js';
import { executeRange, executeWrite } from './model.js';
import { ObservedFloor, shownRevision } from './observed-floor.js';
import { leaseEndAt, viewAt, type AppliedRequest, type TrueHistory } from './true-history.js';
import type { Violation } from './violation.js';

export type KvOperation = Operation<'range' | 'put' | 'deleteRange' | 'txn'>;

/** All violations, by operation; empty when the history is linearizable. */
export function checkLinearizableByRevision(history: History, truth: TrueHistory): Violation[] {
  return new RevisionWitness(history, truth).check();
}

class RevisionWitness {
  readonly #history: History;
  readonly #truth: TrueHistory;
  readonly #floor: ObservedFloor;
  readonly #violations: Violation[] = [];
  /** Revisions at which a lease went, if the log is known and was asked. */
  #leaseEnds: ReadonlySet<number> | undefined;
  /** Ids of the acknowledged writes that made each revision. */
  readonly #owners = new Map<number, number>();

  constructor(history: History, truth: TrueHistory) {
    this.#history = history;
    this.#truth = truth;
    this.#floor = new ObservedFloor(history);
  }

  check(): Violation[] {
    for (const operation of this.#history.operations) {
      if (isKv(operation)) this.#checkKv(operation);
      else this.#checkOrder(operation);
    }
    this.#explainOtherRevisions();
    return this.#violations;
  }

  #checkKv(operation: KvOperation): void {
    if (isSerializable(operation)) return;
    if (operation.outcome.kind === 'refused') this.#checkRefusal(operation);
    if (operation.outcome.kind !== 'ok') return;
    const revision = shownRevision(operation)!;
    const { currentRevision } = this.#truth.timeline;
    if (revision > currentRevision) {
      this.#report('read-answer', operation, `revision ${revision} is past ${currentRevision}`);
    } else if (operation.kind === 'range') this.#checkRead(operation, revision);
    else this.#checkWrite(operation, revision);
  }

  #checkRead(operation: Operation<'range'>, revision: number): void {
    this.#checkNotOlder(operation, revision);
    this.#checkNotCompacted(operation, operation.request);
    const view = viewAt(this.#truth.timeline, revision);
    const expected = attempt(() => executeRange(view, operation.request));
    if (expected !== undefined && isAnswer(operation, expected)) return;
    const should = expected === undefined ? 'be refused' : `be ${canonical(expected)}`;
    this.#report('read-answer', operation, `answered ${answerText(operation)}, should ${should}`);
  }

  /**
   * The write made its revision, or found nothing to change in it. Where its effect would have been what
   * somebody else did at that revision, only its answer tells: a request that changes something answers
   * another way once there is nothing left to change.
   */
  #checkWrite(operation: Operation<'put' | 'deleteRange' | 'txn'>, revision: number): void {
    const { timeline } = this.#truth;
    const events = timeline.eventsOf(revision);
    const made = attempt(() => executeWrite(viewAt(timeline, revision - 1), operation));
    const isMaker = made !== undefined && made.events.length > 0 && sameEvents(made.events, events);
    if (isMaker && isAnswer(operation, made.response)) return this.#own(revision, operation);
    const idle = attempt(() => executeWrite(viewAt(timeline, revision), operation));
    if (idle?.events.length === 0 && isAnswer(operation, idle.response)) {
      return this.#checkNotOlder(operation, revision);
    }
    const expected = isMaker
      ? made.response
      : idle?.events.length === 0
        ? idle.response
        : undefined;
    const why = expected === undefined ? 'which is not its work' : `not ${canonical(expected)}`;
    this.#report(
      'write-answer',
      operation,
      `answered ${answerText(operation)} at ${revision}, ${why}`,
    );
  }

  #own(revision: number, operation: Operation): void {
    const other = this.#owners.get(revision);
    if (other !== undefined) {
      this.#report('write-once', operation, `operation ${other} made revision ${revision} as well`);
    }
    this.#owners.set(revision, operation.id);
    this.#checkNewer(operation, revision);
  }

  #checkNewer(operation: Operation, revision: number): void {
    const floor = this.#floor.before(operation.invoked);
    if (revision > floor) return;
    const explanation = `wrote revision ${revision} although ${floor} had been seen before it was sent`;
    this.#report('real-time-order', operation, explanation);
  }

  #checkNotOlder(operation: Operation, revision: number): void {
    const floor = this.#floor.before(operation.invoked);
    if (revision >= floor) return;
    const explanation = `was served at revision ${revision} although ${floor} had been seen before it was sent`;
    this.#report('real-time-order', operation, explanation);
  }

  /** Other requests that go through the log tell the revision they were applied at. */
  #checkOrder(operation: Operation): void {
    const revision = shownRevision(operation);
    if (revision === undefined || !THROUGH_THE_LOG.has(operation.kind)) return;
    this.#checkNotOlder(operation, revision);
  }

  #checkRefusal(operation: KvOperation): void {
    if (operation.kind !== 'range' || operation.outcome.kind !== 'refused') return;
    const revision = Number(operation.request.revision);
    const floor = this.#floor.before(operation.invoked);
    const { error } = operation.outcome;
    if (error === 'futureRev' && revision <= floor) {
      const explanation = `was refused revision ${revision} as future although ${floor} had been seen`;
      this.#report('revision-refused', operation, explanation);
    }
    if (error === 'compacted' && !this.#mayBeCompacted(operation, revision)) {
      const explanation = `was refused revision ${revision} which nobody had compacted`;
      this.#report('revision-refused', operation, explanation);
    }
  }

  /** May a compaction above `revision` have been accepted when `operation` ended? */
  #mayBeCompacted(operation: Operation, revision: number): boolean {
    return this.#history.operations.some(
      (other) =>
        other.kind === 'compact' &&
        other.outcome.kind !== 'refused' &&
        other.request.revision > revision &&
        other.invoked.sequence < operation.completed!.sequence,
    );
  }

  #checkNotCompacted(operation: KvOperation, { revision }: RangeRequest): void {
    if (revision <= 0) return;
    const compaction = this.#history.operations.find(
      (other) =>
        other.kind === 'compact' &&
        other.outcome.kind === 'ok' &&
        other.request.revision > revision &&
        other.completed!.sequence < operation.invoked.sequence,
    );
    if (compaction === undefined) return;
    const explanation = `was served revision ${revision}, which operation ${compaction.id} had compacted`;
    this.#report('revision-refused', operation, explanation);
  }

  /** Revisions that no acknowledged write has made must be the work of those of unknown outcome. */
  #explainOtherRevisions(): void {
    const { timeline } = this.#truth;
    const orphans: number[] = [];
    for (let revision = 2; revision <= timeline.currentRevision; revision++) {
      if (!this.#owners.has(revision) && !this.#isLeaseEnd(revision)) orphans.push(revision);
    }
    const unknown = this.#history.operations.filter(isUnknownWrite);
    const chosen = matchEach(
      orphans.map((revision) => unknown.filter((operation) => this.#explains(operation, revision))),
    );
    orphans.forEach((revision, i) => {
      const operation = chosen[i];
      if (operation === undefined) this.#reportOrphan(revision);
    });
  }

  #explains(operation: Operation<'put' | 'deleteRange' | 'txn'>, revision: number): boolean {
    if (this.#floor.before(operation.invoked) >= revision) return false;
    const { timeline } = this.#truth;
    const executed = attempt(() => executeWrite(viewAt(timeline, revision - 1), operation));
    return executed !== undefined && sameEvents(executed.events, timeline.eventsOf(revision));
  }

  #reportOrphan(revision: number): void {
    const events = canonical(this.#truth.timeline.eventsOf(revision));
    const explanation = `revision ${revision} is the work of no request that may have happened: ${events}`;
    this.#violations.push({ promise: 'write-from-nowhere', explanation });
  }

  /** With the log at hand it says so; else: the deletion of all keys that one lease had, and no others. */
  #isLeaseEnd(revision: number): boolean {
    const { timeline, applied } = this.#truth;
    if (applied !== undefined) {
      this.#leaseEnds ??= leaseEndsOf(applied);
      return this.#leaseEnds.has(revision);
    }
    return leaseEndAt(timeline, revision) !== undefined;
  }

  #report(promise: string, { id, kind }: Operation, explanation: string): void {
    const text = `${kind} ${id} ${explanation}`;
    this.#violations.push({ promise, explanation: text, operations: [id] });
  }
}

function leaseEndsOf(applied: readonly AppliedRequest[]): Set<number> {
  const ends = applied.filter(({ changed, op }) => changed && op.kind === 'leaseRevoke');
  return new Set(ends.map(({ revision }) => revision));
}

/** Kinds whose answer's revision is that of the moment they were applied. */
const THROUGH_THE_LOG: ReadonlySet<Operation['kind']> = new Set([
  'compact',
  'leaseGrant',
  'leaseRevoke',
]);

function isKv(operation: Operation): operation is KvOperation {
  const { kind } = operation;
  return kind === 'range' || kind === 'put' || kind === 'deleteRange' || kind === 'txn';
}

/** Was the operation one that may be served from any one member's state? */
export function isSerializable(operation: Operation): boolean {
  if (operation.kind === 'range') return operation.request.serializable;
  if (operation.kind !== 'txn') return false;
  return isReadOnlyTxn(operation.request) && isSerializableTxn(operation.request);
}

function isUnknownWrite(
  operation: Operation,
): operation is Operation<'put' | 'deleteRange' | 'txn'> {
  return isKv(operation) && operation.kind !== 'range' && operation.outcome.kind === 'unknown';
}

/** Undefined when the request would have been refused. */
function attempt<T>(execute: () => T): T | undefined {
  try {
    return execute();
  } catch (error) {
    if (error instanceof EtcdError) return undefined;
    throw error;
  }
}

function isAnswer(operation: KvOperation, expected: object): boolean {
  return answerText(operation) === canonical(expected);
}

function answerText({ outcome }: KvOperation): string {
  if (outcome.kind !== 'ok') return 'nothing';
  const response: ResponseOp['response'] = outcome.response;
  return canonical(withoutHeader(response));
}

function sameEvents(a: readonly Event[], b: readonly Event[]): boolean {
  return a.length === b.length && canonical(a) === canonical(b);
}
