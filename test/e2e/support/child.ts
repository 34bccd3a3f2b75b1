/** A child process with its output collected, that never outlives the test process. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { atExit } from './at-exit.js';

/** How a process ended: one of the two is set. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  cwd?: string;
  /** Added to the environment of the test process. */
  env?: Record<string, string>;
  /** Written to stdin, which is then closed. Without it stdin is empty. */
  stdin?: string | Uint8Array;
  /** Signals go to everything that the process starts, too. */
  group?: boolean;
}

const running = new Set<Child>();

function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

export class Child {
  readonly exited: Promise<Exit>;
  /** Set once the process has ended. */
  exit: Exit | undefined;
  readonly #process: ChildProcess;
  readonly #group: boolean;
  readonly #stdout: Buffer[] = [];
  readonly #stderr: Buffer[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(command: string, args: readonly string[], options: ChildOptions = {}) {
    if (running.size === 0) registerOnce();
    this.#group = options.group ?? false;
    this.#process = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      detached: this.#group,
      stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    running.add(this);
    this.#feed(options.stdin);
    this.#process.stdout?.on('data', (chunk: Buffer) => this.#collect(this.#stdout, chunk));
    this.#process.stderr?.on('data', (chunk: Buffer) => this.#collect(this.#stderr, chunk));
    this.#letGo();
    this.exited = this.#waitForExit();
    this.exited.catch(() => {});
  }

  get pid(): number {
    return this.#process.pid ?? -1;
  }

  get stdout(): Buffer {
    return Buffer.concat(this.#stdout);
  }

  get stderr(): string {
    return Buffer.concat(this.#stderr).toString();
  }

  /** Harmless when the process has ended. */
  kill(signal: NodeJS.Signals): void {
    if (this.#group && this.#process.pid !== undefined) killGroup(this.#process.pid, signal);
    else this.#process.kill(signal);
  }

  /** Resolves as soon as `condition` holds, which is looked at after each output and at the end. */
  async until(condition: () => boolean, timeoutMs: number, what: string): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const finish = (error?: Error) => {
        this.#watchers.delete(look);
        clearTimeout(timer);
        if (error) reject(error);
        else resolve();
      };
      const look = () => {
        if (condition()) finish();
        else if (this.exit) finish(new Error(`ended before ${what}: ${this.describe()}`));
      };
      const timer = setTimeout(
        () => finish(new Error(`no ${what} within ${timeoutMs} ms: ${this.describe()}`)),
        timeoutMs,
      );
      this.#watchers.add(look);
      look();
    });
  }

  /** The process and the end of what it wrote, for failure messages. */
  describe(): string {
    const state = this.exit
      ? `exit code ${this.exit.code}, signal ${this.exit.signal}`
      : `running as ${this.pid}`;
    const lines = this.stderr.trimEnd().split('\n').slice(-25).join('\n');
    return `${this.#process.spawnargs.join(' ')}\n(${state}) stderr ends:\n${lines}`;
  }

  /** A child left over by a failed test must not keep the test process alive. */
  #letGo(): void {
    this.#process.unref();
    for (const pipe of [this.#process.stdout, this.#process.stderr])
      (pipe as Socket | null)?.unref();
  }

  #feed(input: string | Uint8Array | undefined): void {
    const stdin = this.#process.stdin;
    if (input === undefined || !stdin) return;
    stdin.on('error', () => {}); // the process may end before it has read everything
    stdin.end(input);
  }

  #collect(chunks: Buffer[], chunk: Buffer): void {
    chunks.push(chunk);
    this.#notify();
  }

  #notify(): void {
    for (const look of this.#watchers) look();
  }

  #waitForExit(): Promise<Exit> {
    return new Promise((resolve, reject) => {
      this.#process.once('error', (error) => {
        running.delete(this);
        reject(error);
      });
      this.#process.once('exit', () => running.delete(this));
      // 'close' comes after 'exit', when all output has been read.
      this.#process.once('close', (code, signal) => {
        this.exit = { code, signal };
        resolve(this.exit);
        this.#notify();
      });
    });
  }
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended, and so has all that it started.
  }
}

let registered = false;
function registerOnce(): void {
  if (registered) return;
  registered = true;
  atExit('processes', killAll);
}

/** Runs a command to its end; kills it after `timeoutMs` and then throws. */
export async function run(
  command: string,
  args: readonly string[],
  options: ChildOptions & { timeoutMs?: number } = {},
): Promise<Child> {
  const child = new Child(command, args, options);
  const timeoutMs = options.timeoutMs ?? 20_000;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  await child.exited;
  clearTimeout(timer);
  if (late) throw new Error(`did not end within ${timeoutMs} ms: ${child.describe()}`);
  return child;
}
