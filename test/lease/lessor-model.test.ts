/** The lessor beside a plain model of what was promised to whom. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isEtcdError } from '../../src/api/index.js';
import { MemoryBackend } from '../../src/backend/index.js';
import { Lessor } from '../../src/lease/index.js';

const EXTEND_MS = 1000;
const RETRY_MS = 3000;
const OPTIONS = { minTtlSeconds: 2, retryAfterMs: RETRY_MS };

interface Promised {
  ttlSeconds: number;
  checkpointedSeconds: number;
  /** It must not be reported before this; only meaningful while primary. */
  notBeforeMs: number;
  /** When it was last handed out in this reign. */
  handedOutMs: number | undefined;
  keys: Set<string>;
}

type Step =
  | { kind: 'wait'; ms: number }
  | { kind: 'grant'; id: bigint; ttl: number }
  | { kind: 'renew' | 'revoke'; id: bigint }
  | { kind: 'attach' | 'detach'; id: bigint; key: string }
  | { kind: 'checkpoint'; id: bigint; seconds: number }
  | { kind: 'expired'; limit: number }
  | { kind: 'promote' | 'demote' | 'reopen' };

const id = fc.constantFrom(1n, 2n, 3n, -1n, (1n << 62n) + 1n);
const key = fc.constantFrom('a', 'b', '\xff');
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 4000 }) }),
  fc.record({ kind: fc.constant('grant' as const), id, ttl: fc.integer({ min: -1, max: 9 }) }),
  fc.record({ kind: fc.constantFrom('renew' as const, 'revoke' as const), id }),
  fc.record({ kind: fc.constantFrom('attach' as const, 'detach' as const), id, key }),
  fc.record({
    kind: fc.constant('checkpoint' as const),
    id,
    seconds: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({ kind: fc.constant('expired' as const), limit: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constantFrom(
      'promote' as const,
      'promote' as const,
      'demote' as const,
      'reopen' as const,
    ),
  }),
);

class ModelRun {
  readonly #backend = new MemoryBackend();
  #lessor!: Lessor;
  readonly #leases = new Map<bigint, Promised>();
  #primary = false;
  #nowMs = 1000;

  async open(): Promise<void> {
    this.#lessor = await Lessor.open(this.#backend, OPTIONS);
    this.#primary = false;
    for (const lease of this.#leases.values()) lease.keys.clear();
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'wait':
        this.#nowMs += step.ms;
        return undefined;
      case 'grant':
        return this.#grant(step.id, step.ttl);
      case 'renew':
        return this.#renew(step.id);
      case 'revoke':
        return this.#revoke(step.id);
      case 'attach':
        this.#leases.get(step.id)?.keys.add(step.key);
        return this.#lessor.attach(step.id, step.key);
      case 'detach':
        this.#leases.get(step.id)?.keys.delete(step.key);
        return this.#lessor.detach(step.id, step.key);
      case 'checkpoint':
        return this.#checkpoint(step.id, step.seconds);
      case 'expired':
        return this.#expired(step.limit);
      case 'promote':
        return this.#promote();
      case 'demote':
        this.#primary = false;
        return this.#lessor.demote();
      case 'reopen':
        return this.open();
    }
  }

  async check(): Promise<void> {
    assert.equal(this.#lessor.isPrimary, this.#primary);
    assert.deepEqual(sorted(this.#lessor.leases()), sorted(this.#leases.keys()));
    for (const [leaseId, { ttlSeconds, keys }] of this.#leases) {
      const found = this.#lessor.timeToLive(leaseId, this.#nowMs);
      assert.equal(found.grantedTtl, ttlSeconds);
      assert.deepEqual(found.keys, [...keys].sort());
    }
    // A lessor opened now would know the same leases.
    const reopened = await Lessor.open(this.#backend, OPTIONS);
    assert.deepEqual(sorted(reopened.leases()), sorted(this.#leases.keys()));
    for (const [leaseId, { checkpointedSeconds }] of this.#leases) {
      assert.equal(reopened.hasCheckpoint(leaseId), checkpointedSeconds > 0);
    }
    this.#checkNextExpiry();
  }

  /** In the end every lease expires: nothing is forgotten in the queue. */
  finish(): void {
    this.#promote();
    this.#nowMs += 60_000;
    const expired = this.#lessor.expired(this.#nowMs, 100);
    assert.deepEqual(sorted(expired), sorted(this.#leases.keys()));
  }

  #grant(leaseId: bigint, ttl: number): void {
    if (this.#leases.has(leaseId)) {
      refuses(() => this.#lessor.grant(leaseId, ttl, this.#nowMs), 'leaseExist');
      return;
    }
    const { ttlSeconds } = this.#lessor.grant(leaseId, ttl, this.#nowMs);
    assert.equal(ttlSeconds, Math.max(2, ttl));
    this.#leases.set(leaseId, {
      ttlSeconds,
      checkpointedSeconds: 0,
      notBeforeMs: this.#nowMs + ttlSeconds * 1000,
      handedOutMs: undefined,
      keys: new Set(),
    });
  }

  #renew(leaseId: bigint): void {
    const lease = this.#leases.get(leaseId);
    if (!this.#primary) {
      refuses(() => this.#lessor.renew(leaseId, this.#nowMs), 'notPrimaryLessor');
    } else if (lease === undefined || lease.notBeforeMs <= this.#nowMs) {
      refuses(() => this.#lessor.renew(leaseId, this.#nowMs), 'leaseNotFound');
    } else {
      assert.equal(this.#lessor.renew(leaseId, this.#nowMs), lease.ttlSeconds);
      const until = this.#nowMs + lease.ttlSeconds * 1000;
      lease.notBeforeMs = Math.max(lease.notBeforeMs, until);
    }
  }

  #revoke(leaseId: bigint): void {
    const lease = this.#leases.get(leaseId);
    if (lease === undefined) {
      refuses(() => this.#lessor.revoke(leaseId), 'leaseNotFound');
      return;
    }
    assert.deepEqual(this.#lessor.revoke(leaseId), [...lease.keys].sort());
    this.#leases.delete(leaseId);
  }

  #checkpoint(leaseId: bigint, seconds: number): void {
    const lease = this.#leases.get(leaseId);
    if (lease !== undefined) lease.checkpointedSeconds = seconds;
    this.#lessor.checkpoint([{ id: leaseId, remainingTtl: seconds }]);
  }

  #expired(limit: number): void {
    const found = this.#lessor.expired(this.#nowMs, limit);
    assert.ok(found.length <= limit);
    const due = [...this.#leases].filter(([, lease]) => this.#isDue(lease)).map(([each]) => each);
    assert.equal(found.length, this.#primary ? Math.min(limit, due.length) : 0);
    for (const leaseId of found) {
      assert.ok(due.includes(leaseId), `lease ${leaseId} is revoked, early, or was handed out`);
      this.#leases.get(leaseId)!.handedOutMs = this.#nowMs;
    }
  }

  #isDue({ notBeforeMs, handedOutMs }: Promised): boolean {
    return notBeforeMs <= this.#nowMs && (handedOutMs ?? -Infinity) + RETRY_MS <= this.#nowMs;
  }

  #promote(): void {
    this.#primary = true;
    this.#lessor.promote(this.#nowMs, EXTEND_MS);
    for (const lease of this.#leases.values()) {
      const seconds = lease.checkpointedSeconds || lease.ttlSeconds;
      lease.notBeforeMs = this.#nowMs + EXTEND_MS + seconds * 1000;
      lease.handedOutMs = undefined;
    }
  }

  #checkNextExpiry(): void {
    const times = [...this.#leases.values()].map(({ notBeforeMs, handedOutMs }) =>
      handedOutMs === undefined ? notBeforeMs : handedOutMs + RETRY_MS,
    );
    const expected = this.#primary && times.length > 0 ? Math.min(...times) : undefined;
    assert.equal(this.#lessor.nextExpiryMs(), expected);
  }
}

function refuses(action: () => unknown, name: 'leaseExist' | 'leaseNotFound' | 'notPrimaryLessor') {
  assert.throws(action, (error) => isEtcdError(error, name));
}

function sorted(ids: Iterable<bigint>): bigint[] {
  return [...ids].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

describe('a lessor, whatever happens', () => {
  it('is never early, never brings back a revoked lease, and survives terms and restarts', () =>
    fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 60 }), async (steps) => {
        const run = new ModelRun();
        await run.open();
        for (const step of steps) {
          await run.take(step);
          await run.check();
        }
        run.finish();
      }),
      { numRuns: 150 },
    ));
});
