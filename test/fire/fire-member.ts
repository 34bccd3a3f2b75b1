/** One process of the cluster under fire, behind its proxies. */
import { setTimeout as pause } from 'node:timers/promises';
import { Link, type LinkOptions } from '../../src/client/link.js';
import { methods } from '../../src/client/method.js';
import { DEFAULT_OPTIONS } from '../../src/client/index.js';
import type { StatusResponse } from '../../src/api/index.js';
import type { Child } from '../e2e/support/child.js';
import type { Member } from '../e2e/support/member.js';

const STATUS_TIMEOUT_MS = 1000;
const RETRY_MS = 20;
/** From a signal to the end of the process. */
const END_TIMEOUT_MS = 15_000;

export class FireMember {
  readonly name: string;
  /** The port at which clients meet the proxy. */
  readonly proxiedClientPort: number;
  /** Counts starts, from 0; -1 before the first. */
  incarnation = -1;
  readonly id: bigint;
  readonly #member: Member;
  /** Straight to the process. */
  readonly #link: Link;
  readonly #exited: (child: Child) => void;
  #isWanted = false;
  #isStopped = false;

  /** `exited` hears of processes that ended and were not asked to. */
  constructor(
    member: Member,
    id: bigint,
    proxiedClientPort: number,
    exited: (child: Child) => void,
  ) {
    this.#member = member;
    this.id = id;
    this.name = member.name;
    this.proxiedClientPort = proxiedClientPort;
    this.#link = linkTo(member.clientPort);
    this.#exited = exited;
  }

  get clientPort(): number {
    return this.#member.clientPort;
  }

  get peerPort(): number {
    return this.#member.peerPort;
  }

  /** The process runs (it may stand still). */
  get isUp(): boolean {
    return this.#isWanted;
  }

  /** Everything that its processes have written to stderr, newest last. */
  readonly #logs: Child[] = [];
  get log(): string {
    return this.#logs.map((child) => child.stderr).join('');
  }

  /** Starts the process; harmless when it runs. */
  start(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.incarnation++;
    const child = this.#member.spawn();
    this.#logs.push(child);
    child.exited.then(
      () => this.#ended(child),
      () => this.#ended(child),
    );
  }

  /** Kills it, or asks it to end; resolves when it has ended. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#member.process;
    if (child === undefined || !this.#isWanted) return;
    this.#isWanted = false;
    if (signal === 'SIGTERM') this.resume();
    child.kill(signal);
    await child.until(() => child.exit !== undefined, END_TIMEOUT_MS, `end after ${signal}`);
  }

  /** Stands still from now on (SIGSTOP). */
  pause(): void {
    this.#isStopped = true;
    this.#member.process?.kill('SIGSTOP');
  }

  resume(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#member.process?.kill('SIGCONT');
  }

  /** What the process says of itself, asked past the proxies; undefined when it does not answer soon. */
  async status(): Promise<StatusResponse | undefined> {
    const deadlineMs = Date.now() + STATUS_TIMEOUT_MS;
    try {
      if (!(await this.#link.isReady(deadlineMs))) return undefined;
      return await this.#link.unary(methods.status, {}, deadlineMs);
    } catch {
      return undefined;
    }
  }

  /** Waits until it answers, and as the member that it should be. */
  async answers(deadlineMs: number): Promise<void> {
    while (Date.now() < deadlineMs) {
      const header = (await this.status())?.header;
      if (header?.memberId === this.id) return;
      if (header !== undefined)
        throw new Error(`${this.name} is ${header.memberId}, not ${this.id}`);
      await pause(RETRY_MS);
    }
    throw new Error(`${this.name} does not answer: ${this.#member.process?.describe()}`);
  }

  close(): void {
    this.#link.close();
  }

  #ended(child: Child): void {
    if (!this.#isWanted || child !== this.#member.process) return;
    this.#isWanted = false;
    this.#exited(child);
  }
}

const LINK_OPTIONS: LinkOptions = DEFAULT_OPTIONS;

/** A channel to a port of this machine. */
export function linkTo(port: number): Link {
  return new Link(`ipv4:127.0.0.1:${port}`, false, LINK_OPTIONS);
}
