/**
 * What clients did to one member, and what of it must be there afterwards. An operation without an
 * answer may have happened, as a whole, or not.
 */
import assert from 'node:assert/strict';
import { status } from '@grpc/grpc-js';
import type { Client, KeyValue } from './client.js';

type Outcome = 'unknown' | 'acked';

export interface PutRecord {
  key: string;
  value: string;
  lease?: LeaseRecord;
  outcome: Outcome;
  /** Of an acknowledged put. */
  revision?: number;
}

export interface LeaseRecord {
  id: string;
  ttlSeconds: number;
  /** undefined: nobody tried to revoke it. */
  revoke?: Outcome;
  puts: PutRecord[];
}

export class History {
  readonly puts = new Map<string, PutRecord>();
  readonly leases: LeaseRecord[] = [];
  /** Values written to the one key that is overwritten, in order; the last may be unknown. */
  readonly counts: PutRecord[] = [];
  /** The newest revision that any answer has shown. */
  revision = 0;
  /** The newest compaction that was acknowledged, and the newest that was asked for. */
  compactAcked = 0;
  compactAsked = 0;
  readonly prefix: string;
  readonly #client: Client;

  constructor(client: Client, prefix: string) {
    this.#client = client;
    this.prefix = prefix;
  }

  get countKey(): string {
    return `${this.prefix}count`;
  }

  /** Puts a key that was never put before. Rejects when there is no answer. */
  async put(lease?: LeaseRecord): Promise<void> {
    const number = this.puts.size;
    const key = `${this.prefix}key/${number}`;
    const record: PutRecord = { key, value: `value ${number}`, outcome: 'unknown' };
    if (lease) record.lease = lease;
    lease?.puts.push(record);
    this.puts.set(key, record);
    await this.#send(record);
  }

  /** Overwrites the counter with the next number; one at a time. */
  async count(): Promise<void> {
    const value = String(this.counts.length);
    const record: PutRecord = { key: this.countKey, value, outcome: 'unknown' };
    this.counts.push(record);
    await this.#send(record);
  }

  async grant(ttlSeconds: number): Promise<LeaseRecord> {
    const id = await this.#client.leaseGrant(ttlSeconds);
    const lease: LeaseRecord = { id, ttlSeconds, puts: [] };
    this.leases.push(lease);
    return lease;
  }

  async revoke(lease: LeaseRecord): Promise<void> {
    lease.revoke = 'unknown';
    await this.#client.leaseRevoke(lease.id);
    lease.revoke = 'acked';
  }

  /** Compacts at a revision that was seen, newer than the last compaction. */
  async compact(revision: number): Promise<void> {
    if (revision <= this.compactAsked) return;
    this.compactAsked = revision;
    await this.#client.compact(revision);
    this.compactAcked = revision;
  }

  /** Compares the member with all of it. */
  async check(): Promise<void> {
    const { revision } = await this.#client.range(this.countKey);
    assert.ok(revision >= this.revision, `revision went back from ${this.revision} to ${revision}`);
    this.revision = revision;
    const pairs = await this.#client.all(this.prefix);
    this.#checkPuts(new Map(pairs.map((pair) => [pair.key, pair])));
    await this.#checkLeases();
    await this.#checkCompaction();
  }

  async #send(record: PutRecord): Promise<void> {
    const options = record.lease ? { lease: record.lease.id } : {};
    record.revision = await this.#client.put(record.key, record.value, options);
    record.outcome = 'acked';
    this.revision = Math.max(this.revision, record.revision);
  }

  #checkPuts(pairs: Map<string, KeyValue>): void {
    for (const record of this.puts.values()) checkPut(record, pairs.get(record.key));
    this.#checkCount(pairs.get(this.countKey));
    for (const key of pairs.keys()) {
      assert.ok(key === this.countKey || this.puts.has(key), `${key} is there, but was never put`);
    }
    for (const lease of this.leases) {
      if (lease.revoke === 'unknown') checkAllOrNothing(lease, pairs);
    }
  }

  #checkCount(pair: KeyValue | undefined): void {
    const acked = this.counts.findLastIndex((record) => record.outcome === 'acked');
    const count = pair === undefined ? -1 : Number(pair.value);
    assert.ok(count >= acked, `the counter went back from ${acked} to ${count}`);
    assert.ok(count < this.counts.length, `the counter is ${count}, which nobody wrote`);
  }

  async #checkLeases(): Promise<void> {
    const there = new Set(await this.#client.leases());
    for (const lease of this.leases) {
      const exists = there.has(lease.id);
      if (lease.revoke === undefined) assert.ok(exists, `lease ${lease.id} is lost`);
      if (lease.revoke === 'acked')
        assert.ok(!exists, `lease ${lease.id} was revoked and is there`);
    }
    const newest = this.leases.findLast((lease) => lease.revoke === undefined);
    if (newest) await this.#checkLease(newest);
  }

  async #checkLease(lease: LeaseRecord): Promise<void> {
    const found = await this.#client.leaseTimeToLive(lease.id);
    assert.equal(found.grantedTtl, lease.ttlSeconds);
    assert.ok(found.ttl > 0 && found.ttl <= lease.ttlSeconds, `${found.ttl} seconds left`);
    for (const put of lease.puts) {
      if (put.outcome === 'acked')
        assert.ok(found.keys.includes(put.key), `${put.key} lost its lease`);
    }
  }

  async #checkCompaction(): Promise<void> {
    if (this.compactAcked > 1) {
      await assert.rejects(
        this.#client.range(this.countKey, { revision: this.compactAcked - 1 }),
        { code: status.OUT_OF_RANGE, details: /has been compacted/ },
        `revision ${this.compactAcked - 1} was compacted and can be read`,
      );
    }
    if (this.compactAsked > 0) {
      await this.#client.range(this.countKey, { revision: this.compactAsked });
    }
  }
}

function checkPut(record: PutRecord, pair: KeyValue | undefined): void {
  if (record.lease?.revoke === 'acked') {
    assert.equal(pair, undefined, `${record.key} has outlived its lease`);
    return;
  }
  const mayBeGone = record.outcome === 'unknown' || record.lease?.revoke === 'unknown';
  if (pair === undefined) {
    assert.ok(mayBeGone, `${record.key} was acknowledged and is lost`);
    return;
  }
  assert.equal(pair.value, record.value);
  assert.equal(pair.version, 1, `${record.key} was written more than once`);
  assert.equal(pair.lease, record.lease?.id ?? '0');
  if (record.revision !== undefined) assert.equal(pair.modRevision, record.revision);
}

/** A revoke deletes all keys of the lease in one revision. */
function checkAllOrNothing(lease: LeaseRecord, pairs: Map<string, KeyValue>): void {
  const acked = lease.puts.filter((put) => put.outcome === 'acked');
  const there = acked.filter((put) => pairs.has(put.key));
  assert.ok(
    there.length === 0 || there.length === acked.length,
    `lease ${lease.id} was revoked in part`,
  );
}
