/**
 * Plays a script of etcdctl command lines with any command line program against any server, and
 * compares what it showed with a recording of the real etcdctl or with another run.
 *
 *     const outcomes = await runTranscript({ play: spawned(['bin/kvorumctl']), endpoint });
 *     const differences = compareTranscripts(await recordedTranscript(), outcomes);
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommandLine, type Text } from '../../../src/cli/command-line.js';
import { KVORUMCTL } from '../../../src/cli/ctl-commands.js';
import { StreamInput, processHost } from '../../../src/cli/process-host.js';
import { latin1FromUtf8, utf8FromLatin1 } from '../../../src/bytes/index.js';
import { root } from './binaries.js';
import { rules } from './transcript-rules.js';
import { steps as allSteps, type Step } from './transcript-steps.js';

/** What one step showed, made comparable. Streams are bytes in latin1 strings. */
export interface Outcome {
  args: readonly string[];
  /** 'ended' if it was we who ended it. */
  exit: number | 'ended' | null;
  stdout: string;
  stderr: string;
}

/** How one command line is run. */
export interface Play {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  stdin: string;
  untilLines?: number;
  holdStdin: boolean;
}

export type Player = (play: Play) => Promise<Omit<Outcome, 'args'>>;

export interface TranscriptOptions {
  play: Player;
  /** host:port of a fresh server: nothing has been written to it. */
  endpoint: string;
  /** Default: all. */
  steps?: readonly Step[];
}

/** Plays the steps in order and returns what they showed, normalised. */
export async function runTranscript(options: TranscriptOptions): Promise<Outcome[]> {
  const names = new Map([['ENDPOINT', options.endpoint]]);
  const saved: Saved[] = [];
  const outcomes: Outcome[] = [];
  for (const step of options.steps ?? allSteps) {
    const shown = await options.play(playOf(step, names));
    for (const { name, pattern, radix } of step.save ?? []) {
      const found = pattern.exec(shown.stdout)?.[1];
      if (found === undefined) throw new Error(`no ${name} in: ${JSON.stringify(shown)}`);
      names.set(name, found);
      saved.push(savedId(name, found, radix));
    }
    outcomes.push(normalise(step, shown, saved));
  }
  return outcomes;
}

function playOf(step: Step, names: ReadonlyMap<string, string>): Play {
  const fill = (text: string): string =>
    text.replace(/\{([A-Z][A-Z0-9]*)\}/g, (whole, name: string) => names.get(name) ?? whole);
  const endpoints = step.bare ? [] : ['--endpoints={ENDPOINT}'];
  return {
    args: [...endpoints, ...step.args].map(fill),
    env: Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value)]),
    ),
    stdin: step.stdin ?? '',
    holdStdin: step.holdStdin ?? false,
    ...(step.untilLines === undefined ? {} : { untilLines: step.untilLines }),
  };
}

/** A 64-bit id in the forms in which it is printed. */
interface Saved {
  name: string;
  decimal: string;
  hex: string;
  /** Its varint, as hex digits. */
  varint: string;
}

function savedId(name: string, text: string, radix: 10 | 16): Saved {
  const id = BigInt(radix === 16 ? `0x${text}` : text);
  let varint = '';
  for (let rest = id; varint === '' || rest > 0n; rest >>= 7n) {
    const byte = Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0);
    varint += byte.toString(16).padStart(2, '0');
  }
  return { name, decimal: `${id}`, hex: id.toString(16), varint };
}

function normalise(step: Step, shown: Omit<Outcome, 'args'>, saved: readonly Saved[]): Outcome {
  const isProtobuf = step.args.includes('protobuf') && shown.exit === 0;
  const stdout = isProtobuf ? describeProtobuf(shown.stdout, saved) : tidy(shown.stdout, saved);
  const outcome: Outcome = {
    args: step.args,
    exit: shown.exit,
    stdout: step.usage ? usageMark(stdout) : step.unordered ? sortLines(stdout) : stdout,
    stderr: tidy(shown.stderr, saved),
  };
  for (const what of step.ours?.what ?? []) {
    if (what !== 'exit') outcome[what] = '(not compared)';
  }
  return outcome;
}

function usageMark(stdout: string): string {
  return /usage:/i.test(stdout) ? 'USAGE' : stdout;
}

function sortLines(text: string): string {
  return text.split('\n').sort().join('\n');
}

function tidy(text: string, saved: readonly Saved[]): string {
  let tidied = text;
  for (const { name, decimal, hex } of saved) {
    tidied = tidied.replaceAll(decimal, name).replaceAll(hex.padStart(16, '0'), name);
    tidied = tidied.replaceAll(hex, name);
  }
  for (const { from, to } of rules) tidied = tidied.replace(from, to);
  return tidied;
}

/**
 * Hex digits, with the ids' varints replaced by their names, the lengths before them by LL (ids have
 * nine bytes or ten) and the term after them by TERM.
 */
function describeProtobuf(bytes: string, saved: readonly Saved[]): string {
  const placed = bytes.replace(/127\.0\.0\.1:\d+/g, 'ADDRESS');
  let digits = Buffer.from(placed, 'latin1').toString('hex');
  for (const { name, varint } of saved) digits = digits.replaceAll(varint, name);
  digits = digits.replace(/(?<=^0a|12)[0-9a-f]{2}(?=08(?:CLUSTER|MEMBER))/g, 'LL');
  return digits.replace(/(MEMBER(?:18(?:[89a-f][0-9a-f])*[0-7][0-9a-f])?20)[0-9a-f]{2}/g, '$1TERM');
}

/** Runs a program, its name and first arguments given. */
export function spawned(command: readonly string[]): Player {
  return async (play) => {
    const child = spawn(command[0]!, [...command.slice(1), ...play.args], {
      env: { ...withoutSettings(process.env), ...play.env },
      timeout: STEP_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    child.stdin.on('error', () => {}); // it may end without reading everything
    child.stdin.write(play.stdin, 'latin1');
    if (!play.holdStdin) child.stdin.end();
    let ended = false;
    const collected = { stdout: '', stderr: '' };
    child.stderr.on('data', (chunk: Buffer) => (collected.stderr += chunk.toString('latin1')));
    child.stdout.on('data', (chunk: Buffer) => {
      collected.stdout += chunk.toString('latin1');
      if (play.untilLines === undefined || lineCount(collected.stdout) < play.untilLines) return;
      if (play.holdStdin) child.stdin.end();
      else ended = child.kill('SIGTERM') || ended;
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    return { exit: ended ? 'ended' : code, ...collected };
  };
}

const STEP_TIMEOUT_MS = 20_000;

function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ETCDCTL_')));
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}

/** Runs kvorumctl's code in this process: what bin/kvorumctl does, but for the process around it. */
export const inProcess: Player = async (play) => {
  const collected = { stdout: '', stderr: '' };
  const enough = new AbortController();
  const collect = ({ stream, text }: Text): void => {
    collected[stream] += text;
    if (play.untilLines !== undefined && lineCount(collected.stdout) >= play.untilLines) {
      enough.abort();
    }
  };
  const stop = new AbortController();
  const host = hostFor(play, collect, enough.signal);
  const texts = runCommandLine(KVORUMCTL, play.args.map(latin1FromUtf8), host, stop.signal);
  const end = endOf(enough.signal, play.holdStdin);
  for (;;) {
    const step = await Promise.race([texts.next(), end]);
    if (step === 'ended') {
      stop.abort();
      return { exit: 'ended', ...collected };
    }
    if (step.done === true) return { exit: step.value, ...collected };
    collect(step.value);
  }
};

function endOf(enough: AbortSignal, goesOn: boolean): Promise<'ended'> {
  return new Promise((resolve) => {
    if (!goesOn) enough.addEventListener('abort', () => resolve('ended'));
  });
}

function hostFor(
  play: Play,
  collect: (text: Text) => void,
  enough: AbortSignal,
): ReturnType<typeof processHost> {
  const real = processHost((line) => collect({ stream: 'stderr', text: line + '\n' }));
  return {
    ...real,
    env: Object.fromEntries(
      Object.entries(play.env).map(([name, value]) => [name, latin1FromUtf8(value)]),
    ),
    stdin: new StreamInput(() => standardInput(play, enough)),
    run: (argv, env) => runCollecting(argv, env, collect),
    // del's time to think: real in a real process.
    pause: (ms) => pause(Math.min(ms, 10)),
  };
}

async function* standardInput(play: Play, enough: AbortSignal): AsyncGenerator<Buffer> {
  if (play.stdin !== '') yield Buffer.from(play.stdin, 'latin1');
  if (!play.holdStdin || enough.aborted) return;
  await new Promise((resolve) => enough.addEventListener('abort', resolve));
}

/** A command of `watch`, whose output goes where ours does. */
async function runCollecting(
  argv: readonly string[],
  env: Record<string, string>,
  collect: (text: Text) => void,
): Promise<string | undefined> {
  const [program = '', ...args] = argv.map(utf8FromLatin1);
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  child.stdout.on('data', (chunk: Buffer) =>
    collect({ stream: 'stdout', text: chunk.toString('latin1') }),
  );
  child.stderr.on('data', (chunk: Buffer) =>
    collect({ stream: 'stderr', text: chunk.toString('latin1') }),
  );
  return new Promise((resolve) => {
    child.on('error', () =>
      resolve(
        program.includes('/')
          ? `fork/exec ${program}: no such file or directory`
          : `exec: "${program}": executable file not found in $PATH`,
      ),
    );
    child.on('close', (code) => resolve(code === 0 ? undefined : `exit status ${code}`));
  });
}

/** A step whose outcome is not as expected. */
export interface Difference {
  /** Position in the transcript. */
  index: number;
  args: readonly string[];
  what: 'exit' | 'stdout' | 'stderr' | 'args';
  expected: unknown;
  actual: unknown;
}

export interface CompareOptions {
  /** Version of the server played against, such as 3.4.23; steps that are `since` a later one are left out. */
  serverVersion?: string;
  steps?: readonly Step[];
}

/** All differences between a recording and a run of the same steps. */
export function compareTranscripts(
  expected: readonly Outcome[],
  actual: readonly Outcome[],
  options: CompareOptions = {},
): Difference[] {
  const steps = options.steps ?? allSteps;
  if (expected.length !== steps.length || actual.length !== steps.length) {
    throw new Error(`${steps.length} steps, ${expected.length} recorded, ${actual.length} played`);
  }
  return steps.flatMap((step, index) =>
    isOlder(options.serverVersion, step.since?.version)
      ? []
      : differences(step, index, expected[index]!, actual[index]!),
  );
}

function differences(step: Step, index: number, expected: Outcome, actual: Outcome): Difference[] {
  const found: Difference[] = [];
  for (const what of ['args', 'exit', 'stdout', 'stderr'] as const) {
    if (step.ours?.what.some((ours) => ours === what)) continue;
    if (JSON.stringify(expected[what]) === JSON.stringify(actual[what])) continue;
    found.push({ index, args: step.args, what, expected: expected[what], actual: actual[what] });
  }
  return found;
}

function isOlder(version: string | undefined, since: string | undefined): boolean {
  if (version === undefined || since === undefined) return false;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [sinceMajor = 0, sinceMinor = 0] = since.split('.').map(Number);
  return major < sinceMajor || (major === sinceMajor && minor < sinceMinor);
}

const FIXTURE = join(root, 'test/fixtures/cli/etcdctl-3.6.16.json');

export interface Recording {
  /** Versions of etcdctl and of the server it was recorded with. */
  etcdctl: string;
  etcd: string;
  outcomes: Outcome[];
}

/** The transcript of real etcdctl 3.6.16 against real etcd 3.6.16. scripts/record-etcdctl.mjs makes it. */
export function recordedTranscript(): Outcome[] {
  return (JSON.parse(readFileSync(FIXTURE, 'utf8')) as Recording).outcomes;
}

/** The differences as text for an assertion's message. */
export function describeDifferences(found: readonly Difference[]): string {
  return found
    .map(({ index, args, what, expected, actual }) =>
      [
        `#${index} ${args.join(' ')}: ${what}`,
        `  expected ${JSON.stringify(expected)}`,
        `  actual   ${JSON.stringify(actual)}`,
      ].join('\n'),
    )
    .join('\n');
}
