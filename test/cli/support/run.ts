/** Whole command lines without a process. */
import type { Program } from '../../../src/cli/command.js';
import { runCommandLine } from '../../../src/cli/command-line.js';
import type { Host } from '../../../src/cli/host.js';

const host: Host = {
  env: {},
  stdin: { readAll: async () => '', readLine: async () => undefined },
  readFile: (path) => {
    throw Object.assign(new Error(path), { code: 'ENOENT' });
  },
  warn: () => {},
  pause: async () => {},
  nanoseconds: () => 0n,
  run: async () => undefined,
};

export interface Shown {
  code: number;
  stdout: string;
  stderr: string;
}

/** What a command line shows; `changes` replaces parts of the host. */
export async function run(
  program: Program,
  args: readonly string[],
  changes: Partial<Host> = {},
): Promise<Shown> {
  const shown = { stdout: '', stderr: '' };
  const warn = (line: string): void => void (shown.stderr += `${line}\n`);
  const texts = runCommandLine(program, args, { ...host, warn, ...changes });
  for (;;) {
    const step = await texts.next();
    if (step.done === true) return { code: step.value, ...shown };
    shown[step.value.stream] += step.value.text;
  }
}
