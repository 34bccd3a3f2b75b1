/** Makes a schedule of faults happen in a world, and heals it. */
import type { Chance } from './chance.js';
import { SimulatedClient } from './client.js';
import { type Fault, withLeaderAt } from './faults.js';
import type { Node } from './node.js';
import { Replacement } from './replacement.js';
import { type World, driftOf } from './world.js';

/** Clients that belong to nobody's workload; their number is far from those. */
const OPERATOR_ID = 9000;

export class FaultInjector {
  readonly #world: World;
  readonly #chance: Chance;
  readonly #replacement: Replacement;
  /** What still must be undone, in the order of beginning. */
  readonly #undo = new Set<() => void>();
  #isOver = false;

  constructor(world: World) {
    this.#world = world;
    this.#chance = world.streams.stream('faults at work');
    this.#replacement = new Replacement(world, new SimulatedClient(OPERATOR_ID, world));
  }

  /** Plans the whole schedule; call it before the world runs. */
  schedule(faults: readonly Fault[]): void {
    for (const fault of faults) {
      const delayUs = fault.atMs * 1000 - this.#world.loop.nowUs;
      this.#world.loop.schedule(delayUs, undefined, () => {
        if (!this.#isOver) this.#begin(fault);
      });
    }
  }

  /** Nothing breaks any more: what is broken is repaired, what is down is started. */
  heal(): void {
    this.#isOver = true;
    for (const undo of this.#undo) undo();
    this.#undo.clear();
    const world = this.#world;
    world.trace.record('fault', '', 'everything heals');
    world.network.heal();
    for (const node of world.members) {
      Object.assign(node.disk.faults, {
        full: false,
        slowness: 1,
        readError: false,
        corrupt: false,
      });
      node.resume();
      if (!this.#replacement.isLost(node)) node.start();
    }
  }

  /** A lost disk has been replaced, and no replacement is under way. */
  get isSettled(): boolean {
    return !this.#replacement.isUnderWay;
  }

  #begin(planned: Fault): void {
    const { trace, members, leader } = this.#world;
    if (members.length === 0) return;
    const fault = withLeaderAt(
      planned,
      Math.max(
        0,
        members.findIndex((node) => node === leader),
      ),
    );
    // The places in a fault are places in this list.
    const hosts = members.map(({ host }) => host);
    trace.record('fault', '', fault.kind, JSON.stringify(fault), ...hosts);
    this.#inject(fault, (place) => members[place % members.length]!);
  }

  #inject(fault: Fault, at: (place: number) => Node): void {
    switch (fault.kind) {
      case 'crash':
        return this.#crash(at(fault.node), fault.powerLoss, fault.downMs);
      case 'restart':
        return this.#restart(at(fault.node), fault.downMs);
      case 'blackout':
        return this.#blackout(fault.downMs);
      case 'pause':
        return this.#pause(at(fault.node), fault.forMs);
      case 'partition':
        return this.#partition(fault.groups, fault.forMs);
      case 'cut':
        return this.#cut([[at(fault.from).host, at(fault.to).host]], fault.forMs);
      case 'cutClients':
        return this.#cutClients(at(fault.node), fault.forMs);
      case 'slowLink':
        return this.#slowLink(at(fault.from), at(fault.to), fault.delayMs, fault.forMs);
      case 'badNetwork':
        return this.#badNetwork(fault, fault.forMs);
      case 'drift':
        return at(fault.node).clock.setRate(driftOf(fault.share));
      case 'wallJump':
        return at(fault.node).clock.jumpWall(fault.byMs);
      case 'slowDisk':
        return this.#slowDisk(at(fault.node), fault.factor, fault.forMs);
      case 'fullDisk':
        return this.#fullDisk(at(fault.node), fault.forMs);
      case 'readError':
        at(fault.node).disk.faults.readError = true;
        return;
      case 'bitFlip':
        return this.#bitFlip(at(fault.node), fault.repairMs);
      case 'replace':
        return this.#replacement.begin(at(fault.node));
      case 'transfer':
        return this.#transfer(at(fault.node));
    }
  }

  /** Runs `end` after `forMs`, or when everything heals. */
  #later(forMs: number, end: () => void): void {
    const undo = () => {
      if (!this.#undo.delete(undo)) return;
      end();
    };
    this.#undo.add(undo);
    this.#world.loop.schedule(forMs * 1000, undefined, undo);
  }

  #crash(node: Node, powerLoss: boolean, downMs: number): void {
    node.crash(powerLoss);
    this.#later(downMs, () => this.#startAgain(node));
  }

  #startAgain(node: Node): void {
    if (!this.#replacement.isLost(node)) node.start();
  }

  #restart(node: Node, downMs: number): void {
    node.stop();
    this.#later(downMs, () => {
      node.crash(false); // it has not stopped in time
      this.#startAgain(node);
    });
  }

  #blackout(downMs: number): void {
    for (const node of this.#world.members) {
      this.#crash(node, true, this.#chance.integer(10, downMs));
    }
  }

  #pause(node: Node, forMs: number): void {
    if (node.isPaused || !node.isUp) return;
    node.pause();
    this.#later(forMs, () => node.resume());
  }

  #partition(groups: readonly (readonly number[])[], forMs: number): void {
    const groupOf = (place: number) => groups.findIndex((group) => group.includes(place));
    const { members } = this.#world;
    const pairs: [string, string][] = [];
    members.forEach((from, i) => {
      members.forEach((to, j) => {
        if (groupOf(i) !== groupOf(j)) pairs.push([from.host, to.host]);
      });
    });
    this.#cut(pairs, forMs);
  }

  #cut(pairs: readonly (readonly [string, string])[], forMs: number): void {
    const { network } = this.#world;
    for (const [from, to] of pairs) network.cut(from, to);
    this.#later(forMs, () => {
      for (const [from, to] of pairs) network.uncut(from, to);
    });
  }

  #cutClients(node: Node, forMs: number): void {
    const clients = this.#world.clientNames;
    this.#cut(
      clients.flatMap((name) => [
        [name, node.host],
        [node.host, name],
      ]),
      forMs,
    );
  }

  #slowLink(from: Node, to: Node, delayMs: number, forMs: number): void {
    const { condition } = this.#world.network.link(from.host, to.host);
    condition.extraDelayUs += delayMs * 1000;
    this.#later(forMs, () => (condition.extraDelayUs -= delayMs * 1000));
  }

  #badNetwork(
    { loss, duplicate, reorder }: { loss: number; duplicate: number; reorder: number },
    forMs: number,
  ): void {
    const set = (
      lossProbability: number,
      duplicateProbability: number,
      reorderProbability: number,
    ) => {
      for (const from of this.#world.members) {
        for (const to of this.#world.members) {
          Object.assign(this.#world.network.link(from.host, to.host).condition, {
            lossProbability,
            duplicateProbability,
            reorderProbability,
          });
        }
      }
    };
    set(loss, duplicate, reorder);
    this.#later(forMs, () => set(0, 0, 0));
  }

  #slowDisk({ disk }: Node, factor: number, forMs: number): void {
    disk.faults.slowness = factor;
    this.#later(forMs, () => (disk.faults.slowness = 1));
  }

  #fullDisk({ disk }: Node, forMs: number): void {
    disk.faults.full = true;
    this.#later(forMs, () => (disk.faults.full = false));
  }

  /** It starts, refuses, and starts again when the disk is repaired. */
  #bitFlip(node: Node, repairMs: number): void {
    node.crash(true);
    node.disk.faults.corrupt = true;
    node.start();
    this.#later(repairMs, () => {
      node.disk.faults.corrupt = false;
      this.#startAgain(node);
    });
  }

  #transfer(to: Node): void {
    const { leader } = this.#world;
    if (leader === undefined || leader === to) return;
    void new SimulatedClient(OPERATOR_ID + 1, this.#world).ask(leader, 'moveLeader', {
      targetId: to.id,
    });
  }
}
