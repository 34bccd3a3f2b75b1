/** Flags that every command has, and their twins in the environment: ETCDCTL_WRITE_OUT for --write-out. */
import { GLOBAL_OPTIONS } from './command.js';
import type { FlagSpec, Flags } from './flag-set.js';
import { CommandError, ExitCode } from './exit.js';
import { ParseError } from './go-text/numbers.js';

const group = GLOBAL_OPTIONS;

export const GLOBAL_FLAGS: readonly FlagSpec[] = [
  { name: 'endpoints', kind: 'list', initial: '127.0.0.1:2379', help: 'Servers to talk to', group },
  {
    name: 'write-out',
    short: 'w',
    kind: 'string',
    initial: 'simple',
    help: 'simple, json, table, fields or protobuf',
    group,
  },
  { name: 'hex', kind: 'bool', help: 'Print bytes as \\xNN, ids in hex', group },
  { name: 'command-timeout', kind: 'duration', initial: '5s', help: 'For short commands', group },
  { name: 'dial-timeout', kind: 'duration', initial: '2s', help: 'For connecting', group },
  { name: 'keepalive-time', kind: 'duration', initial: '2s', help: 'Between pings', group },
  {
    name: 'keepalive-timeout',
    kind: 'duration',
    initial: '6s',
    help: "For a ping's answer",
    group,
  },
  { name: 'max-request-bytes', kind: 'int', help: 'Largest request; 0 is 2 MiB', group },
  { name: 'max-recv-bytes', kind: 'int', help: 'Largest answer; 0 is no limit', group },
  { name: 'cacert', kind: 'string', help: 'File: CAs to trust (turns on TLS)', group },
  { name: 'cert', kind: 'string', help: 'File: certificate to show', group },
  { name: 'key', kind: 'string', help: "File: that certificate's key", group },
  {
    name: 'insecure-transport',
    kind: 'bool',
    initial: 'true',
    help: 'Plain connections if no file is given',
    group,
  },
  { name: 'insecure-skip-tls-verify', kind: 'bool', help: 'Trust any certificate', group },
  { name: 'debug', kind: 'bool', help: 'Print the settings in force', group },
];

const PREFIX = 'ETCDCTL_';
/** Names with the prefix that are no flags: of `watch`, and of the days when it chose the API. */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  'ETCDCTL_API',
  'ETCDCTL_WATCH_KEY',
  'ETCDCTL_WATCH_RANGE_END',
]);

function variableOf(flag: string): string {
  return PREFIX + flag.toUpperCase().replaceAll('-', '_');
}

/**
 * Takes flags that were not given from the environment. A flag given in both places ends the
 * command; a value that does not parse is passed over; empty is unset. Returns warnings: one for
 * each name with the prefix that means nothing.
 */
export function applyEnvironment(flags: Flags, env: Record<string, string | undefined>): string[] {
  const known = new Set(OTHER_NAMES);
  for (const { name } of GLOBAL_FLAGS) {
    const variable = variableOf(name);
    known.add(variable);
    const text = env[variable];
    if (text === undefined || text === '') continue;
    if (flags.isGiven(name)) throw conflict(variable);
    presetOrPass(flags, name, text);
  }
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name))
    .map((name) => `Warning: unrecognized environment variable ${name}`);
}

function presetOrPass(flags: Flags, name: string, text: string): void {
  try {
    flags.preset(name, text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
  }
}

function conflict(variable: string): CommandError {
  return new CommandError(
    ExitCode.error,
    `conflicting environment variable "${variable}" is shadowed by corresponding command-line flag (either unset environment variable or disable flag)`,
  );
}

/** The settings in force as lines `ETCDCTL_X=value`, for --debug. */
export function settings(flags: Flags): string[] {
  return GLOBAL_FLAGS.map(({ name }) => `${variableOf(name)}=${flags.print(name)}`).sort();
}
