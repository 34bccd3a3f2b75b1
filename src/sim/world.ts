/**
 * A whole cluster in one process under virtual time: nodes that run the real member, the network between
 * them, clients, and the checkers that look after every event.
 */
import type { Message, Role } from '../raft/index.js';
import { DEFAULT_CONFIG, type MemberConfig, memberIdOf } from '../server/index.js';
import { StorageError } from '../storage/index.js';
import { ChanceStreams } from './chance.js';
import { type StepChecker, type WorldView } from './checkers/world-view.js';
import { ViolationError } from './checkers/violation.js';
import type { ClientWorld } from './client-world.js';
import { type DiskTiming, FAST_DISK, VirtualDisk } from './disk.js';
import { EventLoop } from './event-loop.js';
import { HistoryRecorder } from './history.js';
import { GOOD_LINK, type LinkCondition, VirtualNetwork, hostOf } from './network.js';
import { MAX_CLOCK_DRIFT, NodeClock } from './node-clock.js';
import { type Exit, Node } from './node.js';
import { Trace, type TraceListener } from './trace.js';

export interface WorldOptions {
  readonly seed: number;
  /** Founders of the cluster. */
  readonly members: number;
  /** Differences from the server's defaults; names, urls and the cluster are the world's. */
  readonly config?: Partial<MemberConfig> | undefined;
  readonly link?: Readonly<LinkCondition> | undefined;
  readonly disk?: DiskTiming | undefined;
  readonly traceListener?: TraceListener | undefined;
  /** Asked after every event. */
  readonly checkers?: readonly StepChecker[] | undefined;
}

/** A process that ended by itself is started again after this, as by an init system. */
const RESTART_MS = 1000;
/** How often the world looks for members that were added and have no node yet. */
const CARETAKER_MS = 500;
const CLUSTER_TOKEN = 'simulation';

export class World implements WorldView, ClientWorld {
  readonly loop: EventLoop;
  readonly trace: Trace;
  readonly streams: ChanceStreams;
  readonly network: VirtualNetwork;
  readonly history: HistoryRecorder;
  readonly #options: WorldOptions;
  readonly #checkers: readonly StepChecker[];
  readonly #nodes: Node[] = [];
  readonly #sleepers = new Set<() => void>();
  /** What the trace has said of the nodes that run. */
  readonly #roles = new Map<Node, { role: Role; term: number }>();
  readonly #commits = new Map<Node, number>();
  /** Nodes that the present event may have changed. */
  readonly #changed: Node[] = [];
  readonly #clients: string[] = [];
  /** By index. */
  readonly #appliedAtMs: number[] = [0];
  /** Ids of all members that have ever had a machine. */
  readonly #known = new Set<bigint>();
  #generations = 0;
  #stopping = false;
  #failure: Error | undefined;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#checkers = options.checkers ?? [];
    this.loop = new EventLoop({
      atRest: () => this.#atRest(),
      failed: (error) => this.fail(asError(error)),
    });
    this.trace = new Trace(() => this.loop.nowUs, options.traceListener);
    this.streams = new ChanceStreams(options.seed);
    this.network = new VirtualNetwork(
      this.loop,
      this.streams,
      this.trace,
      (message) => this.#message(message),
      options.link ?? GOOD_LINK,
    );
    this.history = new HistoryRecorder(() => this.loop.nowMs);
    this.#found(options.members);
  }

  /** Starts every founder and the world's own chores. */
  start(): void {
    for (const node of this.#nodes) node.start();
    this.#careLater();
  }

  // What it shows.

  nodes(): Iterable<Node> {
    return this.#nodes;
  }

  changed(): Iterable<Node> {
    return this.#changed;
  }

  get nowMs(): number {
    return this.loop.nowMs;
  }

  /** Nodes that have not been removed and still have their disk. */
  get members(): readonly Node[] {
    return this.#nodes.filter((node) => !node.isRetired);
  }

  clientNodes(): readonly Node[] {
    const members = this.members;
    return members.length > 0 ? members : this.#nodes;
  }

  /** The leader of the highest term among the nodes that run. */
  get leader(): Node | undefined {
    let leader: Node | undefined;
    for (const node of this.#nodes) {
      if (!node.alive || node.role !== 'leader') continue;
      if (leader === undefined || node.term > leader.term) leader = node;
    }
    return leader;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  onStopping(action: () => void): () => void {
    this.#sleepers.add(action);
    return () => this.#sleepers.delete(action);
  }

  /** Tells clients to come to an end. */
  stopClients(): void {
    this.#stopping = true;
    this.trace.record('world', '', 'clients come to an end');
    for (const wake of this.#sleepers) wake();
    this.#sleepers.clear();
  }

  meet(client: string): void {
    if (!this.#clients.includes(client)) this.#clients.push(client);
  }

  /** All clients that there have been. */
  get clientNames(): readonly string[] {
    return this.#clients;
  }

  /** When any node had first applied the entry at `index`, in milliseconds; undefined: not yet. */
  appliedAtMs(index: number): number | undefined {
    return this.#appliedAtMs[index];
  }

  peerUrlsFor(slot: number): string[] {
    return [urlOf(`x${slot}`)];
  }

  // How it goes on.

  /** Runs until `done` (asked after every event) or `untilMs`. Rejects when a checker finds a violation. */
  async run(untilMs: number, done?: () => boolean): Promise<void> {
    await this.loop.run(untilMs * 1000, done);
  }

  /** A promise is broken: the run ends here. */
  fail(error: Error): void {
    this.#failure ??= error;
  }

  #atRest(): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#noteNodes();
    for (const checker of this.#checkers) checker.step(this);
    this.#changed.length = 0;
  }

  #touch(node: Node): void {
    if (!this.#changed.includes(node)) this.#changed.push(node);
  }

  #message(message: Message): void {
    for (const checker of this.#checkers) checker.message(message);
  }

  /** What changed in the nodes, for the trace and for questions of when. */
  #noteNodes(): void {
    for (const node of this.#changed) {
      if (node.alive) this.#noteRunning(node);
      else this.#forget(node);
    }
  }

  #noteRunning(node: Node): void {
    this.#noteApplied(node.appliedIndex);
    this.#noteRole(node);
    const { commitIndex } = node;
    if (this.#commits.get(node) === commitIndex) return;
    this.#commits.set(node, commitIndex);
    this.trace.record('commit', node.host, commitIndex);
  }

  #noteRole(node: Node): void {
    const { role, term } = node;
    const known = this.#roles.get(node);
    if (known?.role === role && known.term === term) return;
    this.#roles.set(node, { role, term });
    this.trace.record('role', node.host, role, 'term', term);
  }

  /** It is down: what it does next is told anew. */
  #forget(node: Node): void {
    this.#roles.delete(node);
    this.#commits.delete(node);
  }

  #noteApplied(index: number): void {
    while (this.#appliedAtMs.length <= index) this.#appliedAtMs.push(this.loop.nowMs);
  }

  // Nodes.

  #found(count: number): void {
    const hosts = Array.from({ length: count }, (_, i) => `n${i + 1}`);
    const initialCluster = hosts.map((name) => ({ name, peerUrls: [urlOf(name)] }));
    for (const host of hosts) {
      const id = memberIdOf([urlOf(host)], CLUSTER_TOKEN);
      this.#addNode(host, id, { initialCluster, initialClusterState: 'new' });
    }
  }

  #addNode(host: string, id: bigint, config: Partial<MemberConfig>): Node {
    const name = `${host}/${this.#generations++}`;
    this.#known.add(id);
    const { loop, trace, network } = this;
    const chance = this.streams.stream(`disk ${name}`);
    const disk = new VirtualDisk(host, loop, chance, trace, this.#options.disk ?? FAST_DISK);
    const node = new Node(
      {
        host,
        loop,
        trace,
        network,
        disk,
        clock: this.#makeClock(name),
        chance: (incarnation) => this.streams.stream(`process ${name}/${incarnation}`),
        touched: (touched) => this.#touch(touched),
        exited: (exited, exit) => this.#exited(exited, exit),
      },
      id,
      this.#configOf(host, config),
    );
    this.#nodes.push(node);
    return node;
  }

  #makeClock(name: string): NodeClock {
    const chance = this.streams.stream(`clock ${name}`);
    const clock = new NodeClock(this.loop, chance.integer(0, 1e6), chance.integer(-5000, 5000));
    clock.setRate(driftOf(chance.integer(-1000, 1000) / 1000));
    return clock;
  }

  #configOf(host: string, config: Partial<MemberConfig>): MemberConfig {
    return {
      ...DEFAULT_CONFIG,
      ...this.#options.config,
      name: host,
      peerUrls: [urlOf(host)],
      clientUrls: [`http://${host}:2379`],
      initialClusterToken: CLUSTER_TOKEN,
      ...config,
    };
  }

  #exited(node: Node, exit: Exit): void {
    if (exit.kind === 'broken') return this.fail(brokenMember(node, exit.error));
    if (exit.kind === 'removed') {
      node.isRetired = true;
      return;
    }
    // A damaged disk does not get better by trying; what damaged it sees to the rest.
    if (exit.error instanceof StorageError && exit.error.code === 'CORRUPT') return;
    this.loop.schedule(RESTART_MS * 1000, undefined, () => node.start());
  }

  #careLater(): void {
    this.loop.schedule(CARETAKER_MS * 1000, undefined, () => {
      this.#startAdded();
      this.#careLater();
    });
  }

  /** Gives every member that was added a machine, as the person who added it would. */
  #startAdded(): void {
    const membership = this.leader?.member?.membership;
    if (membership === undefined) return;
    const listed = membership.list();
    for (const { id, peerUrls } of listed) {
      const host = hostOf(peerUrls);
      const config: Partial<MemberConfig> = {
        initialClusterState: 'existing',
        initialCluster: listed.map((member) => ({
          name: hostOf(member.peerUrls),
          peerUrls: member.peerUrls,
        })),
      };
      const known = this.#nodes.find((node) => node.id === id);
      if (known === undefined) this.#giveMachine(host, id, config);
      else if (!known.isUp && known.disk.durableLog.identity === undefined) {
        known.config = { ...known.config, ...config };
      }
    }
  }

  /** Never a second one: a leader that lags may still list a member whose disk is lost. */
  #giveMachine(host: string, id: bigint, config: Partial<MemberConfig>): void {
    if (this.#known.has(id)) return;
    for (const node of this.#nodes) if (node.host === host) this.retire(node);
    this.trace.record('world', '', 'a machine for', host, 'member', id);
    this.#addNode(host, id, config).start();
  }

  /** It never runs again, and what its disk held is lost. */
  retire(node: Node): void {
    node.crash(true);
    node.isRetired = true;
    const place = this.#nodes.indexOf(node);
    if (place >= 0) this.#nodes.splice(place, 1);
  }
}

export function urlOf(host: string): string {
  return `http://${host}:2380`;
}

/** The clock rate for a share (-1 to 1) of the greatest drift. */
export function driftOf(share: number): number {
  return 1 + share * MAX_CLOCK_DRIFT;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function brokenMember(node: Node, error: unknown): Error {
  if (error instanceof ViolationError) return error;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const violation = new ViolationError({
    promise: 'members-do-not-crash',
    explanation: `${node.host} ended: ${text}`,
  });
  violation.cause = error;
  return violation;
}
