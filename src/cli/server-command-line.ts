/** From arguments and environment to what the server should do. Reads no globals and never exits. */
import { readEnvironment } from './server-environment.js';
import { FlagSyntaxError, parseServerArguments, type ServerArguments } from './server-flags.js';
import { USAGE, serverHelp, versionText, type Versions } from './server-help.js';
import type { LogLine } from './server-log.js';
import { OptionsError } from './options-error.js';
import { ADVERTISE_REQUIRED, serverOptions, type ServerOptions } from './server-options.js';

export type ServerCommand =
  /** Start; `lines` come first in the log. */
  | { kind: 'start'; options: ServerOptions; lines: LogLine[] }
  /** Print and exit. `lines` go to the log (as JSON, to stderr). */
  | { kind: 'exit'; code: 0 | 1 | 2; stdout: string; stderr: string; lines: LogLine[] };

/** Variables of the process; a later duplicate does not occur. */
export type ServerEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * As etcd does it: a bad flag is exit 2 with usage on stderr, --help and --version are exit 0 on
 * stdout, everything else that is wrong is exit 1 with a line in the log.
 */
export function readServerCommand(
  args: readonly string[],
  environment: ServerEnvironment,
  versions: Versions,
): ServerCommand {
  try {
    return commandOf(parseServerArguments(args), environment, versions);
  } catch (error) {
    if (!(error instanceof FlagSyntaxError)) throw error;
    return exit(2, { stderr: `${error.message}\n${USAGE}` });
  }
}

function commandOf(
  { values, help, rest, former }: ServerArguments,
  environment: ServerEnvironment,
  versions: Versions,
): ServerCommand {
  if (help) return exit(0, { stdout: serverHelp() });
  if (rest.length > 0) {
    return refusal([], `'${rest[0]}' is not a valid flag. See 'kvorum --help'.`);
  }
  if (values.bool('version')) return exit(0, { stdout: versionText(versions) });
  const found = readEnvironment(values, environment);
  if (found.refusal !== undefined) return exit(1, { lines: [...found.lines, found.refusal] });
  const lines = [...former.map(readOver), ...found.lines];
  try {
    const { options, lines: more } = serverOptions(values);
    return { kind: 'start', options, lines: [...lines, ...more] };
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return refusal(lines, error.message);
  }
}

type Printed = Partial<Omit<Extract<ServerCommand, { kind: 'exit' }>, 'kind' | 'code'>>;

function exit(code: 0 | 1 | 2, printed: Printed): ServerCommand {
  return { kind: 'exit', code, stdout: '', stderr: '', lines: [], ...printed };
}

function refusal(lines: LogLine[], error: string): ServerCommand {
  const refused = [logLine('failed to verify flags', error)];
  if (error === ADVERTISE_REQUIRED) {
    refused.push(logLine('advertise client URLs are not set', error));
  }
  return exit(1, { lines: [...lines, ...refused] });
}

function logLine(message: string, error: string): LogLine {
  return { level: 'warn', message, fields: { error } };
}

function readOver(flag: string): LogLine {
  return { level: 'warn', message: 'flag is no longer in use, ignored', fields: { flag } };
}
