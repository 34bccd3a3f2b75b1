/** How a workload speaks to a cluster: what the world implements, with recording. */
import type { Random } from '../../raft/index.js';
import type { WatchCreateRequest, WatchResponse } from '../../api/index.js';
import type { OperationKind, OperationTypes, Outcome } from '../history.js';

/**
 * One client. Calls never reject and never throw: what went wrong is in the outcome, and every call
 * ends within the client's own timeout. Each is recorded in the history.
 */
export interface WorkloadClient {
  readonly id: number;
  /** Asks the member at `place` (counted modulo the members that the client knows). */
  call<Kind extends OperationKind>(
    place: number,
    kind: Kind,
    request: OperationTypes[Kind]['request'],
  ): Promise<Outcome<OperationTypes[Kind]['response']>>;
  /**
   * Opens a stream to the member at `place` and begins one watch on it. Answers come through
   * `listener`, in order; `ended` is called once, whatever ends the watch but {@link OpenWatch.cancel}.
   */
  watch(
    place: number,
    watcherId: number,
    request: WatchCreateRequest,
    listener: WatchListener,
  ): OpenWatch;
  /** Id of the member at `place`, as {@link WorkloadClient.call} would ask it; for membership requests. */
  memberAt(place: number): bigint;
  /**
   * Virtual peer urls for a member that is to be added at `slot` (the world starts a node that joins
   * with them once the add has succeeded). Equal slots give equal urls.
   */
  peerUrlsFor(slot: number): string[];
  /** Resolves after `delayMs` of virtual time, or at once when the world stops its clients. */
  sleep(delayMs: number): Promise<void>;
  /** True once the run wants its clients to come to an end: begin nothing new. */
  readonly stopping: boolean;
}

export interface WatchListener {
  response(response: WatchResponse): void;
  ended(): void;
}

export interface OpenWatch {
  /** Asks for a progress response for the stream. */
  requestProgress(): void;
  /** Ends the stream from the client's side. */
  cancel(): void;
}

/**
 * A plan: what several clients will do, drawn before the run so that it can be printed, stored and made
 * smaller. Each client runs its steps one after the other.
 */
export interface Plan<Step> {
  readonly clients: readonly ClientPlan<Step>[];
}

export interface ClientPlan<Step> {
  readonly steps: readonly Step[];
}

/** A step and how long the client waits before it. */
export interface Timed {
  /** Virtual milliseconds. */
  readonly afterMs: number;
}

/** A kind of traffic: draws plans and runs them. */
export interface Workload<Step extends Timed = Timed> {
  readonly name: string;
  /** Draws what `clients` clients do in about `durationMs` of virtual time. */
  plan(random: Random, options: PlanOptions): Plan<Step>;
  /** Runs one client's part; resolves when it is done or the client is stopping. */
  run(client: WorkloadClient, plan: ClientPlan<Step>): Promise<void>;
}

export interface PlanOptions {
  readonly clients: number;
  readonly durationMs: number;
  /** Mean pause of a client between two operations, in virtual milliseconds. */
  readonly meanPauseMs: number;
}
