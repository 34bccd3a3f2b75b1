/** Runs a program in this process: writes to the streams and sets the exit code, which nothing else does. */
import type { Program } from './command.js';
import { runCommandLine } from './command-line.js';
import { argumentBytes, processHost } from './process-host.js';

/** Runs one command line (without program name) and ends the process with its exit code. */
export async function runProgram(program: Program, args: string[]): Promise<void> {
  // Whoever runs a command can do nothing about what its libraries will have to change.
  process.noDeprecation = true;
  endQuietlyWithoutReader();
  const host = processHost((line) => void process.stderr.write(line + '\n', 'latin1'));
  const texts = runCommandLine(program, argumentBytes(args), host);
  for (;;) {
    const step = await texts.next();
    // Not by itself: a standard input that is still open would keep the process.
    if (step.done === true) process.exit(step.value);
    await write(process[step.value.stream], step.value.text);
  }
}

/** Waits for a slow reader. */
function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, 'latin1', () => resolve()));
}

/** What a shell reports for a program that SIGPIPE has ended. */
const EXIT_BROKEN_PIPE = 141;

/** `kvorumctl get … | head -1` is no failure to speak of. */
function endQuietlyWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT_BROKEN_PIPE);
    throw error;
  });
}
