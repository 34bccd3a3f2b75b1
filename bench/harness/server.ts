/** One server under measurement: a process of its own on a data dir of its own, fsync on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Client, DEFAULT_OPTIONS, createClient } from '../../src/client/index.js';
import type { Program } from './programs.js';
import { temporaryDir } from './temporary-dir.js';

const READY_TIMEOUT_MS = 600_000;
const QUOTA_BYTES = 8 * 2 ** 30;
/** Clock ticks a second in /proc/PID/stat: the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export class Server {
  readonly #program: Program;
  readonly #ports: { client: number; peer: number };
  readonly #dir = temporaryDir();
  readonly #clients = new Set<Client>();
  #process: ChildProcess | undefined;
  #log = '';

  private constructor(program: Program, ports: { client: number; peer: number }) {
    this.#program = program;
    this.#ports = ports;
  }

  /** Starts `program` on an empty data dir and waits until it serves. */
  static async start(program: Program, freePort: () => Promise<number>): Promise<Server> {
    const server = new Server(program, { client: await freePort(), peer: await freePort() });
    try {
      await server.#start();
      return server;
    } catch (error) {
      await server.end();
      throw error;
    }
  }

  get endpoint(): string {
    return `127.0.0.1:${this.#ports.client}`;
  }

  /** A client of its own; closed with the server. */
  connect(): Client {
    const client = createClient({ ...DEFAULT_OPTIONS, endpoints: [this.endpoint] });
    this.#clients.add(client);
    return client;
  }

  /** Seconds of processor time that the server has used since its start. */
  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.#pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }

  /** Memory that it holds now: all of it, and the part that is not pages of files. */
  memory(): { rssMiB: number; anonymousMiB: number } {
    const status = readFileSync(`/proc/${this.#pid}/status`, 'latin1');
    const mib = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
    return { rssMiB: mib('VmRSS'), anonymousMiB: mib('RssAnon') };
  }

  /** Ends it in order, starts it on the same data, and says how long it took until it served a read. */
  async reopen(): Promise<number> {
    await this.#stop('SIGTERM');
    const begin = performance.now();
    await this.#start();
    return (performance.now() - begin) / 1000;
  }

  /** Ends it and removes its data. */
  async end(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.#stop('SIGKILL');
    this.#dir.remove();
  }

  get #pid(): number {
    return this.#process?.pid ?? -1;
  }

  async #start(): Promise<void> {
    const child = spawn(this.#program.command, [...this.#program.args, ...this.#flags()], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    const kill = () => child.kill('SIGKILL');
    // Before the data dir's own turn: what writes to it must have ended.
    process.prependOnceListener('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-4000);
    });
    await this.#ready(child);
  }

  /** Both take the same flags. */
  #flags(): string[] {
    const clientUrl = `http://${this.endpoint}`;
    const peerUrl = `http://127.0.0.1:${this.#ports.peer}`;
    return [
      '--name=bench',
      `--data-dir=${join(this.#dir.path, 'data')}`,
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=bench=${peerUrl}`,
      `--quota-backend-bytes=${QUOTA_BYTES}`,
    ];
  }

  /** Serves when it answers a linearizable read over HTTP, which is what its health says. */
  async #ready(child: ChildProcess): Promise<void> {
    const until = performance.now() + READY_TIMEOUT_MS;
    while (performance.now() < until) {
      if (child.exitCode !== null || child.signalCode !== null) break;
      const healthy = await fetch(`http://${this.endpoint}/health`).then(
        (answer) => answer.ok,
        () => false,
      );
      if (healthy) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`${this.#program.title} does not serve; its log ends:\n${this.#log}`);
  }

  async #stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}
