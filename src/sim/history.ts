/**
 * What clients saw: the record that checkers judge a run by. Plain data, so that it can be printed,
 * stored and made up by hand.
 *
 * Times are virtual milliseconds of the true clock, which no member reads. Several things may happen at
 * one time; their order is {@link Instant.sequence}, and "before" always means that.
 */
import {
  isEtcdError,
  type AlarmRequest,
  type AlarmResponse,
  type CompactionRequest,
  type CompactionResponse,
  type DeleteRangeRequest,
  type DeleteRangeResponse,
  type EtcdErrorName,
  type HashKvRequest,
  type HashKvResponse,
  type HeaderResponse,
  type LeaseGrantRequest,
  type LeaseGrantResponse,
  type LeaseKeepAliveRequest,
  type LeaseKeepAliveResponse,
  type LeaseLeasesResponse,
  type LeaseRevokeRequest,
  type LeaseRevokeResponse,
  type LeaseTimeToLiveRequest,
  type LeaseTimeToLiveResponse,
  type MemberAddRequest,
  type MemberAddResponse,
  type MemberIdRequest,
  type MemberListRequest,
  type MemberListResponse,
  type MemberUpdateRequest,
  type MembersResponse,
  type MoveLeaderRequest,
  type PutRequest,
  type PutResponse,
  type RangeRequest,
  type RangeResponse,
  type StatusResponse,
  type TxnRequest,
  type TxnResponse,
  type WatchCreateRequest,
  type WatchResponse,
} from '../api/index.js';

/** A moment of the run. */
export interface Instant {
  /** Virtual milliseconds since the run began; may have fractions. */
  readonly ms: number;
  /** Orders everything that a {@link HistoryRecorder} has seen; unique. */
  readonly sequence: number;
}

/** Every operation that a client can ask for: its request and its answer. */
export interface OperationTypes {
  range: { request: RangeRequest; response: RangeResponse };
  put: { request: PutRequest; response: PutResponse };
  deleteRange: { request: DeleteRangeRequest; response: DeleteRangeResponse };
  txn: { request: TxnRequest; response: TxnResponse };
  compact: { request: CompactionRequest; response: CompactionResponse };
  leaseGrant: { request: LeaseGrantRequest; response: LeaseGrantResponse };
  leaseRevoke: { request: LeaseRevokeRequest; response: LeaseRevokeResponse };
  leaseKeepAlive: { request: LeaseKeepAliveRequest; response: LeaseKeepAliveResponse };
  leaseTimeToLive: { request: LeaseTimeToLiveRequest; response: LeaseTimeToLiveResponse };
  leaseLeases: { request: object; response: LeaseLeasesResponse };
  memberList: { request: MemberListRequest; response: MemberListResponse };
  memberAdd: { request: MemberAddRequest; response: MemberAddResponse };
  memberRemove: { request: MemberIdRequest; response: MembersResponse };
  memberUpdate: { request: MemberUpdateRequest; response: MembersResponse };
  memberPromote: { request: MemberIdRequest; response: MembersResponse };
  moveLeader: { request: MoveLeaderRequest; response: HeaderResponse };
  status: { request: object; response: StatusResponse };
  hashKv: { request: HashKvRequest; response: HashKvResponse };
  alarm: { request: AlarmRequest; response: AlarmResponse };
}

export type OperationKind = keyof OperationTypes;

/** How an operation ended, as far as its client can know. */
export type Outcome<Response> =
  | { readonly kind: 'ok'; readonly response: Response }
  /** The cluster said no: the operation has had no effect and never will. */
  | { readonly kind: 'refused'; readonly error: EtcdErrorName | 'status'; readonly message: string }
  /** It may have happened, it may not, and it may still happen at any later time. */
  | { readonly kind: 'unknown'; readonly error: string };

interface OperationOf<Kind extends OperationKind> {
  readonly kind: Kind;
  /** Position in {@link History.operations}. */
  readonly id: number;
  /** A client has one operation of this record open at a time, or several: nothing relies on it. */
  readonly clientId: number;
  /** The member that was asked. */
  readonly member: bigint;
  /** Which process of that member answered, counted from 0; undefined if none did. */
  readonly incarnation?: number;
  readonly request: OperationTypes[Kind]['request'];
  readonly invoked: Instant;
  /** When the client learnt the outcome; undefined when the run ended first (outcome unknown). */
  readonly completed?: Instant;
  readonly outcome: Outcome<OperationTypes[Kind]['response']>;
}

/** One operation, from the call to what came of it. `Operation<'put'>` is a put; alone it is the union. */
export type Operation<Kind extends OperationKind = OperationKind> = {
  [K in Kind]: OperationOf<K>;
}[Kind];

/** A response of a watch, in the order of arrival. */
export interface WatchArrival {
  readonly at: Instant;
  readonly response: WatchResponse;
}

/**
 * One watch on one stream, from its create request to its end. A watcher that reconnects leaves one
 * record for each connection; they share the `watcherId` and stand in {@link History.watches} in order.
 */
export interface WatchRecord {
  /** Position in {@link History.watches}. */
  readonly id: number;
  readonly clientId: number;
  readonly watcherId: number;
  readonly member: bigint;
  /** As sent; on a resume `startRevision` is the first revision not seen yet. */
  readonly request: WatchCreateRequest;
  readonly requested: Instant;
  /**
   * Everything that came for this watch: created, events, progress, canceled. A progress for the whole
   * stream (watchId -1) is recorded with each watch that was created on the stream by then.
   */
  readonly arrivals: readonly WatchArrival[];
  /** Undefined while the watch was open at the end of the run. */
  readonly ended?: { readonly at: Instant; readonly why: WatchEnd };
}

/** The client let go; the connection or the member was lost; the server cancelled or refused. */
export type WatchEnd = 'client' | 'lost' | 'canceled';

export interface History {
  /** In order of invocation. */
  readonly operations: readonly Operation[];
  /** In order of their create requests. */
  readonly watches: readonly WatchRecord[];
}

/** What {@link HistoryRecorder.watch} returns: writes down one watch. */
export interface WatchRecording {
  arrived(response: WatchResponse): void;
  /** Later calls are ignored. */
  ended(why: WatchEnd): void;
}

/** Writes a {@link History} while a run goes on. Operations that never end stay unknown. */
export class HistoryRecorder implements History {
  readonly operations: Operation[] = [];
  readonly watches: WatchRecord[] = [];
  readonly #nowMs: () => number;
  #sequence = 0;

  /** `nowMs` reads the true virtual clock. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** A moment of its own: now, after all that was recorded before. */
  instant(): Instant {
    return { ms: this.#nowMs(), sequence: this.#sequence++ };
  }

  /** An operation begins; the result is its id. The request must not be changed afterwards. */
  invoke<Kind extends OperationKind>(
    kind: Kind,
    clientId: number,
    member: bigint,
    request: OperationTypes[Kind]['request'],
  ): number {
    const id = this.operations.length;
    const outcome = { kind: 'unknown', error: 'the run ended first' } as const;
    const invoked = this.instant();
    this.operations.push({ kind, id, clientId, member, request, invoked, outcome } as Operation);
    return id;
  }

  /** Operation `id` ends; `incarnation` is that of the process that answered, if one did. */
  complete<Kind extends OperationKind>(
    id: number,
    outcome: Outcome<OperationTypes[Kind]['response']>,
    incarnation?: number,
  ): void {
    const completed = this.instant();
    const open = this.operations[id]!;
    this.operations[id] = { ...open, completed, outcome, incarnation } as Operation;
  }

  /** A create request is sent. */
  watch(
    clientId: number,
    watcherId: number,
    member: bigint,
    request: WatchCreateRequest,
  ): WatchRecording {
    const arrivals: WatchArrival[] = [];
    const id = this.watches.length;
    const requested = this.instant();
    this.watches.push({ id, clientId, watcherId, member, request, requested, arrivals });
    return {
      arrived: (response) => arrivals.push({ at: this.instant(), response }),
      ended: (why) => {
        const open = this.watches[id]!;
        if (open.ended === undefined)
          this.watches[id] = { ...open, ended: { at: this.instant(), why } };
      },
    };
  }
}

/**
 * Errors after which a request may have taken effect, or may yet: those that end the waiting, not the
 * request; `noSpace`, which can be the answer to a write that was applied; and statuses that the table
 * does not have.
 */
const MAY_HAVE_HAPPENED: ReadonlySet<EtcdErrorName | 'status'> = new Set([
  'noSpace',
  'leaderChanged',
  'stopped',
  'timeout',
  'timeoutDueToLeaderFail',
  'timeoutDueToConnectionLost',
  'timeoutWaitAppliedIndex',
  'timeoutLeaderTransfer',
  'canceled',
  'deadlineExceeded',
  'contextDeadlineExceeded',
  'contextCanceled',
  'status',
]);

/** What a client knows after `error`: refused if the cluster surely did nothing, else unknown. */
export function outcomeOfError(error: unknown): Outcome<never> {
  if (isEtcdError(error) && !MAY_HAVE_HAPPENED.has(error.name)) {
    return { kind: 'refused', error: error.name, message: error.message };
  }
  return { kind: 'unknown', error: error instanceof Error ? error.message : String(error) };
}
