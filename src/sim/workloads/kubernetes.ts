/**
 * What API servers of a Kubernetes cluster ask of their store. Each client is one: it lists and watches
 * `/registry` from the list's revision, creates only what is not there, updates and deletes only what it
 * has seen, pages through lists at one revision, puts events under leases that many events share, and
 * compacts what is older than the last round, with `compact_rev_key` deciding who does it.
 */
import type { KeyValue, RequestOp, TxnRequest } from '../../api/index.js';
import type { Chance } from '../chance.js';
import { drawPlan, walk, type Position } from './plan.js';
import {
  deleteRequest,
  modRevisionIs,
  prefixEnd,
  putRequest,
  rangeRequest,
  txnRequest,
  versionIs,
  watchRequest,
} from './requests.js';
import { Session } from './session.js';
import { watcherId } from './watch.js';
import { Watcher } from './watcher.js';
import type { PlanOptions, Timed, Workload } from './workload-client.js';

export const REGISTRY = '/registry/';
const COMPACT_KEY = 'compact_rev_key';
const RESOURCES = ['pods', 'configmaps', 'leases'] as const;
const NAMES = 5;
/** Long enough for several events to share a lease, short enough to run out within a run. */
const EVENT_TTL_SECONDS = 6;
const EVENTS_PER_LEASE = 10;
const COMPACT_INTERVAL_MS = 5 * 60_000;

export type KubernetesStep = Timed & { readonly place: number } & KubernetesAction;

export type KubernetesAction =
  /** Lists everything, then watches from there; begins anew when its history is compacted. */
  | { readonly op: 'listAndWatch' }
  | { readonly op: 'progress' }
  | { readonly op: 'create'; readonly key: string; readonly value: string }
  /** Reads and writes if unchanged, again if it was changed, three times at most. */
  | { readonly op: 'update'; readonly key: string; readonly value: string }
  | { readonly op: 'delete'; readonly key: string }
  | { readonly op: 'get'; readonly key: string; readonly serializable: boolean }
  /** Pages of `limit` keys, all at the first one's revision. */
  | { readonly op: 'list'; readonly prefix: string; readonly limit: number }
  /** `leaseId` is granted if the client needs a lease now. */
  | {
      readonly op: 'event';
      readonly key: string;
      readonly value: string;
      readonly leaseId: bigint;
    }
  | { readonly op: 'compact' };

export const kubernetesWorkload: Workload<KubernetesStep> = {
  name: 'kubernetes',
  plan: (random, options) => {
    const plan = drawPlan<KubernetesStep>(random, options, (chance, position) => ({
      place: chance.integer(0, 9),
      ...drawAction(chance, position),
    }));
    return {
      clients: plan.clients.map(({ steps }) => ({ steps: withCompactions(steps, options) })),
    };
  },
  run: (client, plan) => {
    const server = new ApiServer(new Session(client));
    return walk(client, plan, (step) => server.take(step));
  },
};

/** Every five minutes, or four times in a shorter run; the pauses before other steps stay. */
function withCompactions(
  steps: readonly KubernetesStep[],
  { durationMs }: PlanOptions,
): KubernetesStep[] {
  const intervalMs = Math.min(COMPACT_INTERVAL_MS, durationMs / 5);
  const all: KubernetesStep[] = [];
  let sinceMs = 0;
  for (const step of steps) {
    all.push(step);
    sinceMs += step.afterMs;
    if (sinceMs < intervalMs) continue;
    sinceMs = 0;
    all.push({ op: 'compact', place: step.place, afterMs: 0 });
  }
  return all;
}

const WEIGHTS: readonly [KubernetesAction['op'], number][] = [
  ['update', 35],
  ['create', 15],
  ['get', 12],
  ['event', 12],
  ['delete', 8],
  ['list', 8],
  ['progress', 8],
];

function drawAction(chance: Chance, position: Position): KubernetesAction {
  const weighted = WEIGHTS.flatMap(([name, weight]) => Array<typeof name>(weight).fill(name));
  const op = position.step === 0 ? 'listAndWatch' : chance.pick(weighted);
  const resource = chance.pick(RESOURCES);
  const key = `${REGISTRY}${resource}/default/${chance.integer(0, NAMES - 1)}`;
  const value = `k8s${position.client}.${position.step}`;
  switch (op) {
    case 'create':
    case 'update':
      return { op, key, value };
    case 'delete':
      return { op, key };
    case 'get':
      return { op, key, serializable: chance.happens(0.3) };
    case 'list':
      return { op, prefix: `${REGISTRY}${resource}/`, limit: chance.integer(1, 3) };
    case 'event': {
      const name = `${position.client}.${position.step}`;
      return { op, key: `${REGISTRY}events/default/${name}`, value, leaseId: leaseId(position) };
    }
    case 'listAndWatch':
    case 'progress':
    case 'compact':
      return { op };
  }
}

/** Apart from those of the lease workload. */
function leaseId({ client, step }: Position): bigint {
  return BigInt(client + 1) * 100_000n + BigInt(step + 1) + (1n << 40n);
}

class ApiServer {
  readonly #session: Session;
  #watcher: Watcher | undefined;
  #watchers = 0;
  #lease: { readonly id: bigint; eventsLeft: number; readonly untilStep: number } | undefined;
  #steps = 0;
  /** What compact_rev_key was when this server last saw it. */
  #compactVersion = 0;
  /** The revision that was current then: what is older may go. */
  #compactTo = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  async take(step: KubernetesStep): Promise<void> {
    this.#steps++;
    switch (step.op) {
      case 'listAndWatch':
        return this.#listAndWatch(step.place);
      case 'progress':
        return this.#watcher?.requestProgress();
      case 'create':
        return this.#create(step.place, step.key, step.value, 0n);
      case 'update':
        return this.#change(step.place, step.key, step.value);
      case 'delete':
        return this.#change(step.place, step.key, undefined);
      case 'get': {
        const { place, key, serializable } = step;
        await this.#session.ask(place, 'range', rangeRequest(key, { serializable }));
        return;
      }
      case 'list':
        await this.#list(step.place, step.prefix, step.limit);
        return;
      case 'event':
        return this.#event(step);
      case 'compact':
        return this.#compact(step.place);
    }
  }

  async #listAndWatch(place: number): Promise<void> {
    const revision = await this.#list(place, REGISTRY, 0);
    if (this.#session.client.stopping) return;
    this.#watcher = new Watcher(this.#session.client, {
      request: watchRequest(REGISTRY, {
        rangeEnd: prefixEnd(REGISTRY),
        startRevision: revision === undefined ? 0 : revision + 1,
        prevKv: true,
        progressNotify: true,
        fragment: true,
      }),
      nextId: () => watcherId(this.#session.client.id, this.#watchers++),
      place,
      retryMs: 200,
      onResponse: ({ header }) => this.#session.sees(header?.revision ?? 0),
      onCompacted: async () => {
        const listed = await this.#list(place, REGISTRY, 0);
        return listed === undefined ? 0 : listed + 1;
      },
    });
  }

  /** The revision of the list, or undefined if its first page was not answered. */
  async #list(place: number, prefix: string, limit: number): Promise<number | undefined> {
    const rangeEnd = prefixEnd(prefix);
    const first = await this.#session.ask(
      place,
      'range',
      rangeRequest(prefix, { rangeEnd, limit }),
    );
    if (first === undefined) return undefined;
    const revision = first.header!.revision;
    for (let page = first; page.more && !this.#session.client.stopping;) {
      const key = `${page.kvs.at(-1)!.key}\0`;
      const request = rangeRequest(key, { rangeEnd, limit, revision });
      const next = await this.#session.ask(place, 'range', request);
      if (next === undefined) break;
      page = next;
    }
    return revision;
  }

  async #create(place: number, key: string, value: string, lease: bigint): Promise<void> {
    const put: RequestOp = { kind: 'put', request: putRequest(key, value, { lease }) };
    await this.#session.ask(place, 'txn', ifUnchanged(key, 0, put));
  }

  /** Updates to `value`, or deletes when there is none. */
  async #change(place: number, key: string, value: string | undefined): Promise<void> {
    const read = await this.#session.ask(place, 'range', rangeRequest(key));
    let seen = read?.kvs[0];
    for (let tries = 0; tries < 3 && seen !== undefined; tries++) {
      const change = changeOf(seen, value);
      const request = ifUnchanged(key, seen.modRevision, change);
      const answer = await this.#session.ask(place, 'txn', request);
      if (answer === undefined || answer.succeeded) return;
      const [again] = answer.responses;
      seen = again?.kind === 'range' ? again.response.kvs[0] : undefined;
    }
  }

  /** A lease serves some events, while it is new. */
  async #event({ place, key, value, leaseId }: KubernetesStep & { op: 'event' }): Promise<void> {
    const usable = this.#lease;
    if (usable === undefined || usable.eventsLeft === 0 || this.#steps > usable.untilStep) {
      const request = { id: leaseId, ttl: EVENT_TTL_SECONDS };
      const granted = await this.#session.ask(place, 'leaseGrant', request);
      if (granted === undefined) return;
      const untilStep = this.#steps + 2 * EVENTS_PER_LEASE;
      this.#lease = { id: leaseId, eventsLeft: EVENTS_PER_LEASE, untilStep };
    }
    const lease = this.#lease!;
    lease.eventsLeft--;
    await this.#create(place, key, value, lease.id);
  }

  /**
   * Who sees `compact_rev_key` unchanged since the last round writes it, and compacts at the revision of
   * that round; the others take note and wait for the next.
   */
  async #compact(place: number): Promise<void> {
    const value = String(this.#session.lastRevision);
    const answer = await this.#session.ask(place, 'txn', {
      compare: [versionIs(COMPACT_KEY, this.#compactVersion)],
      success: [{ kind: 'put', request: putRequest(COMPACT_KEY, value) }],
      failure: [{ kind: 'range', request: rangeRequest(COMPACT_KEY) }],
    });
    if (answer === undefined) return;
    const compactTo = this.#compactTo;
    this.#compactTo = answer.header!.revision;
    if (!answer.succeeded) {
      const [known] = answer.responses;
      const version = known?.kind === 'range' ? known.response.kvs[0]?.version : undefined;
      this.#compactVersion = version ?? 0;
      return;
    }
    this.#compactVersion++;
    if (compactTo === 0) return;
    await this.#session.ask(place, 'compact', { revision: compactTo, physical: false });
  }
}

function changeOf({ key, lease }: KeyValue, value: string | undefined): RequestOp {
  return value === undefined
    ? { kind: 'deleteRange', request: deleteRequest(key) }
    : { kind: 'put', request: putRequest(key, value, { lease }) };
}

function ifUnchanged(key: string, modRevision: number, change: RequestOp): TxnRequest {
  return txnRequest({
    compare: [modRevisionIs(key, modRevision)],
    success: [change],
    failure: [{ kind: 'range', request: rangeRequest(key) }],
  });
}
