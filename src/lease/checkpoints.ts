/**
 * When the remaining time of a long lease is written to the log, so that a change of leader does not
 * give it its whole TTL again: at each interval, while more than an interval is left.
 */
import type { LeaseCheckpoint } from '../api/index.js';
import { ExpiryQueue } from './expiry-queue.js';
import { type Lease, restartSeconds } from './lease.js';

export class CheckpointSchedule {
  readonly #intervalMs: number;
  readonly #queue = new ExpiryQueue();

  /** `intervalMs` Infinity: never. */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** The lease begins to run, or starts over. */
  start(lease: Lease, nowMs: number): void {
    if (restartSeconds(lease) * 1000 > this.#intervalMs) {
      this.#queue.set(lease.id, nowMs + this.#intervalMs);
    }
  }

  stop(id: bigint): void {
    this.#queue.delete(id);
  }

  clear(): void {
    this.#queue.clear();
  }

  /** At most `limit` that are due; each comes again an interval later. */
  due(nowMs: number, limit: number, leases: ReadonlyMap<bigint, Lease>): LeaseCheckpoint[] {
    const checkpoints: LeaseCheckpoint[] = [];
    while (checkpoints.length < limit) {
      const first = this.#queue.first();
      if (first === undefined || first.dueMs > nowMs) break;
      const lease = leases.get(first.id)!;
      this.#again(lease, nowMs);
      const remainingTtl = Math.ceil((lease.expiryMs - nowMs) / 1000);
      if (remainingTtl <= 0 || remainingTtl >= lease.ttlSeconds) continue;
      checkpoints.push({ id: lease.id, remainingTtl });
    }
    return checkpoints;
  }

  #again(lease: Lease, nowMs: number): void {
    if (lease.expiryMs - nowMs > this.#intervalMs) {
      this.#queue.set(lease.id, nowMs + this.#intervalMs);
    } else {
      this.#queue.delete(lease.id);
    }
  }
}
