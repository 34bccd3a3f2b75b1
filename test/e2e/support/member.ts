/** One server process with its data dir and ports, which may die and be started again. */
import { join } from 'node:path';
import { defaultServer } from './binaries.js';
import type { ServerCommand } from './binaries.js';
import { Child } from './child.js';
import type { Exit } from './child.js';
import { freePort } from './ports.js';
import { tempDir } from './temp-dir.js';

/** How long a member may take from spawn to serving, unless said otherwise. */
const defaultReadyTimeoutMs = 60_000;
/** How long a member may take from a signal to its end. */
const exitTimeoutMs = 30_000;

export interface MemberOptions {
  /** Default: the server under test. */
  server?: ServerCommand;
  name?: string;
  dataDir?: string;
  clientPort?: number;
  peerPort?: number;
  /** Replaces or adds flags, without dashes; undefined leaves one out. */
  flags?: Record<string, string | undefined>;
  readyTimeoutMs?: number;
  /** Wraps the command line, e.g. to enter a namespace. */
  wrap?: (command: string[]) => string[];
}

export class Member {
  readonly name: string;
  readonly dataDir: string;
  readonly clientPort: number;
  readonly peerPort: number;
  /** The current or last process. */
  process: Child | undefined;
  readonly #options: MemberOptions;

  private constructor(options: MemberOptions, clientPort: number, peerPort: number) {
    this.#options = options;
    this.name = options.name ?? 'default';
    this.dataDir = options.dataDir ?? join(tempDir(), 'data');
    this.clientPort = clientPort;
    this.peerPort = peerPort;
  }

  /** Chooses ports and a data dir; starts nothing. */
  static async create(options: MemberOptions = {}): Promise<Member> {
    const clientPort = options.clientPort ?? (await freePort());
    return new Member(options, clientPort, options.peerPort ?? (await freePort()));
  }

  /** Creates and starts a member, and waits until it serves. */
  static async start(options: MemberOptions = {}): Promise<Member> {
    const member = await Member.create(options);
    await member.start();
    return member;
  }

  /** host:port, as clients take it. */
  get endpoint(): string {
    return `127.0.0.1:${this.clientPort}`;
  }

  get clientUrl(): string {
    return `http://${this.endpoint}`;
  }

  get peerUrl(): string {
    return `http://127.0.0.1:${this.peerPort}`;
  }

  /** The whole command line, program first. */
  commandLine(flags: Record<string, string | undefined> = {}): string[] {
    const { command, args } = this.#options.server ?? defaultServer();
    const all = { ...this.#defaultFlags(), ...this.#options.flags, ...flags };
    const given = Object.entries(all).filter(([, value]) => value !== undefined);
    const line = [command, ...args, ...given.map(([name, value]) => `--${name}=${value}`)];
    return this.#options.wrap ? this.#options.wrap(line) : line;
  }

  /** Starts the process without waiting for it to serve. */
  spawn(flags: Record<string, string | undefined> = {}): Child {
    const [command, ...args] = this.commandLine(flags) as [string, ...string[]];
    this.process = new Child(command, args);
    return this.process;
  }

  /** Starts the process and waits until it serves clients. */
  async start(flags: Record<string, string | undefined> = {}): Promise<void> {
    this.spawn(flags);
    await this.ready();
  }

  async ready(): Promise<void> {
    const child = this.#running();
    const timeoutMs = this.#options.readyTimeoutMs ?? defaultReadyTimeoutMs;
    await child.until(() => isReady(child), timeoutMs, 'readiness of a member');
  }

  /** Sends a signal and waits for the end. Harmless when it has ended. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit> {
    const child = this.#running();
    child.kill(signal);
    await child.until(() => child.exit !== undefined, exitTimeoutMs, `end after ${signal}`);
    return await child.exited;
  }

  #running(): Child {
    if (!this.process) throw new Error(`member ${this.name} was never started`);
    return this.process;
  }

  #defaultFlags(): Record<string, string> {
    return {
      name: this.name,
      'data-dir': this.dataDir,
      'listen-client-urls': this.clientUrl,
      'advertise-client-urls': this.clientUrl,
      'listen-peer-urls': this.peerUrl,
      'initial-advertise-peer-urls': this.peerUrl,
      'initial-cluster': `${this.name}=${this.peerUrl}`,
    };
  }
}

/** etcd 3.4 does not have the first of the two lines yet. */
function isReady(child: Child): boolean {
  return /"msg":"(ready to serve client requests|serving client traffic insecurely)/.test(
    child.stderr,
  );
}
