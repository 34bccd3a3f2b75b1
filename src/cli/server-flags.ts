/**
 * Server flags as Go's flag package reads them: `-x` and `--x` are the same, `--x=value` and `--x
 * value` too, a boolean takes a value only behind `=`, the first argument that is no flag ends them.
 * The texts of refusals are Go's. (flag-set.ts reads etcdctl's flags, which follow other rules.)
 */
import { latin1FromUtf8 } from '../bytes/index.js';
import { parseDuration } from './go-text/duration.js';
import { ParseError, parseBool, parseInt64 } from './go-text/numbers.js';
import { findServerFlag, isFormerFlag, type ServerFlag } from './server-flag-table.js';
import { UrlError, parseUrls, quoted } from './server-urls.js';

/** A command line that Go's flag package refuses: usage and exit 2. */
export class FlagSyntaxError extends Error {
  override readonly name = 'FlagSyntaxError';
}

/** A text that is no value of its flag's kind; the message is Go's reason. */
export class FlagValueError extends Error {
  override readonly name = 'FlagValueError';
}

type Value = string | boolean | number | readonly string[];

/** The flags' values: given ones, and defaults. */
export class ServerFlagValues {
  private readonly given = new Map<string, { value: Value; text: string; spelled: string[] }>();

  /**
   * Gives `flag` the value that `text` says; `spelled` is the name that was used. Throws
   * {@link FlagValueError}.
   */
  set(flag: ServerFlag, text: string, spelled = flag.name): void {
    const names = this.given.get(flag.name)?.spelled ?? [];
    this.given.set(flag.name, {
      value: parseValue(flag, text),
      text,
      spelled: [...names, spelled],
    });
  }

  isSet(name: string): boolean {
    return this.given.has(name);
  }

  /** The names under which a flag was given: one may be its former, experimental name. */
  spellings(name: string): readonly string[] {
    return this.given.get(name)?.spelled ?? [];
  }

  /** Was it given, and another value than its default? */
  isChanged(flag: ServerFlag): boolean {
    const given = this.given.get(flag.name);
    if (given === undefined) return false;
    return String(given.value) !== String(initialValue(flag));
  }

  text(name: string): string {
    return this.value(name) as string;
  }

  bool(name: string): boolean {
    return this.value(name) as boolean;
  }

  /** Of a duration: milliseconds, with fractions. */
  number(name: string): number {
    return this.value(name) as number;
  }

  urls(name: string): string[] {
    return [...(this.value(name) as readonly string[])];
  }

  private value(name: string): Value {
    return this.given.get(name)?.value ?? initialValue(findServerFlag(name)!);
  }
}

function initialValue(flag: ServerFlag): Value {
  if (flag.kind === 'urls' && flag.initial === '') return [];
  return parseValue(flag, flag.initial);
}

function parseValue(flag: ServerFlag, text: string): Value {
  try {
    switch (flag.kind) {
      case 'string':
        return text;
      case 'choice':
        return choice(flag, text);
      case 'bool':
        return parseBool(text);
      case 'int':
        return integer(text, -(2n ** 63n), 2n ** 63n);
      case 'uint':
        return integer(text, 0n, 2n ** 64n);
      case 'uint32':
        return integer(text, 0n, 2n ** 32n);
      case 'duration':
        return Number(parseDuration(latin1FromUtf8(text))) / 1e6;
      case 'urls':
        return text === '' && flag.initial === '' ? [] : parseUrls(text);
    }
  } catch (error) {
    if (error instanceof ParseError) throw new FlagValueError('parse error', { cause: error });
    if (error instanceof UrlError) throw new FlagValueError(error.message, { cause: error });
    throw error;
  }
}

function choice(flag: ServerFlag, text: string): string {
  if (!flag.choices!.includes(text)) throw new FlagValueError('invalid value');
  return text;
}

/** `least <= value < end`; beyond 2^53 is out of range here, and past any sense for these flags. */
function integer(text: string, least: bigint, end: bigint): number {
  if (least === 0n && /^[+-]/.test(text)) throw new FlagValueError('parse error');
  const value = /^-?[1-9][0-9]*$/.test(text) ? BigInt(text) : parseInt64(text, 0);
  if (value < least || value >= end || !Number.isSafeInteger(Number(value))) {
    throw new FlagValueError('value out of range');
  }
  return Number(value);
}

export interface ServerArguments {
  values: ServerFlagValues;
  /** --help or -h was met; what stands behind it was not read. */
  help: boolean;
  /** Arguments from the first one on that is no flag. */
  rest: string[];
  /** Former flags that were read over. */
  former: string[];
}

/** Reads the command line. Throws {@link FlagSyntaxError}. */
export function parseServerArguments(args: readonly string[]): ServerArguments {
  const result: ServerArguments = {
    values: new ServerFlagValues(),
    help: false,
    rest: [],
    former: [],
  };
  const rest = [...args];
  while (rest.length > 0 && !result.help) {
    const word = rest[0]!;
    if (!word.startsWith('-') || word === '-') break;
    rest.shift();
    if (word === '--') break;
    readFlag(word, rest, result);
  }
  result.rest = rest;
  return result;
}

function readFlag(word: string, rest: string[], result: ServerArguments): void {
  const [, name, joined] = /^--?([^=]*)(?:=(.*))?$/s.exec(word)!;
  if (name === '' || name!.startsWith('-')) throw new FlagSyntaxError(`bad flag syntax: ${word}`);
  const flag = findServerFlag(name!);
  if (flag !== undefined) {
    setFlag(result.values, flag, name!, valueText(flag, name!, joined, rest));
  } else if (name === 'help' || name === 'h') {
    result.help = true;
  } else if (isFormerFlag(name!)) {
    result.former.push(name!);
  } else {
    throw new FlagSyntaxError(`flag provided but not defined: -${name}`);
  }
}

function valueText(
  flag: ServerFlag,
  name: string,
  joined: string | undefined,
  rest: string[],
): string {
  if (joined !== undefined) return joined;
  if (flag.kind === 'bool') return 'true';
  const next = rest.shift();
  if (next === undefined) throw new FlagSyntaxError(`flag needs an argument: -${name}`);
  return next;
}

function setFlag(values: ServerFlagValues, flag: ServerFlag, name: string, text: string): void {
  try {
    values.set(flag, text, name);
  } catch (error) {
    if (!(error instanceof FlagValueError)) throw error;
    const what =
      flag.kind === 'bool' ? `boolean value ${quoted(text)} for` : `value ${quoted(text)} for flag`;
    throw new FlagSyntaxError(`invalid ${what} -${name}: ${error.message}`, { cause: error });
  }
}
