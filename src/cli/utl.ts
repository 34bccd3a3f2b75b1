/** kvorumutl's entry point. */
import { runProgram } from './run-program.js';
import { KVORUMUTL } from './utl-commands.js';

/** Runs one command line (without program name) and ends the process with its exit code. */
export async function kvorumutl(args: string[]): Promise<void> {
  await runProgram(KVORUMUTL, args);
}
