/**
 * The state machine: what a committed request does. Synchronous, in log order, and deterministic:
 * every member that applies the same entries holds the same keyspace, leases, alarms and membership.
 * A refusal changes nothing.
 */
import {
  AlarmType,
  type AlarmResponse,
  type CompactionResponse,
  EtcdError,
  type InternalOp,
  InvariantError,
  type LeaseGrantRequest,
  type LeaseGrantResponse,
  type RequestOp,
  type ResponseHeader,
  assert,
  etcdError,
} from '../api/index.js';
import { parseHexId } from '../bytes/index.js';
import type { Lessor } from '../lease/index.js';
import type { Store } from '../mvcc/index.js';
import type { Alarms } from './alarms.js';
import type { Membership } from './membership.js';
import type { ApplyMetrics } from './metrics/apply-metrics.js';
import type { ApplyResult } from './proposals.js';
import { type Quota, costBytes } from './quota.js';
import { SERVER_VERSION, compareVersions } from './versions.js';

export interface ApplierOptions {
  store: Store;
  lessor: Lessor;
  membership: Membership;
  alarms: Alarms;
  quota: Quota;
  monotonicMs: () => number;
  /** The header for an answer at `revision`. */
  header: (revision: number) => ResponseHeader;
  /** A write no longer fits: raise the alarm for this member. */
  quotaExceeded: () => void;
  /** This member or another published its name and urls. */
  attributesSet: (memberId: bigint) => void;
  clusterVersionSet: (version: string) => void;
  metrics: ApplyMetrics;
}

/** The answer to a compaction, and the moment when its deletions are done here. */
export interface CompactionResult {
  response: CompactionResponse;
  finished: Promise<void>;
}

export class Applier {
  readonly #options: ApplierOptions;

  constructor(options: ApplierOptions) {
    this.#options = options;
  }

  /** Applies one request; the result goes to whoever waits for it on this member. */
  apply(op: InternalOp): ApplyResult {
    const { monotonicMs, metrics } = this.#options;
    const begunMs = monotonicMs();
    const result = this.#apply(op);
    metrics.applied(op, result, monotonicMs() - begunMs);
    return result;
  }

  #apply(op: InternalOp): ApplyResult {
    try {
      const refusal = this.#alarmRefusal(op);
      if (refusal !== undefined) return { error: refusal };
      const hasRoom = this.#options.quota.hasRoomFor(op);
      const value = this.#execute(op);
      if (hasRoom) return { value };
      // Noticed only now: the write stands, but its caller is told and the alarm is raised.
      this.#options.quotaExceeded();
      return { error: etcdError('noSpace') };
    } catch (error) {
      if (error instanceof EtcdError) return { error };
      throw error;
    }
  }

  #alarmRefusal(op: InternalOp): EtcdError | undefined {
    const { alarms } = this.#options;
    if (alarms.count === 0) return undefined;
    if (alarms.isRaised(AlarmType.corrupt) && refusedWhenCorrupt(op)) return etcdError('corrupt');
    if (alarms.isRaised(AlarmType.noSpace) && this.#refusedWhenFull(op)) {
      return etcdError('noSpace');
    }
    return undefined;
  }

  /**
   * What costs anything. Members of 3.4 (and 3.5 before its last releases) let puts in nested transactions
   * slip through, and all members of a cluster must do the same.
   */
  #refusedWhenFull(op: InternalOp): boolean {
    const version = this.#options.membership.clusterVersion ?? SERVER_VERSION;
    const isOld = op.kind === 'txn' && version.startsWith('3.4.');
    return isOld ? putsAtTheTop(op) : costBytes(op) > 0;
  }

  #execute(op: InternalOp): unknown {
    const { store } = this.#options;
    switch (op.kind) {
      case 'put':
        return this.#answer(store.put(op.request));
      case 'deleteRange':
        return this.#answer(store.deleteRange(op.request));
      case 'txn':
        return this.#answer(store.txn(op.request));
      case 'range':
        return this.#answer(store.range(op.request));
      case 'compaction':
        return this.#compact(op.request.revision);
      case 'leaseGrant':
        return this.#grant(op.request);
      case 'leaseRevoke':
        return this.#revoke(op.request.id);
      case 'leaseCheckpoint':
        return this.#options.lessor.checkpoint(op.checkpoints);
      case 'alarm':
        return this.#answer<AlarmResponse>({ alarms: this.#options.alarms.apply(op.request) });
      case 'clusterVersionSet':
        return this.#setClusterVersion(op.version);
      case 'clusterMemberAttrSet':
        return this.#setAttributes(op.memberId, op.name, op.clientUrls);
      case 'downgradeInfoSet':
        return undefined; // nothing here depends on a downgrade being prepared
      case 'v2':
        return this.#applyV2(op);
      case 'unsupported':
        throw new InvariantError(`${op.field} is not known in this version`);
    }
  }

  /** Puts the header of the state after the request on an answer. */
  #answer<T extends { header?: ResponseHeader }>(response: T): T {
    response.header = this.#options.header(this.#options.store.currentRevision);
    return response;
  }

  #compact(revision: number | bigint): CompactionResult {
    const { finished } = this.#options.store.compact(revision);
    return { response: this.#answer({}), finished };
  }

  #grant(request: LeaseGrantRequest): LeaseGrantResponse {
    const { lessor, monotonicMs } = this.#options;
    const { id, ttlSeconds } = lessor.grant(request.id, request.ttl, monotonicMs());
    return this.#answer<LeaseGrantResponse>({ id, ttl: ttlSeconds, error: '' });
  }

  /** The lease and its keys go together, the keys in one revision. */
  #revoke(id: bigint) {
    this.#options.store.deleteKeys(this.#options.lessor.revoke(id));
    return this.#answer({});
  }

  #setClusterVersion(version: string): void {
    assert(
      compareVersions(version, SERVER_VERSION) <= 0,
      () =>
        `the cluster is of version ${version} now, and this member can do as ${SERVER_VERSION} does`,
    );
    this.#options.membership.setClusterVersion(version);
    this.#options.clusterVersionSet(version);
  }

  #setAttributes(memberId: bigint, name: string, clientUrls: string[]): void {
    const { membership } = this.#options;
    if (membership.isRemoved(memberId)) return;
    const known = membership.setAttributes(memberId, name, clientUrls);
    assert(known, () => `attributes of an unknown member ${memberId}`);
    this.#options.attributesSet(memberId);
  }

  /** The form in which etcd 3.4 and 3.5 publish attributes and the cluster version. */
  #applyV2({ method, path, value }: { method: string; path: string; value: string }): void {
    if (method !== 'PUT') return;
    if (path === '/0/version') return this.#setClusterVersion(value);
    const match = /^\/0\/members\/([0-9a-f]+)\/attributes$/.exec(path);
    const id = match === null ? undefined : parseHexId(match[1]!);
    if (id === undefined) return;
    const attributes = JSON.parse(value) as { name?: string; clientURLs?: string[] | null };
    this.#setAttributes(id, attributes.name ?? '', attributes.clientURLs ?? []);
  }
}

function putsAtTheTop(op: InternalOp): boolean {
  if (op.kind !== 'txn') return false;
  const isPut = (branchOp: RequestOp) => branchOp.kind === 'put';
  return op.request.success.some(isPut) || op.request.failure.some(isPut);
}

const CORRUPT_REFUSES: ReadonlySet<InternalOp['kind']> = new Set([
  'put',
  'range',
  'deleteRange',
  'txn',
  'compaction',
  'leaseGrant',
  'leaseRevoke',
]);

function refusedWhenCorrupt(op: InternalOp): boolean {
  return CORRUPT_REFUSES.has(op.kind);
}
