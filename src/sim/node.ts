/**
 * A machine of the virtual cluster: a disk and a clock that last, and one process after another that runs
 * the real member on them.
 */
import { type ConfState, type Entry, type Role } from '../raft/index.js';
import {
  type Logger,
  Member,
  type MemberConfig,
  type Services,
  createServices,
} from '../server/index.js';
import { StorageError } from '../storage/index.js';
import type { Chance } from './chance.js';
import type { DurableView, NodeView } from './checkers/world-view.js';
import type { VirtualDisk } from './disk.js';
import type { EventLoop } from './event-loop.js';
import { MAX_HELD, type VirtualNetwork } from './network.js';
import type { NodeClock } from './node-clock.js';
import type { Detail, Trace } from './trace.js';
import { type NetworkOwner, VirtualPeerNetwork } from './virtual-peer-network.js';

/** Why a process ended by itself. */
export type Exit =
  /** It was removed from the cluster. */
  | { readonly kind: 'removed' }
  /** Its disk refused, or it could not join: it may be started again. */
  | { readonly kind: 'refused'; readonly error: Error }
  /** An invariant broke. */
  | { readonly kind: 'broken'; readonly error: unknown };

export interface NodeOptions {
  /** Host of its urls. */
  readonly host: string;
  readonly loop: EventLoop;
  readonly trace: Trace;
  readonly network: VirtualNetwork;
  readonly disk: VirtualDisk;
  readonly clock: NodeClock;
  /** The stream of process number `incarnation`. */
  readonly chance: (incarnation: number) => Chance;
  /** The present event may change this node. */
  readonly touched: (node: Node) => void;
  /** A process ended by itself; the node is down. */
  readonly exited: (node: Node, exit: Exit) => void;
}

export class Node implements NodeView {
  readonly host: string;
  readonly disk: VirtualDisk;
  readonly clock: NodeClock;
  readonly #options: NodeOptions;
  #config: MemberConfig;
  #id: bigint;
  #process: Process | undefined;
  #incarnation = -1;
  #isPaused = false;
  #confState: { readonly appliedIndex: number; readonly value: ConfState } | undefined;
  /** Was removed from the cluster, or its disk is lost: it never starts again. */
  isRetired = false;

  /** `id`: the member id that it will have. */
  constructor(options: NodeOptions, id: bigint, config: MemberConfig) {
    this.#options = options;
    this.host = options.host;
    this.disk = options.disk;
    this.clock = options.clock;
    this.#id = id;
    this.#config = config;
  }

  get id(): bigint {
    return this.disk.durableLog.identity?.memberId ?? this.#id;
  }

  get config(): MemberConfig {
    return this.#config;
  }

  /** What its next first start is told; later starts read the disk. */
  set config(config: MemberConfig) {
    this.#config = config;
  }

  /** A process runs, perhaps one that is still opening its disk. */
  get isUp(): boolean {
    return this.#process !== undefined;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get process(): Process | undefined {
    return this.#process;
  }

  get member(): Member | undefined {
    return this.#process?.member;
  }

  // What checkers see.

  get alive(): boolean {
    return this.#process?.member !== undefined;
  }

  get incarnation(): number {
    return Math.max(0, this.#incarnation);
  }

  get role(): Role {
    return this.#running.raft.role;
  }

  get term(): number {
    return this.#running.raft.term;
  }

  get vote(): bigint {
    return this.#running.raft.vote;
  }

  get commitIndex(): number {
    return this.#running.raft.commitIndex;
  }

  get appliedIndex(): number {
    return this.#running.appliedIndex;
  }

  get firstIndex(): number {
    const { snapshot } = this.#running.raft.unstable;
    return snapshot === undefined ? this.disk.readableLog.firstIndex : snapshot.metadata.index + 1;
  }

  get lastIndex(): number {
    return this.#running.raft.lastIndex;
  }

  /** Asked for at every step, it changes only with what is applied. */
  get confState(): ConfState {
    const { appliedIndex } = this;
    if (this.#confState?.appliedIndex !== appliedIndex) {
      this.#confState = { appliedIndex, value: this.#running.raft.confState };
    }
    return this.#confState.value;
  }

  entryAt(index: number): Entry | undefined {
    const { offset, entries, snapshot } = this.#running.raft.unstable;
    if (index >= offset) return entries[index - offset];
    return snapshot === undefined ? this.disk.readableLog.entryAt(index) : undefined;
  }

  get durable(): DurableView {
    return this.disk.durableLog;
  }

  get #running(): Member {
    const member = this.#process?.member;
    if (member === undefined) throw new Error(`${this.host} is down`);
    return member;
  }

  // What happens to it.

  /** Does nothing when it is up or retired. */
  start(): void {
    if (this.isUp || this.isRetired) return;
    this.#incarnation++;
    this.#confState = undefined;
    const process = new Process(this, this.#options);
    this.#process = process;
    this.#record('starts', 'incarnation', this.#incarnation, 'member', this.id);
    void this.#run(process);
  }

  /** Everything volatile is gone; see {@link VirtualDisk.crash} for what the disk keeps. */
  crash(powerLoss: boolean): void {
    if (!this.isUp) return;
    this.#record(powerLoss ? 'loses power' : 'is killed');
    this.#drop(powerLoss);
  }

  /** Hands over leadership, stops, closes its disk. Goes on in virtual time. */
  stop(): void {
    const process = this.#process;
    if (process?.member === undefined) return this.crash(false);
    this.#record('is told to stop');
    process.isServing = false;
    void this.#shutDown(process, process.member);
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#record('is paused');
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#record('goes on');
    this.#process?.release();
  }

  async #run(process: Process): Promise<void> {
    const { trace, network, chance } = this.#options;
    const log: Logger = (level, message) => {
      if (level !== 'debug') trace.record('log', this.host, message);
    };
    try {
      const disk = await this.disk.open(process);
      process.closeDisk = () => disk.close();
      const member = await Member.start(this.#config, {
        clock: this.clock.for(process),
        random: chance(this.#incarnation),
        disk,
        network: new VirtualPeerNetwork(network, process, this.#config.peerUrls),
        log,
      });
      process.begins(member);
      member.ready.then(
        () => (process.isServing = true),
        () => {},
      );
      this.exit(process, await member.ended);
    } catch (error) {
      this.exit(process, error);
    }
  }

  async #shutDown(process: Process, member: Member): Promise<void> {
    try {
      await member.handOver();
      await member.stop();
      await process.closeDisk();
    } catch (error) {
      return this.exit(process, error);
    }
    if (this.#process !== process) return;
    this.#record('has stopped');
    this.#drop(false);
  }

  /** `process` has come to its end by itself. */
  exit(process: Process, reason: unknown): void {
    if (this.#process !== process) return;
    const exit = exitOf(reason);
    const why = exit.kind === 'removed' ? 'removed from the cluster' : String(exit.error);
    this.#record('ends:', why);
    this.#drop(false);
    this.#options.exited(this, exit);
  }

  #drop(powerLoss: boolean): void {
    this.#process?.die();
    this.#process = undefined;
    this.#isPaused = false;
    this.disk.crash(powerLoss);
  }

  #record(...details: Detail[]): void {
    this.#options.touched(this);
    this.#options.trace.record('node', this.host, ...details);
  }
}

/** One process: its events vanish with it. */
export class Process implements NetworkOwner {
  readonly node: string;
  readonly incarnation: number;
  /** The cluster knows it: clients are served. */
  isServing = false;
  closeDisk: () => Promise<void> = async () => {};
  readonly #machine: Node;
  readonly #options: NodeOptions;
  readonly #held: (() => void)[] = [];
  /** Told when it dies: what depends on it breaks. */
  readonly #mourners = new Set<() => void>();
  #isAlive = true;
  #member: Member | undefined;
  #services: Services | undefined;

  constructor(machine: Node, options: NodeOptions) {
    this.#machine = machine;
    this.#options = options;
    this.node = options.host;
    this.incarnation = machine.incarnation;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get member(): Member | undefined {
    return this.#member;
  }

  get services(): Services | undefined {
    return this.#services;
  }

  begins(member: Member): void {
    this.#member = member;
    this.#services = createServices(member);
  }

  /** As the process: when it throws, the process ends. */
  perform(action: () => void): void {
    if (this.#machine.isPaused) {
      this.#held.push(action);
      return;
    }
    this.#options.touched(this.#machine);
    try {
      action();
    } catch (error) {
      this.#machine.exit(this, error);
    }
  }

  deliver(action: () => void): boolean {
    if (!this.#isAlive || this.#held.length >= MAX_HELD) return false;
    this.perform(action);
    return true;
  }

  afterMs(delayMs: number, action: () => void): { cancel(): void } {
    return this.#machine.clock.for(this).after(delayMs, action);
  }

  /** Runs what was held, in order, each in an event of its own. */
  release(): void {
    for (const action of this.#held.splice(0)) this.#options.loop.schedule(0, this, action);
  }

  onDeath(action: () => void): () => void {
    this.#mourners.add(action);
    return () => this.#mourners.delete(action);
  }

  die(): void {
    this.#isAlive = false;
    this.#held.length = 0;
    for (const action of this.#mourners) action();
    this.#mourners.clear();
  }
}

function exitOf(reason: unknown): Exit {
  if (reason === 'removed') return { kind: 'removed' };
  if (reason instanceof StorageError) return { kind: 'refused', error: reason };
  if (reason instanceof Error && reason.name === 'StartError') {
    return { kind: 'refused', error: reason };
  }
  return { kind: 'broken', error: reason };
}
