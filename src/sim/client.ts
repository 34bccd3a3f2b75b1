/**
 * A client of the virtual cluster: calls members' services through links that delay, lose and break, and
 * records what it saw. Requests and answers are the services' own objects; the bytes between them are
 * tested elsewhere.
 */
import type { WatchCreateRequest } from '../api/index.js';
import type { Services } from '../server/index.js';
import { type ClientWorld, PLAIN_CALL } from './client-world.js';
import {
  type OperationKind,
  type OperationTypes,
  type Outcome,
  outcomeOfError,
} from './history.js';
import type { Node, Process } from './node.js';
import { VirtualWatch } from './virtual-watch.js';
import type { OpenWatch, WatchListener, WorkloadClient } from './workloads/workload-client.js';

/** A client gives up after this; longer than the members' own limit, so that their answer comes first. */
const CALL_TIMEOUT_MS = 10_000;

export class SimulatedClient implements WorkloadClient {
  readonly id: number;
  readonly name: string;
  readonly #world: ClientWorld;

  constructor(id: number, world: ClientWorld) {
    this.id = id;
    this.name = `c${id}`;
    this.#world = world;
    world.meet(this.name);
  }

  get stopping(): boolean {
    return this.#world.stopping;
  }

  memberAt(place: number): bigint {
    return this.#nodeAt(place).id;
  }

  peerUrlsFor(slot: number): string[] {
    return this.#world.peerUrlsFor(slot);
  }

  sleep(delayMs: number): Promise<void> {
    const { loop } = this.#world;
    if (this.stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const forget = this.#world.onStopping(() => {
        event.cancel();
        resolve();
      });
      const event = loop.schedule(delayMs * 1000, undefined, () => {
        forget();
        resolve();
      });
    });
  }

  call<Kind extends OperationKind>(
    place: number,
    kind: Kind,
    request: OperationTypes[Kind]['request'],
  ): Promise<Outcome<OperationTypes[Kind]['response']>> {
    return this.ask(this.#nodeAt(place), kind, request);
  }

  /** The same at a given node. */
  ask<Kind extends OperationKind>(
    node: Node,
    kind: Kind,
    request: OperationTypes[Kind]['request'],
  ): Promise<Outcome<OperationTypes[Kind]['response']>> {
    const { history, trace } = this.#world;
    const id = history.invoke(kind, this.id, node.id, request);
    trace.record('client', this.name, 'asks', node.host, kind, 'operation', id);
    return new Promise((resolve) => {
      let isOver = false;
      const end = (outcome: Outcome<OperationTypes[Kind]['response']>, incarnation?: number) => {
        if (isOver) return;
        isOver = true;
        timeout.cancel();
        history.complete<Kind>(id, outcome, incarnation);
        trace.record('client', this.name, 'operation', id, ...outcomeDetails(outcome));
        resolve(outcome);
      };
      const timeout = this.#world.loop.schedule(CALL_TIMEOUT_MS * 1000, undefined, () =>
        end({ kind: 'unknown', error: 'the client waited too long' }),
      );
      this.#send(node, kind, request, end);
    });
  }

  watch(
    place: number,
    watcherId: number,
    request: WatchCreateRequest,
    listener: WatchListener,
  ): OpenWatch {
    const node = this.#nodeAt(place);
    const { history, trace } = this.#world;
    const recording = history.watch(this.id, watcherId, node.id, request);
    trace.record('client', this.name, 'watches', node.host, 'watcher', watcherId);
    return new VirtualWatch(this.#world, this.name, node, request, recording, listener);
  }

  #send<Kind extends OperationKind>(
    node: Node,
    kind: Kind,
    request: OperationTypes[Kind]['request'],
    end: (outcome: Outcome<OperationTypes[Kind]['response']>, incarnation?: number) => void,
  ): void {
    const { network } = this.#world;
    const there = network.link(this.name, node.host);
    const back = network.link(node.host, this.name);
    const refuse = () => network.carry(back, 100, () => end(CONNECTION_REFUSED));
    network.carry(there, 200, () => {
      const process = node.process;
      if (there.condition.cuts > 0) return;
      if (process?.services === undefined || !process.isServing) return void refuse();
      const lost = () => void network.carry(back, 100, () => end(CONNECTION_LOST));
      const forget = process.onDeath(lost);
      const answer = (outcome: Outcome<OperationTypes[Kind]['response']>) => {
        forget();
        network.carry(back, 300, () => end(outcome, process.incarnation));
      };
      process.deliver(() => serve(process, kind, request, answer));
    });
  }

  #nodeAt(place: number): Node {
    const nodes = this.#world.clientNodes();
    return nodes[place % nodes.length]!;
  }
}

const CONNECTION_REFUSED = {
  kind: 'refused',
  error: 'status',
  message: 'connection refused',
} as const;
const CONNECTION_LOST = { kind: 'unknown', error: 'connection lost' } as const;

function serve<Kind extends OperationKind>(
  process: Process,
  kind: Kind,
  request: OperationTypes[Kind]['request'],
  answer: (outcome: Outcome<OperationTypes[Kind]['response']>) => void,
): void {
  handle(process.services!, kind, request).then(
    (response) => answer({ kind: 'ok', response }),
    (error: unknown) => answer(outcomeOfError(error)),
  );
}

type Handlers = {
  readonly [Kind in OperationKind]: (
    services: Services,
    request: OperationTypes[Kind]['request'],
  ) => OperationTypes[Kind]['response'] | Promise<OperationTypes[Kind]['response']>;
};

const HANDLERS: Handlers = {
  range: ({ kv }, request) => kv.range(request, PLAIN_CALL),
  put: ({ kv }, request) => kv.put(request, PLAIN_CALL),
  deleteRange: ({ kv }, request) => kv.deleteRange(request, PLAIN_CALL),
  txn: ({ kv }, request) => kv.txn(request, PLAIN_CALL),
  compact: ({ kv }, request) => kv.compact(request, PLAIN_CALL),
  leaseGrant: ({ lease }, request) => lease.grant(request, PLAIN_CALL),
  leaseRevoke: ({ lease }, request) => lease.revoke(request, PLAIN_CALL),
  leaseKeepAlive: ({ lease }, request) => lease.keepAlive(request),
  leaseTimeToLive: ({ lease }, request) => lease.timeToLive(request, PLAIN_CALL),
  leaseLeases: ({ lease }) => lease.leases(PLAIN_CALL),
  memberList: ({ cluster }, request) => cluster.list(request, PLAIN_CALL),
  memberAdd: ({ cluster }, request) => cluster.add(request, PLAIN_CALL),
  memberRemove: ({ cluster }, request) => cluster.remove(request, PLAIN_CALL),
  memberUpdate: ({ cluster }, request) => cluster.update(request, PLAIN_CALL),
  memberPromote: ({ cluster }, request) => cluster.promote(request, PLAIN_CALL),
  moveLeader: ({ maintenance }, request) => maintenance.moveLeader(request, PLAIN_CALL),
  status: ({ maintenance }) => maintenance.status(PLAIN_CALL),
  hashKv: ({ maintenance }, request) => maintenance.hashKv(request, PLAIN_CALL),
  alarm: ({ maintenance }, request) => maintenance.alarm(request, PLAIN_CALL),
};

async function handle<Kind extends OperationKind>(
  services: Services,
  kind: Kind,
  request: OperationTypes[Kind]['request'],
): Promise<OperationTypes[Kind]['response']> {
  return HANDLERS[kind](services, request);
}

function outcomeDetails(outcome: Outcome<object>): string[] {
  if (outcome.kind === 'ok') return ['ok'];
  return [outcome.kind, outcome.error];
}
