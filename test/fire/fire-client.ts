/**
 * A client of real processes with the simulator's own interface, so that its workloads drive both. Each
 * call goes to one member, through the gRPC client, and is recorded.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { etcdError, type WatchCreateRequest } from '../../src/api/index.js';
import type { Link } from '../../src/client/link.js';
import { type Method, methods } from '../../src/client/method.js';
import {
  type HistoryRecorder,
  outcomeOfError,
  type OperationKind,
  type OperationTypes,
  type Outcome,
} from '../../src/sim/history.js';
import type {
  OpenWatch,
  WatchListener,
  WorkloadClient,
} from '../../src/sim/workloads/workload-client.js';
import type { FireMember } from './fire-member.js';
import { linkTo } from './fire-member.js';
import { FireWatch } from './fire-watch.js';

/** A call that has no answer by then has an unknown outcome. */
export const CALL_TIMEOUT_MS = 1500;

/** What all clients of a run share. */
export interface FireWorld {
  readonly history: HistoryRecorder;
  readonly members: readonly FireMember[];
  readonly stopping: AbortSignal;
  /** Resolves when the run's own record reaches `revision`: what is not written down is not compacted. */
  witnessed(revision: number): Promise<void>;
}

export interface FireClientOptions {
  readonly id: number;
  /** Past the proxies; through them unless said. */
  readonly direct?: boolean;
  /** Ask this member only, whatever the place. */
  readonly only?: FireMember;
}

export class FireClient implements WorkloadClient {
  readonly id: number;
  readonly #world: FireWorld;
  readonly #options: FireClientOptions;
  readonly #links = new Map<FireMember, Link>();
  readonly #watches = new Set<FireWatch>();

  constructor(world: FireWorld, options: FireClientOptions) {
    this.id = options.id;
    this.#world = world;
    this.#options = options;
  }

  get stopping(): boolean {
    return this.#world.stopping.aborted;
  }

  memberAt(place: number): bigint {
    return this.#member(place).id;
  }

  /** The members of this cluster stay. */
  peerUrlsFor(): string[] {
    throw new Error('no workload here may change the membership');
  }

  async sleep(delayMs: number): Promise<void> {
    await pause(delayMs, undefined, { signal: this.#world.stopping }).catch(() => {});
  }

  async call<Kind extends OperationKind>(
    place: number,
    kind: Kind,
    request: OperationTypes[Kind]['request'],
  ): Promise<Outcome<OperationTypes[Kind]['response']>> {
    if (kind === 'compact') {
      const { revision } = request as OperationTypes['compact']['request'];
      await this.#world.witnessed(Number(revision));
    }
    const member = this.#member(place);
    const { history } = this.#world;
    const { incarnation } = member;
    const id = history.invoke(kind, this.id, member.id, request);
    const outcome = await this.#ask(member, kind, request);
    // An answer that may be of either of two processes counts as one of a process of its own.
    history.complete<Kind>(id, outcome, incarnation === member.incarnation ? incarnation : -1 - id);
    return outcome;
  }

  watch(
    place: number,
    watcherId: number,
    request: WatchCreateRequest,
    listener: WatchListener,
  ): OpenWatch {
    const member = this.#member(place);
    const recording = this.#world.history.watch(this.id, watcherId, member.id, request);
    const watch: FireWatch = new FireWatch({
      link: linkTo(this.#portOf(member)),
      request,
      // Half of them want to hear that their member has no leader.
      requireLeader: watcherId % 2 === 0,
      recording,
      listener,
      over: () => this.#watches.delete(watch),
    });
    this.#watches.add(watch);
    return watch;
  }

  /** Ends every call and watch. */
  close(): void {
    for (const watch of this.#watches) watch.cancel();
    for (const link of this.#links.values()) link.close();
  }

  #member(place: number): FireMember {
    const { members } = this.#world;
    return this.#options.only ?? members[place % members.length]!;
  }

  #portOf(member: FireMember): number {
    return this.#options.direct === true ? member.clientPort : member.proxiedClientPort;
  }

  #linkTo(member: FireMember): Link {
    const known = this.#links.get(member);
    if (known !== undefined) return known;
    const link = linkTo(this.#portOf(member));
    this.#links.set(member, link);
    return link;
  }

  async #ask<Kind extends OperationKind>(
    member: FireMember,
    kind: Kind,
    request: OperationTypes[Kind]['request'],
  ): Promise<Outcome<OperationTypes[Kind]['response']>> {
    const link = this.#linkTo(member);
    const deadlineMs = Date.now() + CALL_TIMEOUT_MS;
    // A request that has not left has not happened.
    if (!(await link.isReady(deadlineMs))) return NOT_CONNECTED;
    try {
      return { kind: 'ok', response: await send(link, kind, request, deadlineMs) };
    } catch (error) {
      return outcomeOfError(error);
    }
  }
}

const NOT_CONNECTED = {
  kind: 'refused',
  error: 'status',
  message: 'the member cannot be reached',
} as const;

async function send<Kind extends OperationKind>(
  link: Link,
  kind: Kind,
  request: OperationTypes[Kind]['request'],
  deadlineMs: number,
): Promise<OperationTypes[Kind]['response']> {
  if (kind === 'leaseKeepAlive') {
    const { id } = request as OperationTypes['leaseKeepAlive']['request'];
    return renew(link, id, deadlineMs);
  }
  return link.unary(methodOf(kind), request, deadlineMs);
}

type Calls = {
  readonly [Kind in OperationKind]: Method<
    OperationTypes[Kind]['request'],
    OperationTypes[Kind]['response']
  >;
};

function methodOf<Kind extends OperationKind>(kind: Kind): Calls[Kind] {
  return (methods satisfies Calls as Calls)[kind];
}

/** One renewal on a stream of its own. */
async function renew(
  link: Link,
  id: bigint,
  deadlineMs: number,
): Promise<OperationTypes['leaseKeepAlive']['response']> {
  const stream = link.stream(methods.leaseKeepAlive);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stream.cancel();
  }, deadlineMs - Date.now());
  try {
    stream.send({ id });
    for await (const answer of stream) return answer;
    throw etcdError('stopped');
  } catch (error) {
    throw isLate ? etcdError('contextDeadlineExceeded') : error;
  } finally {
    clearTimeout(timer);
    stream.cancel();
  }
}
