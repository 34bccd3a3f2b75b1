/**
 * What a lease promises to its holder.
 *
 * Verifies:
 * - `lease-not-early`: nobody but a client ends a lease before its time: the last acknowledged grant or
 *   renewal, counted from when it was asked for, and the TTL, less what a clock may run fast. So it
 *   survives changes of leader, and no leader takes back what an earlier one has granted.
 * - `lease-alive`: no answer says that a lease is gone while it must be there.
 * - `lease-revoked-once`: a lease is revoked for one client only, unless it was granted again.
 * - `lease-takes-keys`: a revoked lease's keys go with it, all in one revision, and no key has it later.
 *   (Keys that go one after the other are writes from nowhere, see linearizable-by-revision.ts.)
 * - `lease-ttl`: an answer's TTL lies within what was granted (a new leader's extension included).
 * - `lease-expires`: at the end, no lease is left that nobody has renewed for longer than it can last.
 *
 * Does not verify in which order leases expire. Without a log "not early" sees only leases that had keys
 * which no client deletes, and what answers tell.
 */
import type { History, Instant, Operation } from '../history.js';
import { attachedKeys, leaseEndAt, type AppliedRequest, type TrueHistory } from './true-history.js';
import { mayDelete } from './no-lost-write.js';
import type { Violation } from './violation.js';

export interface LeaseCheckOptions {
  /** How much faster than true time a member's clock may run, as a share: 0.01 is one percent. */
  readonly clockDrift: number;
  /** Time that a new leader gives on top, in milliseconds: the election timeout. */
  readonly extensionMs: number;
  /** When (true virtual time) the entry at `index` was first applied by any node; undefined if unknown. */
  readonly appliedAtMs?: (index: number) => number | undefined;
  /**
   * For a truth without a log: when (true time) somebody first saw `revision`, which was applied then or
   * before; undefined if unknown.
   */
  readonly seenAtMs?: (revision: number) => number | undefined;
  /**
   * The cluster has been whole since then and time has gone on to `endMs`: every lease without renewal
   * must be gone if it had {@link LeaseCheckOptions.graceMs} beyond its time. Left out: not checked.
   */
  readonly settled?: { readonly sinceMs: number; readonly endMs: number };
  /** What revoking takes (the scan, the log), in milliseconds; 10,000 unless said. */
  readonly graceMs?: number;
}

/** From one grant of an id to the next. */
interface Life {
  readonly id: bigint;
  readonly grant: Operation<'leaseGrant'>;
  readonly ttlMs: number;
}

export function checkLeaseGuarantees(
  history: History,
  truth: TrueHistory,
  options: LeaseCheckOptions,
): Violation[] {
  return new LeaseCheck(history, truth, options).run();
}

class LeaseCheck {
  readonly #history: History;
  readonly #truth: TrueHistory;
  readonly #options: LeaseCheckOptions;
  readonly #violations: Violation[] = [];
  readonly #lives: readonly Life[];

  constructor(history: History, truth: TrueHistory, options: LeaseCheckOptions) {
    this.#history = history;
    this.#truth = truth;
    this.#options = options;
    this.#lives = history.operations.flatMap(lifeOf);
  }

  run(): Violation[] {
    for (const life of this.#lives) {
      this.#checkAnswers(life);
      this.#checkRevokes(life);
      this.#checkExpires(life);
    }
    if (this.#truth.applied === undefined) this.#checkTimeline();
    for (const applied of this.#truth.applied ?? []) this.#checkApplied(applied);
    return this.#violations;
  }

  /** Without a log: where just the keys of one lease went, and no client can have deleted them, it ended. */
  #checkTimeline(): void {
    const { timeline } = this.#truth;
    for (let revision = 2; revision <= timeline.currentRevision; revision++) {
      const lease = leaseEndAt(timeline, revision);
      if (lease === undefined) continue;
      const { key } = timeline.eventsOf(revision)[0]!.kv;
      if (this.#history.operations.some((operation) => mayDelete(operation, key))) continue;
      this.#checkNotEarly(lease, this.#options.seenAtMs?.(revision));
    }
  }

  /** A revocation in the log that no client can have asked for is an expiry. */
  #checkApplied({ op, index, error }: AppliedRequest): void {
    if (op.kind !== 'leaseRevoke' || error !== undefined) return;
    this.#checkNotEarly(op.request.id, this.#options.appliedAtMs?.(index));
  }

  /** Lease `id` had ended by `atMs`. */
  #checkNotEarly(id: bigint, atMs: number | undefined): void {
    const life = this.#onlyLife(id);
    if (life === undefined || atMs === undefined) return;
    if (this.#mayBeRevokedByClient(life, atMs)) return;
    const due = this.#promisedUntil(life, (renewal) => renewal.invoked.ms < atMs);
    if (atMs >= due.ms) return;
    this.#report('lease-not-early', life, `expired at ${atMs} ms, promised until ${due.ms}`, [
      due.by,
    ]);
  }

  #checkAnswers(life: Life): void {
    for (const operation of this.#history.operations) {
      if (operation.kind !== 'leaseKeepAlive' && operation.kind !== 'leaseTimeToLive') continue;
      if (operation.request.id !== life.id || operation.outcome.kind !== 'ok') continue;
      if (!isBefore(life.grant.completed!, operation.invoked)) continue;
      const { ttl } = operation.outcome.response;
      const gone = operation.kind === 'leaseKeepAlive' ? ttl === 0 : ttl < 0;
      if (gone) this.#checkGone(life, operation);
      else this.#checkTtl(life, operation, ttl);
    }
  }

  #checkGone(life: Life, operation: Operation): void {
    const at = operation.completed!;
    if (this.#onlyLife(life.id) === undefined || this.#mayBeRevokedByClient(life, at.ms)) return;
    const due = this.#promisedUntil(life, (renewal) =>
      isBefore(renewal.completed!, operation.invoked),
    );
    if (at.ms >= due.ms) return;
    const text = `was said to be gone at ${at.ms} ms, promised until ${due.ms}`;
    this.#report('lease-alive', life, text, [due.by, operation.id]);
  }

  #checkTtl(life: Life, operation: Operation, ttl: number): void {
    const most = (life.ttlMs + this.#options.extensionMs) / 1000;
    const isRenewal = operation.kind === 'leaseKeepAlive';
    if (isRenewal ? ttl === life.ttlMs / 1000 : ttl <= most) return;
    const text = `was said to have ${ttl} s left of ${life.ttlMs / 1000}`;
    this.#report('lease-ttl', life, text, [operation.id]);
  }

  /** The latest moment that the grant or an acknowledged renewal (one of `counted`) promises. */
  #promisedUntil(life: Life, counted: (renewal: Operation) => boolean): { ms: number; by: number } {
    const shortestMs = life.ttlMs / (1 + this.#options.clockDrift);
    let latest: Operation = life.grant;
    for (const operation of this.#history.operations) {
      const isLater = operation.invoked.sequence > latest.invoked.sequence;
      if (isRenewalOf(life, operation) && isLater && counted(operation)) latest = operation;
    }
    return { ms: latest.invoked.ms + shortestMs, by: latest.id };
  }

  #mayBeRevokedByClient(life: Life, byMs: number): boolean {
    return this.#revokesOf(life).some(({ invoked }) => invoked.ms <= byMs);
  }

  /** Revocations that have happened or may have. */
  #revokesOf(life: Life): Operation<'leaseRevoke'>[] {
    return this.#history.operations.filter(
      (operation): operation is Operation<'leaseRevoke'> =>
        operation.kind === 'leaseRevoke' &&
        operation.request.id === life.id &&
        operation.outcome.kind !== 'refused',
    );
  }

  #checkRevokes(life: Life): void {
    if (this.#onlyLife(life.id) === undefined) return;
    const done = this.#revokesOf(life).filter(({ outcome }) => outcome.kind === 'ok');
    if (done.length > 1) {
      const ids = done.map(({ id }) => id);
      this.#report('lease-revoked-once', life, `was revoked for ${ids.length} clients`, ids);
    }
    for (const revoke of done) this.#checkKeysGone(life, revoke);
  }

  #checkKeysGone(life: Life, revoke: Operation<'leaseRevoke'>): void {
    if (revoke.outcome.kind !== 'ok') return;
    const { timeline } = this.#truth;
    const revision = revoke.outcome.response.header!.revision;
    for (let at = revision; at <= timeline.currentRevision; at++) {
      const kept = attachedKeys(timeline, at, life.id);
      if (kept.length === 0) continue;
      const text = `was revoked at revision ${revision}, but ${kept.join(', ')} had it at ${at}`;
      this.#report('lease-takes-keys', life, text, [revoke.id]);
      return;
    }
    const before = attachedKeys(timeline, revision - 1, life.id);
    const gone = timeline.eventsOf(revision).map(({ kv }) => kv.key);
    if (before.length === 0 || before.join() === gone.join()) return;
    const text = `took ${gone.join(', ')} with it at revision ${revision}, but had ${before.join(', ')}`;
    this.#report('lease-takes-keys', life, text, [revoke.id]);
  }

  #checkExpires(life: Life): void {
    const { settled, extensionMs, clockDrift } = this.#options;
    if (settled === undefined || this.#onlyLife(life.id) === undefined) return;
    const last = Math.max(settled.sinceMs, ...this.#renewalsOf(life).map(endOf), endOf(life.grant));
    const graceMs = this.#options.graceMs ?? 10_000;
    const latestMs = last + (life.ttlMs + extensionMs) * (1 + clockDrift) + graceMs;
    const { timeline } = this.#truth;
    const kept = attachedKeys(timeline, timeline.currentRevision, life.id);
    if (settled.endMs < latestMs || kept.length === 0) return;
    const text = `still has ${kept.join(', ')} at ${settled.endMs} ms, due by ${latestMs}`;
    this.#report('lease-expires', life, text, [life.grant.id]);
  }

  /** Renewals that have happened or may have. */
  #renewalsOf(life: Life): Operation[] {
    return this.#history.operations.filter(
      (operation) =>
        operation.kind === 'leaseKeepAlive' &&
        operation.request.id === life.id &&
        operation.outcome.kind !== 'refused',
    );
  }

  /**
   * The life of `id` if it has one only. Checks that reason by id pass over ids that were granted again
   * (or may have been): workloads draw new ones.
   */
  #onlyLife(id: bigint): Life | undefined {
    const grants = this.#history.operations.filter(
      (operation) =>
        operation.kind === 'leaseGrant' &&
        operation.outcome.kind !== 'refused' &&
        (operation.request.id === id ||
          (operation.outcome.kind === 'ok' && operation.outcome.response.id === id)),
    );
    return grants.length === 1 ? this.#lives.find((life) => life.id === id) : undefined;
  }

  #report(promise: string, { id }: Life, text: string, operations: readonly number[]): void {
    this.#violations.push({ promise, explanation: `lease ${id} ${text}`, operations });
  }
}

function lifeOf(operation: Operation): Life[] {
  if (operation.kind !== 'leaseGrant' || operation.outcome.kind !== 'ok') return [];
  const { id, ttl } = operation.outcome.response;
  return [{ id, grant: operation, ttlMs: ttl * 1000 }];
}

/** Acknowledged renewals only: the others promise nothing. */
function isRenewalOf(life: Life, operation: Operation): boolean {
  return (
    operation.kind === 'leaseKeepAlive' &&
    operation.request.id === life.id &&
    operation.outcome.kind === 'ok' &&
    operation.outcome.response.ttl > 0
  );
}

/**
 * When it ended. One that nobody waited for to the end may still happen; one that was given up happens,
 * if it does, before the cluster is whole or within the grace after.
 */
function endOf({ completed }: Operation): number {
  return completed?.ms ?? Infinity;
}

function isBefore(a: Instant, b: Instant): boolean {
  return a.sequence < b.sequence;
}
