/** The host that is this process. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { latin1FromUtf8, utf8FromLatin1 } from '../bytes/index.js';
import type { Host, Input } from './host.js';

/** `warn` writes a line to stderr. */
export function processHost(warn: (line: string) => void): Host {
  return {
    env: environment(),
    stdin: new StreamInput(() => process.stdin),
    readFile: (path) => readFileSync(Buffer.from(path, 'latin1')),
    warn,
    ...(process.stderr.isTTY
      ? { drawProgress: (text: string) => void process.stderr.write(text, 'latin1') }
      : {}),
    interruption,
    pause: (ms) => pause(ms),
    nanoseconds: () => process.hrtime.bigint(),
    run: runProgram,
  };
}

/** The first signal is a wish, the second has its default effect. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort(new Error('interrupted')));
  }
  return controller.signal;
}

function environment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => name.startsWith('ETCDCTL_'));
  return Object.fromEntries(entries.map(([name, value]) => [name, latin1FromUtf8(value ?? '')]));
}

/**
 * The arguments as the bytes that they are. Node has decoded them as UTF-8 and replaced what is not;
 * then Linux still has the originals.
 */
export function argumentBytes(args: readonly string[]): string[] {
  const decoded = args.map(latin1FromUtf8);
  if (!args.some((arg) => arg.includes('\ufffd'))) return decoded;
  try {
    const all = readFileSync('/proc/self/cmdline', 'latin1').split('\0').slice(0, -1);
    return args.length > 0 ? all.slice(-args.length) : [];
  } catch {
    return decoded;
  }
}

/** Reads a stream of bytes by lines. The stream is opened when it is first needed. */
export class StreamInput implements Input {
  private chunks: AsyncIterator<Buffer> | undefined;
  private pending = '';

  constructor(private readonly open: () => AsyncIterable<Buffer>) {}

  async readAll(): Promise<string> {
    while (await this.fill());
    const all = this.pending;
    this.pending = '';
    return all;
  }

  async readLine(): Promise<string | undefined> {
    let from = 0;
    for (;;) {
      const end = this.pending.indexOf('\n', from);
      if (end >= 0) return this.take(end);
      from = this.pending.length;
      if (!(await this.fill())) return undefined;
    }
  }

  private take(end: number): string {
    const line = this.pending.slice(0, end);
    this.pending = this.pending.slice(end + 1);
    return line;
  }

  private async fill(): Promise<boolean> {
    this.chunks ??= this.open()[Symbol.asyncIterator]();
    const next = await this.chunks.next();
    if (next.done === true) return false;
    this.pending += next.value.toString('latin1');
    return true;
  }
}

function runProgram(
  argv: readonly string[],
  env: Record<string, string>,
): Promise<string | undefined> {
  const [program = '', ...args] = argv.map(utf8FromLatin1);
  const extra = Object.entries(env).map(([name, value]) => [name, utf8FromLatin1(value)]);
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...Object.fromEntries(extra) },
    });
    child.on('error', (error) => resolve(startFailure(argv[0]!, error)));
    child.on('close', (code, signal) => resolve(endOf(code, signal)));
  });
}

const SIGNAL_WORDS: Record<string, string> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGQUIT: 'quit',
  SIGABRT: 'aborted',
  SIGKILL: 'killed',
  SIGSEGV: 'segmentation fault',
  SIGPIPE: 'broken pipe',
  SIGTERM: 'terminated',
};

/** Go's words for how a process ended. */
function endOf(code: number | null, signal: string | null): string | undefined {
  if (signal !== null) return `signal: ${SIGNAL_WORDS[signal] ?? signal}`;
  return code === 0 ? undefined : `exit status ${code}`;
}

function startFailure(program: string, error: NodeJS.ErrnoException): string {
  const reason = error.code === 'EACCES' ? 'permission denied' : 'no such file or directory';
  if (program.includes('/')) return `fork/exec ${program}: ${reason}`;
  return `exec: "${program}": executable file not found in $PATH`;
}
