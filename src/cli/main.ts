/** kvorumctl's entry point. */
import { KVORUMCTL } from './ctl-commands.js';
import { runProgram } from './run-program.js';

/** Runs one command line (without program name) and ends the process with its exit code. */
export async function kvorumctl(args: string[]): Promise<void> {
  await runProgram(KVORUMCTL, args);
}
