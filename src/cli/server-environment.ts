/** Variables `ETCD_…` as flags: `ETCD_DATA_DIR` is `--data-dir`. */
import { FlagValueError, type ServerFlagValues } from './server-flags.js';
import { findServerFlag, serverFlags, type ServerFlag } from './server-flag-table.js';
import type { LogLine } from './server-log.js';
import { quoted } from './server-urls.js';

const PREFIX = 'ETCD_';

/** Set by official images and by etcd's own build; they are no flags. */
const notFlags = new Set(['ETCD_VERSION', 'ETCD_UNSUPPORTED_ARCH']);

/** `ETCD_` and the flag's name in capitals. */
export function variableName(flag: string): string {
  return PREFIX + flag.toUpperCase().replaceAll('-', '_');
}

export interface EnvironmentReading {
  lines: LogLine[];
  /** Why the start cannot go on. */
  refusal?: LogLine;
}

/**
 * Sets flags that the command line left alone from the environment. Empty variables count as absent,
 * but not beside a flag: flag and variable together are fatal, as in etcd.
 */
export function readEnvironment(
  values: ServerFlagValues,
  environment: Readonly<Record<string, string | undefined>>,
): EnvironmentReading {
  const lines: LogLine[] = [];
  const used = new Set<string>();
  for (const { name, flag } of spelledFlags(values)) {
    const variable = variableName(name);
    const value = environment[variable] ?? '';
    if (value === '') continue;
    const refusal = setFromVariable(values, flag, name, value);
    if (refusal !== undefined) return { lines, refusal };
    used.add(variable);
    lines.push({
      level: 'info',
      message: 'recognized and used environment variable',
      fields: { 'variable-name': variable, 'variable-value': value },
    });
  }
  return { ...checkOthers(values, environment, used, lines) };
}

/** Flags that a variable may set, under every name, in the order in which etcd looks at them. */
function spelledFlags(values: ServerFlagValues): { name: string; flag: ServerFlag }[] {
  const names = serverFlags.flatMap(({ name }) => [name, `experimental-${name}`]);
  return names
    .sort()
    .map((name) => ({ name, flag: findServerFlag(name) }))
    .filter((spelled): spelled is { name: string; flag: ServerFlag } => spelled.flag !== undefined)
    .filter(({ name }) => !notFlags.has(variableName(name)))
    .filter(({ name, flag }) => !values.spellings(flag.name).includes(name));
}

function setFromVariable(
  values: ServerFlagValues,
  flag: ServerFlag,
  name: string,
  value: string,
): LogLine | undefined {
  try {
    values.set(flag, value, name);
    return undefined;
  } catch (error) {
    if (!(error instanceof FlagValueError)) throw error;
    const why = `invalid value ${quoted(value)} for ${variableName(name)}: ${error.message}`;
    return { level: 'warn', message: 'failed to verify flags', fields: { error: why } };
  }
}

function checkOthers(
  values: ServerFlagValues,
  environment: Readonly<Record<string, string | undefined>>,
  used: ReadonlySet<string>,
  lines: LogLine[],
): EnvironmentReading {
  const givenByFlag = new Set(
    serverFlags.flatMap(({ name }) => values.spellings(name).map(variableName)),
  );
  for (const [variable, value] of Object.entries(environment)) {
    if (value === undefined || used.has(variable) || notFlags.has(variable)) continue;
    if (givenByFlag.has(variable)) return { lines, refusal: conflict(variable) };
    if (!variable.startsWith(PREFIX)) continue;
    lines.push({
      level: 'warn',
      message: 'unrecognized environment variable',
      fields: { 'environment-variable': `${variable}=${value}` },
    });
  }
  return { lines };
}

function conflict(variable: string): LogLine {
  return {
    level: 'fatal',
    message:
      'conflicting environment variable is shadowed by corresponding command-line flag' +
      ' (either unset environment variable or disable flag)',
    fields: { 'environment-variable': variable },
  };
}
