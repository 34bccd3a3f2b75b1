/**
 * The leases of one member. Which leases exist is replicated: grant, revoke and checkpoint are called
 * when a log entry is applied. When they run out is not: only the primary, the member that leads, counts
 * time; it extends leases and says which have expired, and their revocation goes through the log again.
 *
 * Time is always an argument, in monotonic milliseconds.
 */
import { type Int64, type LeaseCheckpoint, assert, compareInt64, etcdError } from '../api/index.js';
import { type Backend, leaseIdFromKey, leaseKey } from '../backend/index.js';
import { CheckpointSchedule } from './checkpoints.js';
import { ExpiryQueue } from './expiry-queue.js';
import {
  type Lease,
  MAX_TTL_SECONDS,
  decodeLease,
  encodeLease,
  makeLease,
  restartSeconds,
} from './lease.js';

export interface LessorOptions {
  /** A shorter TTL is raised to this. Must be equal on all members. */
  minTtlSeconds: number;
  /** How long a lease that {@link Lessor.expired} gave out is not given out again; 3000 unless said. */
  retryAfterMs?: number;
  /** Write the remaining time of long leases to the log at this interval; never unless said. */
  checkpointIntervalMs?: number;
}

/** What LeaseTimeToLive says. */
export interface TimeToLive {
  /** 0 for an unknown lease. */
  grantedTtl: number;
  /** Whole seconds left, cut; the granted TTL where time is not counted; -1 for an unknown lease. */
  remainingSeconds: number;
  /** Attached keys, ascending. */
  keys: string[];
}

const DEFAULT_RETRY_AFTER_MS = 3000;
/** Leases that a new primary lets expire in one second at most: later ones get more time. */
const EXPIRIES_PER_SECOND = 750;
const SCAN_PAIRS = 1000;

export class Lessor {
  readonly #backend: Backend;
  readonly #minTtlSeconds: number;
  readonly #retryAfterMs: number;
  readonly #leases = new Map<bigint, Lease>();
  readonly #checkpoints: CheckpointSchedule;
  /**
   * Every lease while primary, none else. A renewal does not touch it: a lease's time here may be too
   * early, and is put right when it comes first.
   */
  readonly #queue = new ExpiryQueue();
  #primary = false;

  private constructor(backend: Backend, options: LessorOptions) {
    this.#backend = backend;
    this.#minTtlSeconds = options.minTtlSeconds;
    this.#retryAfterMs = options.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS;
    this.#checkpoints = new CheckpointSchedule(options.checkpointIntervalMs ?? Infinity);
  }

  /** The lessor over bucket `lease`; not primary. Keys are attached by the keyspace as it restores. */
  static async open(backend: Backend, options: LessorOptions): Promise<Lessor> {
    const lessor = new Lessor(backend, options);
    await lessor.reload();
    return lessor;
  }

  /** Starts over from the backend, whose content was replaced: no keys attached, not primary. */
  async reload(): Promise<void> {
    this.demote();
    const leases: Lease[] = [];
    let from = '';
    for (;;) {
      const pairs = await this.#backend.scan('lease', { from, limit: SCAN_PAIRS });
      for (const [key, value] of pairs) leases.push(readLease(key, value));
      if (pairs.length < SCAN_PAIRS) break;
      from = pairs.at(-1)![0] + '\0';
    }
    this.#leases.clear();
    for (const lease of leases) this.#leases.set(lease.id, lease);
  }

  /** Number of leases. */
  get count(): number {
    return this.#leases.size;
  }

  get isPrimary(): boolean {
    return this.#primary;
  }

  has(id: bigint): boolean {
    return this.#leases.has(id);
  }

  /** `key` belongs to lease `id` from now on. A lease that is gone is no error: neither is the key's. */
  attach(id: bigint, key: string): void {
    this.#leases.get(id)?.keys.add(key);
  }

  detach(id: bigint, key: string): void {
    this.#leases.get(id)?.keys.delete(key);
  }

  /** Keys attached to lease `id`, ascending; none when there is no such lease. */
  keys(id: bigint): string[] {
    return [...(this.#leases.get(id)?.keys ?? [])].sort(compareKeys);
  }

  /**
   * Makes a lease, at apply, and returns the TTL that it got. Throws leaseNotFound for id 0n (the
   * proposer picks ids), leaseTTLTooLarge, leaseExist.
   */
  grant(id: bigint, ttlSeconds: Int64, nowMs: number): { id: bigint; ttlSeconds: number } {
    if (id === 0n) throw etcdError('leaseNotFound');
    if (compareInt64(ttlSeconds, MAX_TTL_SECONDS) > 0) throw etcdError('leaseTTLTooLarge');
    if (this.#leases.has(id)) throw etcdError('leaseExist');
    const raised = compareInt64(ttlSeconds, this.#minTtlSeconds) < 0;
    const lease = makeLease(id, raised ? this.#minTtlSeconds : Number(ttlSeconds));
    this.#leases.set(id, lease);
    this.#save(lease);
    if (this.#primary) this.#restart(lease, nowMs + lease.ttlSeconds * 1000, nowMs);
    return { id, ttlSeconds: lease.ttlSeconds };
  }

  /**
   * Removes a lease, at apply, and returns the keys that must be deleted with it, ascending. Throws
   * leaseNotFound.
   */
  revoke(id: bigint): string[] {
    this.#get(id);
    const keys = this.keys(id);
    this.#leases.delete(id);
    this.#queue.delete(id);
    this.#checkpoints.stop(id);
    this.#backend.delete('lease', leaseKey(id));
    return keys;
  }

  /**
   * Gives the lease its whole TTL again and returns it in seconds. Throws notPrimaryLessor, and
   * leaseNotFound also for a lease that has expired and waits for its revocation. A lease that
   * {@link Lessor.hasCheckpoint} must have that cleared through the log first, or the next primary
   * would let it expire early.
   */
  renew(id: bigint, nowMs: number): number {
    if (!this.#primary) throw etcdError('notPrimaryLessor');
    const lease = this.#get(id);
    if (nowMs >= lease.expiryMs) throw etcdError('leaseNotFound');
    lease.expiryMs = Math.max(lease.expiryMs, nowMs + lease.ttlSeconds * 1000);
    this.#checkpoints.start(lease, nowMs);
    return lease.ttlSeconds;
  }

  /** Is a remaining time in force for this lease? A checkpoint with 0 clears it. */
  hasCheckpoint(id: bigint): boolean {
    return (this.#leases.get(id)?.checkpointedSeconds ?? 0) > 0;
  }

  timeToLive(id: bigint, nowMs: number): TimeToLive {
    const lease = this.#leases.get(id);
    if (lease === undefined) return { grantedTtl: 0, remainingSeconds: -1, keys: [] };
    const remainingSeconds = this.#primary
      ? Math.max(0, Math.trunc((lease.expiryMs - nowMs) / 1000))
      : lease.ttlSeconds;
    return { grantedTtl: lease.ttlSeconds, remainingSeconds, keys: this.keys(id) };
  }

  /** All ids: on the primary by remaining time (the same order at any time), elsewhere ascending. */
  leases(): bigint[] {
    return [...this.#leases.values()].sort(compareLeases).map(({ id }) => id);
  }

  /**
   * Becomes primary: every lease starts over with its TTL (or what a checkpoint left of it) and
   * `extendMs` more, so that none expires before its holder could know the new leader. Where very many
   * would expire together, later ones get more time.
   */
  promote(nowMs: number, extendMs: number): void {
    this.#primary = true;
    this.#queue.clear();
    this.#checkpoints.clear();
    const leases = [...this.#leases.values()];
    for (const lease of leases) lease.expiryMs = nowMs + extendMs + restartSeconds(lease) * 1000;
    leases.sort(compareLeases);
    leases.forEach((lease, i) => {
      const before = leases[i - EXPIRIES_PER_SECOND]?.expiryMs ?? -Infinity;
      this.#restart(lease, Math.max(lease.expiryMs, before + 1000), nowMs);
    });
  }

  /** Is no longer primary: no lease expires here. */
  demote(): void {
    this.#primary = false;
    this.#queue.clear();
    this.#checkpoints.clear();
    for (const lease of this.#leases.values()) lease.expiryMs = Infinity;
  }

  /**
   * At most `limit` leases that have expired, first ones first; none unless primary. Each is given out
   * again only after the retry time, in case its revocation got lost.
   */
  expired(nowMs: number, limit: number): bigint[] {
    const ids: bigint[] = [];
    while (ids.length < limit) {
      const first = this.#firstDue();
      if (first === undefined || first.dueMs > nowMs) break;
      this.#queue.set(first.id, nowMs + this.#retryAfterMs);
      ids.push(first.id);
    }
    return ids;
  }

  /** When {@link Lessor.expired} has something next, if nothing is renewed; undefined: never. */
  nextExpiryMs(): number | undefined {
    return this.#firstDue()?.dueMs;
  }

  /** At most `limit` checkpoints to propose now; none unless primary and switched on. */
  dueCheckpoints(nowMs: number, limit: number): LeaseCheckpoint[] {
    return this.#checkpoints.due(nowMs, limit, this.#leases);
  }

  /** Takes over remaining times, at apply; 0 clears. Unknown leases are passed over. */
  checkpoint(checkpoints: readonly LeaseCheckpoint[]): void {
    for (const { id, remainingTtl } of checkpoints) {
      const lease = this.#leases.get(id);
      if (lease === undefined) continue;
      lease.checkpointedSeconds = Math.max(0, remainingTtl);
      this.#save(lease);
    }
  }

  #get(id: bigint): Lease {
    const lease = this.#leases.get(id);
    if (lease === undefined) throw etcdError('leaseNotFound');
    return lease;
  }

  #save(lease: Lease): void {
    this.#backend.put('lease', leaseKey(lease.id), encodeLease(lease));
  }

  #restart(lease: Lease, expiryMs: number, nowMs: number): void {
    lease.expiryMs = expiryMs;
    this.#queue.set(lease.id, expiryMs);
    this.#checkpoints.start(lease, nowMs);
  }

  /** The queue's first, once that is one whose time is right. */
  #firstDue(): { readonly id: bigint; readonly dueMs: number } | undefined {
    for (;;) {
      const first = this.#queue.first();
      if (first === undefined) return undefined;
      const { expiryMs } = this.#leases.get(first.id)!;
      if (first.dueMs >= expiryMs) return first;
      this.#queue.set(first.id, expiryMs);
    }
  }
}

function readLease(key: string, value: Uint8Array): Lease {
  const lease = decodeLease(value);
  const id = leaseIdFromKey(key);
  assert(lease !== undefined && lease.id === id, () => `lease ${id} has a malformed record`);
  return lease;
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareLeases(a: Lease, b: Lease): number {
  if (a.expiryMs !== b.expiryMs) return a.expiryMs < b.expiryMs ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
