/** Runs a script of etcdctl commands against a server and records what each of them showed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from './child.js';

export interface Step {
  /** Words after `etcdctl --endpoints=…`; 'single quotes' keep blanks; {name} is a saved text. */
  run: string;
  stdin?: string;
  env?: Record<string, string>;
  /** Saves the first group of a match in stdout under a name; later output shows <name> for it. */
  save?: [name: string, pattern: RegExp];
  /**
   * The command would run for ever: it is interrupted once it has written so many lines to stdout,
   * or has ended by itself.
   */
  untilLines?: number;
  /** Commands to run while this one runs. */
  meanwhile?: readonly string[];
  /** Lines of output come in any order. */
  unordered?: boolean;
  /** What is shown where etcd 3.4 showed something else, and why. */
  since36?: Expected;
}

export interface Expected {
  reason: string;
  exit: number;
  stdout: RegExp;
  stderr: RegExp;
}

/** What can be compared. */
export interface Outcome {
  run: string;
  /** 'interrupted' if it was we who ended it. */
  exit: number | 'interrupted' | null;
  stdout: string;
  stderr: string;
}

/** A command gets its watch or lock in place within this time; being slower does no harm. */
const settleMs = 250;
const stepTimeoutMs = 15_000;
const linesTimeoutMs = 4000;

export class ScriptRunner {
  readonly #ctl: string;
  readonly #endpoints: string;
  /** Texts that differ from run to run. */
  readonly #saved = new Map<string, string>();
  readonly #named = new Map<string, string>();

  constructor(ctl: string, endpoints: string) {
    this.#ctl = ctl;
    this.#endpoints = endpoints;
  }

  /** Makes {name} usable in steps; it stays as it is in the output. */
  name(name: string, text: string): void {
    this.#named.set(name, text);
  }

  async run(steps: readonly Step[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const step of steps) outcomes.push(await this.#step(step));
    return outcomes;
  }

  async #step(step: Step): Promise<Outcome> {
    const child = this.#start(step);
    if (step.meanwhile) {
      await sleep(settleMs);
      for (const line of step.meanwhile) await finish(this.#start({ run: line }));
    }
    const interrupted = await finish(child, step.untilLines);
    const stdout = child.stdout.toString('latin1');
    this.#keep(step, stdout);
    return {
      run: step.run,
      exit: interrupted ? 'interrupted' : (child.exit?.code ?? null),
      stdout: this.#comparable(stdout, step),
      stderr: this.#comparable(withoutLogLines(child.stderr), step),
    };
  }

  #start(step: Step): Child {
    const words = split(this.#replaceNames(step.run));
    const options = { env: step.env ?? {}, ...(step.stdin && { stdin: step.stdin }) };
    const own = words.some((word) => word.startsWith('--endpoints='));
    const endpoints = own ? [] : [`--endpoints=${this.#endpoints}`];
    return new Child(this.#ctl, [...endpoints, ...words], options);
  }

  #replaceNames(line: string): string {
    return line.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const text = this.#saved.get(name) ?? this.#named.get(name);
      if (text === undefined) throw new Error(`nothing was saved as ${name}: ${line}`);
      return text;
    });
  }

  #keep(step: Step, stdout: string): void {
    if (!step.save) return;
    const [name, pattern] = step.save;
    const text = pattern.exec(stdout)?.[1];
    if (text === undefined) throw new Error(`${step.run}: no ${pattern} in ${stdout}`);
    this.#saved.set(name, text);
  }

  #comparable(output: string, step: Step): string {
    let text = output;
    for (const [name, saved] of this.#saved) {
      text = text.replaceAll(saved, `<${name}>`);
      if (/^[0-9a-f]{12,16}$/.test(saved)) {
        text = text.replaceAll(BigInt(`0x${saved}`).toString(), `<${name}>`);
      }
    }
    return step.unordered ? text.split('\n').sort().join('\n') : text;
  }
}

/** Waits for the end, or for enough output and then interrupts. Returns whether it did. */
async function finish(child: Child, lines?: number): Promise<boolean> {
  const ended = () => child.exit !== undefined;
  if (lines === undefined) {
    await child.until(ended, stepTimeoutMs, 'end of etcdctl');
    return false;
  }
  const enough = () => count(child.stdout, '\n') >= lines;
  // Less output than expected shows in the comparison.
  await child.until(() => ended() || enough(), linesTimeoutMs, 'output').catch(() => {});
  await sleep(lines === 0 ? settleMs : 20); // a line too many must be seen
  if (ended()) return false;
  child.kill('SIGINT');
  await child.until(ended, stepTimeoutMs, 'end of an interrupted etcdctl');
  return true;
}

function count(bytes: Buffer, character: string): number {
  return bytes.filter((byte) => byte === character.charCodeAt(0)).length;
}

/** etcdctl's own log lines have times and addresses in them, and are not part of its interface. */
function withoutLogLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('{'))
    .join('\n');
}

function split(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
}
