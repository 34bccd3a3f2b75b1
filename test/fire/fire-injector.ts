/** Makes faults happen to a cluster of processes, and undoes them. */
import { setTimeout as pause } from 'node:timers/promises';
import { FireClient, type FireWorld } from './fire-client.js';
import type { FireCluster } from './fire-cluster.js';
import { type FireFault, type FireFaultKind, LEADER } from './fire-faults.js';
import type { FireMember } from './fire-member.js';
import { CLIENTS, type Trouble } from './roads.js';

/** The client that asks for transfers; its number is far from the workloads'. */
const OPERATOR_ID = 9000;

export class FireInjector {
  /** Faults that have happened, by kind. */
  readonly counts = new Map<FireFaultKind, number>();
  /** What happened when, in the history's milliseconds: a line each. */
  readonly diary: string[] = [];
  readonly #cluster: FireCluster;
  readonly #nowMs: () => number;
  readonly #operator: FireClient;
  /** What must still be undone. */
  readonly #undo = new Set<() => void>();
  #phase = new AbortController();
  /** Faults at work and processes on their way down. */
  readonly #underWay = new Set<Promise<void>>();

  constructor(cluster: FireCluster, world: FireWorld, nowMs: () => number) {
    this.#cluster = cluster;
    this.#nowMs = nowMs;
    this.#operator = new FireClient(world, { id: OPERATOR_ID, direct: true });
  }

  /** Faults happen one after the other as their times come, until {@link FireInjector.heal}. */
  begin(faults: readonly FireFault[]): void {
    this.#phase = new AbortController();
    const { signal } = this.#phase;
    const startMs = performance.now();
    this.#track(this.#play(faults, startMs, signal));
  }

  /** Undoes everything: connections stand, processes run. Resolves when nothing is under way. */
  async heal(): Promise<void> {
    this.#phase.abort();
    await Promise.all(this.#underWay);
    for (const undo of this.#undo) undo();
    this.#undo.clear();
    this.#note('everything heals');
    for (const member of this.#cluster.members) {
      member.resume();
      member.start();
    }
  }

  close(): void {
    this.#operator.close();
  }

  async #play(faults: readonly FireFault[], startMs: number, signal: AbortSignal): Promise<void> {
    for (const fault of faults) {
      const waitMs = Math.max(0, startMs + fault.atMs - performance.now());
      if (!(await slept(waitMs, signal))) return;
      const leader = (await this.#cluster.leader())?.name ?? 'nobody';
      if (!(await this.#perform(fault, signal))) continue;
      this.counts.set(fault.kind, (this.counts.get(fault.kind) ?? 0) + 1);
      this.#note(`${JSON.stringify(fault)} while ${leader} leads`);
    }
  }

  /** False when there was nothing to do it to. */
  async #perform(fault: FireFault, signal: AbortSignal): Promise<boolean> {
    switch (fault.kind) {
      case 'kill':
      case 'terminate':
        return this.#end(fault, signal);
      case 'killAll':
        return this.#killAll(fault.downMs, signal);
      case 'stop':
        return this.#stop(await this.#member(fault.member), fault.forMs, signal);
      case 'isolate':
        return this.#isolate(await this.#member(fault.member), fault, signal);
      case 'shatter':
        this.#afflict(this.#allPairs(), { kind: fault.cut }, fault.forMs, signal);
        return true;
      case 'oneWay':
      case 'slow':
        return this.#trouble(fault, signal);
      case 'cutClients':
        return this.#cutClients(await this.#member(fault.member), fault, signal);
      case 'transfer':
        return this.#transfer(fault.member);
    }
  }

  async #end(
    fault: FireFault & { kind: 'kill' | 'terminate' },
    signal: AbortSignal,
  ): Promise<boolean> {
    const member = await this.#member(fault.member);
    if (!member.isUp) return false;
    // A process that ends in good order takes a while: other faults go on meanwhile.
    const ended = member.end(fault.kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
    this.#track(ended.then(() => this.#startLater(member, fault.downMs, signal)));
    return true;
  }

  async #killAll(downMs: number, signal: AbortSignal): Promise<boolean> {
    const { members } = this.#cluster;
    await Promise.all(members.map((member) => member.end('SIGKILL')));
    members.forEach((member, i) => {
      this.#track(this.#startLater(member, (downMs * i) / members.length, signal));
    });
    return true;
  }

  #stop(member: FireMember, forMs: number, signal: AbortSignal): boolean {
    if (!member.isUp) return false;
    member.pause();
    this.#later(() => member.resume(), forMs, signal);
    return true;
  }

  #isolate(
    member: FireMember,
    { cut, forMs }: FireFault & { kind: 'isolate' },
    signal: AbortSignal,
  ): boolean {
    const pairs = this.#allPairs().filter((pair) => pair.includes(member.name));
    this.#afflict(pairs, { kind: cut }, forMs, signal);
    return true;
  }

  async #trouble(
    fault: FireFault & { kind: 'oneWay' | 'slow' },
    signal: AbortSignal,
  ): Promise<boolean> {
    const from = (await this.#member(fault.from)).name;
    const to = (await this.#member(fault.to)).name;
    if (from === to) return false;
    const trouble: Trouble =
      fault.kind === 'slow' ? { kind: 'delay', ms: fault.delayMs } : { kind: 'hold' };
    this.#afflict([[from, to]], trouble, fault.forMs, signal);
    return true;
  }

  #cutClients(
    { name }: FireMember,
    { way, cut, forMs }: FireFault & { kind: 'cutClients' },
    signal: AbortSignal,
  ): boolean {
    const pairs: [string, string][] = [];
    if (way !== 'answers') pairs.push([CLIENTS, name]);
    if (way !== 'requests') pairs.push([name, CLIENTS]);
    this.#afflict(pairs, { kind: cut }, forMs, signal);
    return true;
  }

  async #transfer(place: number): Promise<boolean> {
    const leader = await this.#cluster.leader();
    const target = this.#cluster.members[place]!;
    if (leader === undefined || leader === target) return false;
    const at = this.#cluster.members.indexOf(leader);
    this.#track(this.#operator.call(at, 'moveLeader', { targetId: target.id }).then(() => {}));
    return true;
  }

  #allPairs(): [string, string][] {
    const names = this.#cluster.members.map(({ name }) => name);
    return names.flatMap((from) =>
      names.filter((to) => to !== from).map((to): [string, string] => [from, to]),
    );
  }

  async #member(place: number): Promise<FireMember> {
    const leader = place === LEADER ? await this.#cluster.leader() : undefined;
    return leader ?? this.#cluster.members[Math.max(place, 0)]!;
  }

  #afflict(
    pairs: readonly (readonly [string, string])[],
    trouble: Trouble,
    forMs: number,
    signal: AbortSignal,
  ): void {
    const { roads } = this.#cluster;
    const reliefs = pairs.map(([from, to]) => roads.between(from, to).afflict(trouble));
    this.#later(() => reliefs.forEach((relieve) => relieve()), forMs, signal);
  }

  async #startLater(member: FireMember, delayMs: number, signal: AbortSignal): Promise<void> {
    this.#note(`${member.name} has ended`);
    if (!(await slept(delayMs, signal))) return;
    member.start();
    this.#note(`${member.name} starts`);
  }

  #note(text: string): void {
    this.diary.push(`${this.#nowMs().toFixed(1)} ${text}`);
  }

  /** Undoes something after a while, or when everything heals. */
  #later(undo: () => void, delayMs: number, signal: AbortSignal): void {
    this.#undo.add(undo);
    this.#track(
      slept(delayMs, signal).then((hasPassed) => {
        if (hasPassed && this.#undo.delete(undo)) undo();
      }),
    );
  }

  #track(work: Promise<void>): void {
    this.#underWay.add(work);
    // What goes wrong here is a fault of the run itself: heal() rejects with it.
    work.then(
      () => this.#underWay.delete(work),
      () => {},
    );
  }
}

/** False when `signal` came first. */
async function slept(delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(delayMs, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
