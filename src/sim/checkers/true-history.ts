/**
 * What really happened: the keyspace's past and, where the log is known, every applied request. Checkers
 * hold what clients saw against it. It comes from replaying the applied entries in {@link model.ts}'s
 * terms, or, for processes whose log nobody sees, from a watch of everything since revision 1.
 */
import {
  AlarmAction,
  AlarmType,
  EtcdError,
  compareInt64,
  etcdError,
  type AlarmRequest,
  type CompactionRequest,
  type EtcdErrorName,
  type Event,
  type InternalOp,
  type KeyValue,
  type LeaseGrantRequest,
  type RequestOp,
} from '../../api/index.js';
import { internalRequest } from '../../codec/index.js';
import { EntryType, type Entry } from '../../raft/index.js';
import { deleteKeys, executeRange, executeWrite, type StateView } from './model.js';
import { Timeline, type KeyRange } from './timeline.js';

/** One request that the cluster applied. */
export interface AppliedRequest {
  /** Of its log entry. */
  readonly index: number;
  readonly op: InternalOp;
  /** The keyspace's revision after it. */
  readonly revision: number;
  /** Did it make that revision? */
  readonly changed: boolean;
  /** Why it had no effect; undefined when it succeeded. */
  readonly error?: EtcdErrorName | 'status';
}

export interface TrueHistory {
  readonly timeline: Timeline;
  /** In order; undefined when only the events are known. */
  readonly applied?: readonly AppliedRequest[];
}

export interface ReplayOptions {
  /** A shorter TTL is raised to this; 2 unless said. Only the grant's answer depends on it. */
  readonly minTtlSeconds?: number;
}

/** TTLs above are refused (etcd's limit). */
const MAX_TTL_SECONDS = 9_000_000_000;

/** The history behind `entries`: all that a cluster has applied, from its first entry on. */
export function replay(entries: Iterable<Entry>): TrueHistory {
  const machine = new ReferenceMachine();
  const applied: AppliedRequest[] = [];
  for (const { type, index, data } of entries) {
    if (type !== EntryType.normal || data.length === 0) continue;
    const { op } = internalRequest.decode(data);
    const before = machine.revision;
    const error = machine.apply(op);
    const { revision } = machine;
    applied.push({ index, op, revision, changed: revision > before, error });
  }
  return { timeline: machine.timeline, applied };
}

/** The history that `events` (everything since revision 1, in order) tell of. */
export function historyOfEvents(events: Iterable<Event>): TrueHistory {
  const timeline = new Timeline();
  let gathered: Event[] = [];
  for (const { type, kv } of events) {
    if (gathered.length > 0 && gathered[0]!.kv.modRevision !== kv.modRevision) {
      timeline.append(gathered);
      gathered = [];
    }
    gathered.push({ type, kv });
  }
  if (gathered.length > 0) timeline.append(gathered);
  return { timeline };
}

/** The state at `revision` as a request would have met it, with nothing compacted and all leases there. */
export function viewAt(timeline: Timeline, revision: number): StateView {
  return {
    revision,
    compactRevision: -1,
    pairsAt: (at, range) => timeline.pairsAt(at, range),
    hasLease: () => true,
  };
}

/** The whole state machine, as plainly as it can be said. */
export class ReferenceMachine implements StateView {
  readonly timeline = new Timeline();
  /** Ids and granted TTLs. */
  readonly leases = new Map<bigint, number>();
  compactRevision = -1;
  readonly #minTtlSeconds: number;
  readonly #alarms = new Set<string>();

  constructor(options: ReplayOptions = {}) {
    this.#minTtlSeconds = options.minTtlSeconds ?? 2;
  }

  get revision(): number {
    return this.timeline.currentRevision;
  }

  pairsAt(revision: number, range: KeyRange): KeyValue[] {
    return this.timeline.pairsAt(revision, range);
  }

  hasLease(id: bigint): boolean {
    return this.leases.has(id);
  }

  /** Applies one request; the result names why it was refused, if it was. */
  apply(op: InternalOp): EtcdErrorName | 'status' | undefined {
    try {
      this.#refuseUnderAlarm(op);
      this.#execute(op);
      return undefined;
    } catch (error) {
      if (error instanceof EtcdError) return error.name;
      throw error;
    }
  }

  #execute(op: InternalOp): void {
    switch (op.kind) {
      case 'put':
      case 'deleteRange':
      case 'txn':
        return this.#append(executeWrite(this, op).events);
      case 'range':
        return void executeRange(this, op.request);
      case 'compaction':
        return this.#compact(op.request);
      case 'leaseGrant':
        return this.#grant(op.request);
      case 'leaseRevoke':
        return this.#revoke(op.request.id);
      case 'alarm':
        return this.#alarm(op.request);
      default:
      // Checkpoints, membership and versions leave the keyspace alone.
    }
  }

  #append(events: readonly Event[]): void {
    if (events.length > 0) this.timeline.append(events);
  }

  #compact({ revision }: CompactionRequest): void {
    if (revision <= this.compactRevision) throw etcdError('compacted');
    if (revision > this.revision) throw etcdError('futureRev');
    this.compactRevision = Number(revision);
  }

  #grant({ id, ttl }: LeaseGrantRequest): void {
    if (id === 0n) throw etcdError('leaseNotFound');
    if (compareInt64(ttl, MAX_TTL_SECONDS) > 0) throw etcdError('leaseTTLTooLarge');
    if (this.leases.has(id)) throw etcdError('leaseExist');
    this.leases.set(id, Math.max(Number(ttl), this.#minTtlSeconds));
  }

  #revoke(id: bigint): void {
    if (!this.leases.delete(id)) throw etcdError('leaseNotFound');
    this.#append(deleteKeys(this, attachedKeys(this.timeline, this.revision, id)));
  }

  #alarm({ action, alarm, memberId }: AlarmRequest): void {
    const name = `${alarm} ${memberId}`;
    if (action === AlarmAction.activate && alarm !== AlarmType.none) this.#alarms.add(name);
    if (action === AlarmAction.deactivate) this.#alarms.delete(name);
  }

  #refuseUnderAlarm(op: InternalOp): void {
    const raised = (alarm: number) =>
      [...this.#alarms].some((name) => name.startsWith(`${alarm} `));
    if (raised(AlarmType.corrupt) && REFUSED_WHEN_CORRUPT.has(op.kind)) throw etcdError('corrupt');
    if (raised(AlarmType.noSpace) && takesSpace(op)) throw etcdError('noSpace');
  }
}

const REFUSED_WHEN_CORRUPT: ReadonlySet<string> = new Set([
  'put',
  'range',
  'deleteRange',
  'txn',
  'compaction',
  'leaseGrant',
  'leaseRevoke',
]);

function takesSpace(op: InternalOp): boolean {
  if (op.kind === 'put' || op.kind === 'leaseGrant') return true;
  const isPut = ({ kind }: RequestOp) => kind === 'put';
  return op.kind === 'txn' && [...op.request.success, ...op.request.failure].some(isPut);
}

const EVERYTHING: KeyRange = { from: '', to: '\u0100' };

/** Keys that belong to lease `id` at `revision`, in byte order. */
export function attachedKeys(timeline: Timeline, revision: number, id: bigint): string[] {
  const pairs = timeline.pairsAt(revision, EVERYTHING);
  return pairs.filter((pair) => pair.lease === id).map((pair) => pair.key);
}

/**
 * The lease that may have ended at `revision`, by the events alone: all of them are deletions, and of all
 * the keys that one lease had and of no others. (A client may have deleted just those.)
 */
export function leaseEndAt(timeline: Timeline, revision: number): bigint | undefined {
  const events = timeline.eventsOf(revision);
  const lease = timeline.pairAt(events[0]!.kv.key, revision - 1)?.lease ?? 0n;
  if (lease === 0n || events.some(({ type }) => type === 'put')) return undefined;
  const gone = events.map(({ kv }) => kv.key);
  const had = attachedKeys(timeline, revision - 1, lease);
  return gone.join('\u0100') === had.join('\u0100') ? lease : undefined;
}
