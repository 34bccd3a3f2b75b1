/**
 * Runs one command line of a program: finds the command, reads its flags, runs it, prints its
 * results. Yields text for the two streams and returns the exit code; writes nothing itself.
 */
import { isEtcdError } from '../api/index.js';
import { findCommand, flagsOf, suggestions, type Command, type Program } from './command.js';
import { CommandError, ExitCode } from './exit.js';
import { FlagError, parseFlags, type Flags, type ParsedFlags } from './flag-set.js';
import { goQuote } from './go-text/quote.js';
import { describeError } from './go-text/status.js';
import type { Host } from './host.js';
import { LiveSession } from './live-session.js';
import type { Output } from './output.js';

/** Bytes (a latin1 string) for one of the two streams. */
export interface Text {
  stream: 'stdout' | 'stderr';
  text: string;
}

type Texts = AsyncGenerator<Text, number>;

function out(text: string): Text {
  return { stream: 'stdout', text };
}

function err(text: string): Text {
  return { stream: 'stderr', text };
}

/** `args` are bytes in latin1 strings. `stop` ends a command that would go on, such as watch. */
export async function* runCommandLine(
  program: Program,
  args: readonly string[],
  host: Host,
  stop?: AbortSignal,
): Texts {
  const { path, args: rest, unknown } = findCommand(program.root, args, program.reserved);
  if (unknown !== undefined) {
    yield err(unknownCommand(program, unknown));
    return ExitCode.error;
  }
  let parsed;
  try {
    parsed = parseFlags(flagsOf(path), rest);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return yield* showFlagError(program, path, error);
  }
  if (parsed.flags.bool('help')) return yield* showHelp(path);
  if (path.at(-1)!.name === 'help') return yield* showHelpOn(program, parsed.positional);
  return yield* runCommand(path, parsed, host, stop);
}

function unknownCommand({ root, usageErrors }: Program, word: string): string {
  const near = suggestions(root, word).map((name) => `\t${name}\n`);
  const question = near.length > 0 ? `\nDid you mean this?\n${near.join('')}\n` : '';
  const error = `Error: unknown command ${goQuote(word)} for "${root.name}"\n${question}`;
  const again = usageErrors === 'stderr' ? error : '';
  return `${error}Run '${root.name} --help' for usage.\n${again}`;
}

async function* showFlagError(
  { usageErrors }: Program,
  path: readonly Command[],
  error: FlagError,
): Texts {
  if (usageErrors === 'stderr') {
    const usage = await usageText(path);
    yield err(`Error: ${error.message}\n${usage}\nError: ${error.message}\n`);
  } else {
    yield* showHelp(path);
    yield err(`Error: ${error.message}\n\n`);
  }
  return ExitCode.error;
}

async function usageText(path: readonly Command[]): Promise<string> {
  const { helpText } = await import('./help.js');
  return helpText(path);
}

async function* showHelp(path: readonly Command[]): Texts {
  yield out(await usageText(path));
  return ExitCode.success;
}

/** `help [command]`. */
async function* showHelpOn({ root, reserved }: Program, words: readonly string[]): Texts {
  const { path, unknown } = findCommand(root, words, reserved);
  if (unknown !== undefined) {
    yield err(`Unknown help topic [${words.map((word) => `\`${word}\``).join(' ')}]\n`);
  }
  return yield* showHelp(path);
}

async function* runCommand(
  path: readonly Command[],
  parsed: ParsedFlags,
  host: Host,
  stop: AbortSignal | undefined,
): Texts {
  const load = path.at(-1)!.load;
  if (load === undefined) return yield* showHelp(path);
  const run = await load();
  const session = new LiveSession(host, parsed.flags);
  stop?.addEventListener('abort', () => session.close());
  try {
    return yield* printAll(run(parsed, session), parsed);
  } catch (error) {
    const { exitCode, message } = failureOf(error);
    await session.explained();
    if (message !== '') yield err(`Error: ${message}\n`);
    return exitCode;
  } finally {
    session.close();
  }
}

async function* printAll(
  outputs: AsyncGenerator<Output, number | void>,
  { flags }: ParsedFlags,
): Texts {
  try {
    for (;;) {
      const step = await outputs.next();
      if (step.done === true) return step.value ?? ExitCode.success;
      yield await textOf(step.value, flags);
    }
  } finally {
    await outputs.return(undefined);
  }
}

async function textOf(output: Output, flags: Flags): Promise<Text> {
  if (output.kind !== 'result') return { stream: output.kind, text: output.text };
  const { printerFor } = await import('./printers/index.js');
  return out(printerFor(flags.string('write-out'))(output.result, flags.bool('hex')));
}

/** A server's refusal is exit code 1; anything that is no refusal is a bug and goes up. */
function failureOf(error: unknown): { exitCode: number; message: string } {
  if (error instanceof CommandError) return error;
  if (isEtcdError(error)) return { exitCode: ExitCode.error, message: describeError(error) };
  throw error;
}
