/** Makes histories by hand: a cluster that answers from the reference machine, and ways to spoil them. */
import { EtcdError, etcdError, type Event, type InternalOp } from '../../../src/api/index.js';
import {
  HistoryRecorder,
  outcomeOfError,
  type History,
  type Operation,
  type OperationKind,
  type OperationTypes,
  type Outcome,
  type WatchRecording,
} from '../../../src/sim/history.js';
import { executeRange, executeWrite } from '../../../src/sim/checkers/model.js';
import {
  ReferenceMachine,
  type AppliedRequest,
  type TrueHistory,
} from '../../../src/sim/checkers/true-history.js';
import type { Violation } from '../../../src/sim/checkers/violation.js';
import {
  deleteRequest,
  putRequest,
  rangeRequest,
  watchRequest,
} from '../../../src/sim/workloads/requests.js';
import type {
  CompactionResponse,
  DeleteRangeRequest,
  PutRequest,
  RangeRequest,
  ResponseHeader,
  WatchCreateRequest,
  WatchResponse,
} from '../../../src/api/index.js';
import { isWanted } from '../../../src/sim/checkers/watch-guarantees.js';

export function header(revision: number): ResponseHeader {
  return { clusterId: 1n, memberId: 1n, revision, raftTerm: 1 };
}

export class Story {
  nowMs = 0;
  readonly recorder = new HistoryRecorder(() => this.nowMs);
  readonly machine = new ReferenceMachine();
  readonly applied: AppliedRequest[] = [];
  /** When each applied request was, by index. */
  readonly appliedAtMs: number[] = [];
  readonly #outcomes = new Map<number, Outcome<unknown>>();

  get history(): History {
    return this.recorder;
  }

  get truth(): TrueHistory {
    return { timeline: this.machine.timeline, applied: this.applied };
  }

  begin<Kind extends OperationKind>(
    kind: Kind,
    request: OperationTypes[Kind]['request'],
    member = 1n,
  ): number {
    return this.recorder.invoke(kind, 1, member, request);
  }

  /** The cluster does what operation `id` asks for. */
  execute(id: number): void {
    this.#outcomes.set(id, this.#answer(this.recorder.operations[id]!));
  }

  /** The client learns what came of it, or `outcome`. */
  end(id: number, outcome?: Outcome<unknown>): void {
    this.recorder.complete(id, (outcome ?? this.#outcomes.get(id)!) as Outcome<never>, 0);
  }

  lose(id: number): void {
    this.end(id, { kind: 'unknown', error: 'timeout' });
  }

  /** From call to answer; the result is the id. */
  do<Kind extends OperationKind>(
    kind: Kind,
    request: OperationTypes[Kind]['request'],
    member = 1n,
  ): number {
    const id = this.begin(kind, request, member);
    this.nowMs += 1;
    this.execute(id);
    this.nowMs += 1;
    this.end(id);
    return id;
  }

  put(key: string, value: string, fields: Partial<PutRequest> = {}): number {
    return this.do('put', putRequest(key, value, fields));
  }

  delete(key: string, fields: Partial<DeleteRangeRequest> = {}): number {
    return this.do('deleteRange', deleteRequest(key, fields));
  }

  read(key: string, fields: Partial<RangeRequest> = {}): number {
    return this.do('range', rangeRequest(key, fields));
  }

  compact(revision: number): number {
    return this.do('compact', { revision, physical: false });
  }

  /** The cluster does something that no client has asked for. */
  happen(op: InternalOp): void {
    const before = this.machine.revision;
    const error = this.machine.apply(op);
    const { revision } = this.machine;
    const index = this.applied.length + 1;
    this.applied.push({ index, op, revision, changed: revision > before, error });
    this.appliedAtMs[index] = this.nowMs;
    if (error !== undefined && error !== 'status') throw etcdError(error);
  }

  /** A watch on which nothing has arrived yet. */
  watch(key: string, fields: Partial<WatchCreateRequest> = {}, watcherId = 1): StoryWatch {
    const request = watchRequest(key, fields);
    return new StoryWatch(this, request, this.recorder.watch(1, watcherId, 1n, request));
  }

  #answer(operation: Operation): Outcome<unknown> {
    try {
      return { kind: 'ok', response: this.#respond(operation) };
    } catch (error) {
      if (error instanceof EtcdError) return outcomeOfError(error);
      throw error;
    }
  }

  #respond(operation: Operation): unknown {
    const { kind, request } = operation;
    switch (kind) {
      case 'range': {
        const response = executeRange(this.machine, request);
        return { ...response, header: header(this.machine.revision) };
      }
      case 'put':
      case 'deleteRange':
      case 'txn':
        return this.#write({ kind, request } as Extract<InternalOp, { kind: typeof kind }>);
      case 'compact':
        this.happen({ kind: 'compaction', request });
        return { header: header(this.machine.revision) } satisfies CompactionResponse;
      case 'leaseGrant':
        this.happen({ kind: 'leaseGrant', request });
        return {
          header: header(this.machine.revision),
          id: request.id,
          ttl: this.machine.leases.get(request.id)!,
          error: '',
        };
      case 'leaseRevoke':
        this.happen({ kind: 'leaseRevoke', request });
        return { header: header(this.machine.revision) };
      case 'leaseKeepAlive': {
        const ttl = this.machine.leases.get(request.id) ?? 0;
        return { header: header(this.machine.revision), id: request.id, ttl };
      }
      default:
        throw new Error(`not told here: ${kind}`);
    }
  }

  #write(op: Extract<InternalOp, { kind: 'put' | 'deleteRange' | 'txn' }>): unknown {
    const { response } = executeWrite(this.machine, op);
    this.happen(op);
    return { ...response, header: header(this.machine.revision) };
  }
}

/** One watch of a story: says what a right server would, or what the test wants. */
export class StoryWatch {
  readonly #story: Story;
  readonly #request: WatchCreateRequest;
  readonly #recording: WatchRecording;

  constructor(story: Story, request: WatchCreateRequest, recording: WatchRecording) {
    this.#story = story;
    this.#request = request;
    this.#recording = recording;
  }

  arrive(fields: Partial<WatchResponse>, revision = this.#story.machine.revision): this {
    this.#recording.arrived({
      header: header(revision),
      watchId: 0n,
      created: false,
      canceled: false,
      compactRevision: 0,
      cancelReason: '',
      fragment: false,
      events: [],
      ...fields,
    });
    return this;
  }

  created(): this {
    return this.arrive({ created: true });
  }

  progress(revision = this.#story.machine.revision): this {
    return this.arrive({}, revision);
  }

  /** The events of these revisions that the watch wants, in one answer. */
  events(...revisions: number[]): this {
    return this.arrive({ events: revisions.flatMap((revision) => this.wanted(revision)) });
  }

  wanted(revision: number): Event[] {
    const { timeline } = this.#story.machine;
    const events = timeline.eventsOf(revision).filter((event) => isWanted(this.#request, event));
    if (!this.#request.prevKv) return events;
    return events.map((event) => {
      const prevKv = timeline.pairAt(event.kv.key, revision - 1);
      return prevKv === undefined ? event : { ...event, prevKv };
    });
  }

  ended(why: 'client' | 'lost' | 'canceled' = 'lost'): void {
    this.#recording.ended(why);
  }
}

/** The history with operation `id`'s answer changed by `spoil`. */
export function spoilAnswer(
  { operations, watches }: History,
  id: number,
  spoil: (response: any) => void,
): History {
  const spoilt = structuredClone(operations[id]!) as { outcome: { response: unknown } };
  spoil(spoilt.outcome.response);
  return {
    operations: operations.map((one) => (one.id === id ? (spoilt as unknown as Operation) : one)),
    watches,
  };
}

/** Names of the promises broken, each once, sorted. */
export function promises(violations: readonly Violation[]): string[] {
  return [...new Set(violations.map(({ promise }) => promise))].sort();
}
