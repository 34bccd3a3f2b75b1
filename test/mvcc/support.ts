/** What the tests of this room share: requests with defaults, a lease book, a sink that records. */
import type {
  DeleteRangeRequest,
  Event,
  PutRequest,
  RangeRequest,
  TxnRequest,
  WatchCreateRequest,
} from '../../src/api/index.js';
import { MemoryBackend, type Backend } from '../../src/backend/index.js';
import {
  Store,
  type LeaseBook,
  type StoreOptions,
  type WatchDelivery,
  type WatchSink,
} from '../../src/mvcc/index.js';

export function putRequest(fields: Partial<PutRequest> = {}): PutRequest {
  return {
    key: 'k',
    value: '',
    lease: 0n,
    prevKv: false,
    ignoreValue: false,
    ignoreLease: false,
    ...fields,
  };
}

export function rangeRequest(fields: Partial<RangeRequest> = {}): RangeRequest {
  return {
    key: '\0',
    rangeEnd: '',
    limit: 0,
    revision: 0,
    sortOrder: 0,
    sortTarget: 0,
    serializable: false,
    keysOnly: false,
    countOnly: false,
    minModRevision: 0,
    maxModRevision: 0,
    minCreateRevision: 0,
    maxCreateRevision: 0,
    ...fields,
  };
}

export function deleteRequest(fields: Partial<DeleteRangeRequest> = {}): DeleteRangeRequest {
  return { key: 'k', rangeEnd: '', prevKv: false, ...fields };
}

export function txnRequest(fields: Partial<TxnRequest> = {}): TxnRequest {
  return { compare: [], success: [], failure: [], ...fields };
}

export function watchRequest(fields: Partial<WatchCreateRequest> = {}): WatchCreateRequest {
  return {
    key: '\0',
    rangeEnd: '\0',
    startRevision: 0,
    progressNotify: false,
    filters: [],
    prevKv: false,
    watchId: 0n,
    fragment: false,
    ...fields,
  };
}

/** Knows the leases it is told of, and who belongs to them. */
export class FakeLeases implements LeaseBook {
  readonly keys = new Map<bigint, Set<string>>();

  constructor(...ids: bigint[]) {
    for (const id of ids) this.keys.set(id, new Set());
  }

  has(id: bigint): boolean {
    return this.keys.has(id);
  }

  attach(id: bigint, key: string): void {
    const keys = this.keys.get(id) ?? new Set();
    if (keys.has(key)) throw new Error(`${key} is attached twice`);
    this.keys.set(id, keys.add(key));
  }

  detach(id: bigint, key: string): void {
    if (this.keys.get(id)?.delete(key) !== true) throw new Error(`${key} is not attached`);
  }

  /** Sorted, for comparison. */
  attached(): [bigint, string[]][] {
    return [...this.keys].map(([id, keys]) => [id, [...keys].sort()]);
  }
}

export function yieldTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Lets work behind run until it must be done: more turns than any test here needs. */
export async function settle(turns = 60): Promise<void> {
  for (let i = 0; i < turns; i++) await yieldTurn();
}

export interface Opened {
  store: Store;
  backend: Backend;
  leases: FakeLeases;
}

export async function openStore(
  options: Partial<StoreOptions> & { backend?: Backend; leases?: FakeLeases } = {},
): Promise<Opened> {
  const backend = options.backend ?? new MemoryBackend();
  const leases = options.leases ?? new FakeLeases();
  const store = await Store.open(backend, { yieldTurn, ...options, leases });
  return { store, backend, leases };
}

/** Records deliveries; can be told to be full after each. */
export class RecordingSink implements WatchSink {
  readonly deliveries: WatchDelivery[] = [];
  full = false;

  deliver(delivery: WatchDelivery): boolean {
    this.deliveries.push(delivery);
    return !this.full;
  }

  /** Short text of everything since the last call, one line a delivery. */
  take(): string[] {
    return this.deliveries.splice(0).map(describe);
  }
}

export function describe(delivery: WatchDelivery): string {
  const head = `${delivery.watchId} ${delivery.kind} @${delivery.revision}`;
  switch (delivery.kind) {
    case 'events':
      return `${head} ${delivery.batch.events.map(describeEvent).join(' ')}${delivery.fragment ? ' ...' : ''}`;
    case 'refused':
      return `${head} ${delivery.cancelReason}`;
    case 'canceled':
      return delivery.compactRevision === 0
        ? head
        : `${head} compacted ${delivery.compactRevision}`;
    case 'created':
    case 'progress':
      return head;
  }
}

function describeEvent({ type, kv, prevKv }: Event): string {
  const value = type === 'put' ? `=${kv.value}` : '';
  const before = prevKv === undefined ? '' : `(${prevKv.value}@${prevKv.modRevision})`;
  return `${type} ${kv.key}${value}@${kv.modRevision}${before}`;
}
