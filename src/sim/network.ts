/**
 * The virtual network: every ordered pair of nodes is a link with its own delay, losses and cuts.
 * Messages of one link arrive in order unless it reorders, as peers' streams deliver them.
 */
import { type Message, MessageType } from '../raft/index.js';
import type { PeerHandler } from '../server/index.js';
import type { Chance, ChanceStreams } from './chance.js';
import type { EventLoop, EventOwner } from './event-loop.js';
import { messageDetails } from './message-text.js';
import type { Trace } from './trace.js';

/** How one direction between two nodes behaves. Times in microseconds; short delays are likelier. */
export interface LinkCondition {
  delayUs: readonly [number, number];
  /** Added to every delay: a slow link. */
  extraDelayUs: number;
  lossProbability: number;
  duplicateProbability: number;
  /** How often a message may be overtaken by later ones. */
  reorderProbability: number;
  /** Nothing passes while above 0; each partition or cut in force counts one. */
  cuts: number;
}

export const GOOD_LINK: Readonly<LinkCondition> = {
  delayUs: [100, 1500],
  extraDelayUs: 0,
  lossProbability: 0,
  duplicateProbability: 0,
  reorderProbability: 0,
  cuts: 0,
};

export interface Link {
  readonly from: string;
  readonly to: string;
  readonly condition: LinkCondition;
  readonly chance: Chance;
  /** No message that keeps its place arrives before this. */
  lastArrivalUs: number;
  /** Since when messages pass, or undefined while they do not. */
  reachableSinceUs: number | undefined;
}

/** A process that listens. */
export interface Endpoint extends EventOwner {
  /** Name of its node. */
  readonly node: string;
  readonly handler: PeerHandler;
  /** Member `id`, which it may not have heard of, has sent it something from `peerUrls`. */
  met(id: bigint, peerUrls: readonly string[]): void;
  /** As {@link EventOwner.perform}; false when it is gone or too much is held. */
  deliver(action: () => void): boolean;
}

/** Longest queue of a paused process: more is lost, as from a full socket. */
export const MAX_HELD = 1000;

export class VirtualNetwork {
  readonly loop: EventLoop;
  readonly trace: Trace;
  readonly #streams: ChanceStreams;
  readonly #base: LinkCondition;
  readonly #links = new Map<string, Link>();
  /** Running processes by peer url. */
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #observer: (message: Message) => void;
  #sent = 0;

  /** `observer` sees each message that a node gives to the network. */
  constructor(
    loop: EventLoop,
    streams: ChanceStreams,
    trace: Trace,
    observer: (message: Message) => void,
    base: Readonly<LinkCondition> = GOOD_LINK,
  ) {
    this.loop = loop;
    this.trace = trace;
    this.#streams = streams;
    this.#observer = observer;
    this.#base = base;
  }

  link(from: string, to: string): Link {
    const key = `${from}>${to}`;
    let link = this.#links.get(key);
    if (link === undefined) {
      const chance = this.#streams.stream(`link ${key}`);
      const condition = { ...this.#base };
      link = { from, to, condition, chance, lastArrivalUs: 0, reachableSinceUs: undefined };
      this.#links.set(key, link);
    }
    return link;
  }

  listen(urls: readonly string[], endpoint: Endpoint): void {
    for (const url of urls) this.#endpoints.set(url, endpoint);
  }

  hangUp(urls: readonly string[], endpoint: Endpoint): void {
    for (const url of urls) {
      if (this.#endpoints.get(url) === endpoint) this.#endpoints.delete(url);
    }
  }

  /** The living process that listens on one of `urls`. */
  endpointAt(urls: readonly string[]): Endpoint | undefined {
    for (const url of urls) {
      const endpoint = this.#endpoints.get(url);
      if (endpoint?.isAlive === true) return endpoint;
    }
    return undefined;
  }

  cut(from: string, to: string): void {
    const link = this.link(from, to);
    link.condition.cuts++;
    link.reachableSinceUs = undefined;
  }

  uncut(from: string, to: string): void {
    const { condition } = this.link(from, to);
    if (condition.cuts > 0) condition.cuts--;
  }

  /** All links as new; nothing is cut. */
  heal(): void {
    for (const link of this.#links.values()) Object.assign(link.condition, this.#base);
  }

  /** When something of `bytes` sent now over `link` arrives, or undefined when it is lost. */
  arrivalUs(link: Link, bytes: number): number | undefined {
    const { condition, chance } = link;
    if (condition.cuts > 0 || chance.happens(condition.lossProbability)) return undefined;
    const [low, high] = condition.delayUs;
    const delay = chance.mostlyLow(low, high) + condition.extraDelayUs + bytes * US_PER_BYTE;
    const arrival = Math.ceil(this.loop.nowUs + delay);
    if (chance.happens(condition.reorderProbability)) {
      return arrival + chance.mostlyLow(0, MAX_HELD_BACK_US);
    }
    link.lastArrivalUs = Math.max(link.lastArrivalUs, arrival);
    return link.lastArrivalUs;
  }

  /** Runs `action` when something sent now arrives; false when it is lost. */
  carry(link: Link, bytes: number, action: () => void): boolean {
    const arrival = this.arrivalUs(link, bytes);
    if (arrival === undefined) return false;
    this.loop.schedule(arrival - this.loop.nowUs, undefined, action);
    return true;
  }

  /** Sends a raft message; `failed` is called later, perhaps, when it did not get through. */
  send(sender: Endpoint, urls: readonly string[], message: Message, failed: () => void): void {
    const to = hostOf(urls);
    const link = this.link(sender.node, to);
    const id = this.announce(sender, to, message);
    const bytes = sizeOf(message);
    const arrive = () => this.#arrive(link, id, sender, urls, message, failed);
    const sent = this.carry(link, bytes, arrive);
    if (!sent) this.#lost(link, id, sender, failed);
    else if (mayRepeat(message) && link.chance.happens(link.condition.duplicateProbability)) {
      this.carry(link, bytes, arrive);
    }
  }

  /** A node gives a message to the network; returns its number in the trace. */
  announce(sender: Endpoint, to: string, message: Message): number {
    const id = ++this.#sent;
    this.#observer(message);
    this.trace.record('send', sender.node, id, to, ...messageDetails(message));
    return id;
  }

  #arrive(
    link: Link,
    id: number,
    sender: Endpoint,
    urls: readonly string[],
    message: Message,
    failed: () => void,
  ): void {
    const receiver = link.condition.cuts > 0 ? undefined : this.endpointAt(urls);
    if (receiver === undefined) return this.#lost(link, id, sender, failed);
    const { memberId, clusterId } = receiver.handler.identity();
    const own = sender.isAlive ? sender.handler.identity().clusterId : clusterId;
    const isWrong =
      (memberId !== 0n && memberId !== message.to) || (clusterId !== 0n && clusterId !== own);
    if (isWrong) return this.#lost(link, id, sender, failed);
    if (receiver.handler.isRemoved(message.from)) {
      if (sender.isAlive) sender.deliver(() => sender.handler.removedFromCluster());
      return;
    }
    link.reachableSinceUs ??= this.loop.nowUs;
    if (sender.isAlive) receiver.met(message.from, sender.handler.identity().peerUrls);
    const taken = receiver.deliver(() => {
      this.trace.record('receive', receiver.node, id);
      receiver.handler.receive(message);
    });
    if (!taken) this.#lost(link, id, sender, failed);
  }

  #lost(link: Link, id: number, sender: Endpoint, failed: () => void): void {
    this.trace.record('drop', link.to, id);
    link.reachableSinceUs = undefined;
    if (sender.isAlive && link.chance.happens(0.5)) this.loop.schedule(1000, sender, failed);
  }
}

/** So much later may come what is overtaken. */
const MAX_HELD_BACK_US = 100_000;

/** 100 MB/s. */
const US_PER_BYTE = 0.01;

/** Name of the node behind peer urls: the host of the first. */
export function hostOf(urls: readonly string[]): string {
  return /^http:\/\/([^:]+):/.exec(urls[0]!)![1]!;
}

/**
 * Raft takes any message twice but one: a proposal that is passed on to the leader twice is two proposals.
 * Peers' streams never repeat it, in etcd neither.
 */
function mayRepeat({ type }: Message): boolean {
  return type !== MessageType.propose;
}

function sizeOf(message: Message): number {
  let bytes = 50;
  for (const entry of message.entries) bytes += 20 + entry.data.length;
  return bytes;
}
