/**
 * Flags as etcdctl reads them (the rules of Go's pflag): flags and arguments may be mixed, `--name
 * value` and `--name=value` both work, a boolean takes a value only with `=`, single letters may be
 * joined (`-iw json`, `-wjson`), `--` ends the flags.
 *
 * yargs cannot be bent to this grammar: it takes `-key` apart into four letters instead of refusing
 * it, lets a boolean swallow the word `false` after it, rounds numbers beyond 2^53, and has its own
 * texts for errors that scripts match. So this file parses, and yargs lays out the help (help.ts).
 */
import { int64FromBigint, type Int64 } from '../api/index.js';
import { formatDuration, parseDuration } from './go-text/duration.js';
import { ParseError, parseBool, parseInt64, parseUint64 } from './go-text/numbers.js';
import { goQuote } from './go-text/quote.js';

export type FlagKind = 'bool' | 'string' | 'int' | 'uint' | 'duration' | 'list';

export interface FlagSpec {
  name: string;
  /** One letter, for `-w`. */
  short?: string;
  kind: FlagKind;
  /** Written as on the command line; absent is the zero of its kind. */
  initial?: string;
  /** One line for --help. */
  help: string;
  /** Heading that --help lists it under; absent is plain "Options". */
  group?: string;
}

/** A command line that the grammar refuses. The message is pflag's. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

type Value = boolean | string | Int64 | bigint | string[];

/** The values of a command's flags, and which of them were given. */
export class Flags {
  private readonly values = new Map<string, Value>();
  private readonly given = new Set<string>();
  private readonly specs: Map<string, FlagSpec>;

  constructor(specs: readonly FlagSpec[]) {
    this.specs = new Map(specs.map((spec) => [spec.name, spec]));
    for (const spec of specs) this.values.set(spec.name, initialValue(spec));
  }

  /** Was the flag on the command line? */
  isGiven(name: string): boolean {
    return this.given.has(name);
  }

  bool(name: string): boolean {
    return this.values.get(name) as boolean;
  }

  string(name: string): string {
    return this.values.get(name) as string;
  }

  int(name: string): Int64 {
    return this.values.get(name) as Int64;
  }

  uint(name: string): bigint {
    return this.values.get(name) as bigint;
  }

  /** Nanoseconds. */
  duration(name: string): bigint {
    return this.values.get(name) as bigint;
  }

  list(name: string): string[] {
    return this.values.get(name) as string[];
  }

  /** The value as Go prints it, for --debug. */
  print(name: string): string {
    const value = this.values.get(name)!;
    if (Array.isArray(value)) return `[${value.join(',')}]`;
    return this.specs.get(name)!.kind === 'duration'
      ? formatDuration(value as bigint)
      : String(value);
  }

  /** Sets a flag from its text, as given on the command line. Throws {@link ParseError}. */
  give(name: string, text: string): void {
    const spec = this.specs.get(name)!;
    const value = parseValue(spec.kind, text);
    const before = this.given.has(name) ? this.list(name) : [];
    this.values.set(name, Array.isArray(value) ? [...before, ...value] : value);
    this.given.add(name);
  }

  /** Sets a flag from the environment: it does not count as given. Throws {@link ParseError}. */
  preset(name: string, text: string): void {
    this.values.set(name, parseValue(this.specs.get(name)!.kind, text));
  }
}

function initialValue(spec: FlagSpec): Value {
  const zero = { bool: 'false', string: '', int: '0', uint: '0', duration: '0', list: '' }[
    spec.kind
  ];
  return parseValue(spec.kind, spec.initial ?? zero);
}

function parseValue(kind: FlagKind, text: string): Value {
  switch (kind) {
    case 'bool':
      return parseBool(text);
    case 'string':
      return text;
    case 'int':
      return int64FromBigint(parseInt64(text, 0));
    case 'uint':
      return parseUint64(text, 0);
    case 'duration':
      return parseDuration(text);
    case 'list':
      return text === '' ? [] : text.split(',');
  }
}

export interface ParsedFlags {
  flags: Flags;
  /** The arguments, without flags and without the first `--`. */
  positional: string[];
  /** How many of `positional` stood before `--`; all of them when there was none. */
  beforeSeparator: number;
  separated: boolean;
}

/** Reads a command's arguments. Throws {@link FlagError}. */
export function parseFlags(specs: readonly FlagSpec[], args: readonly string[]): ParsedFlags {
  const parser = new Parser(specs, args);
  return parser.parse();
}

class Parser {
  private readonly flags: Flags;
  private readonly byName: Map<string, FlagSpec>;
  private readonly byShort: Map<string, FlagSpec>;
  private readonly positional: string[] = [];
  private rest: string[];

  constructor(specs: readonly FlagSpec[], args: readonly string[]) {
    this.flags = new Flags(specs);
    this.byName = new Map(specs.map((spec) => [spec.name, spec]));
    this.byShort = new Map(specs.flatMap((spec) => (spec.short ? [[spec.short, spec]] : [])));
    this.rest = [...args];
  }

  parse(): ParsedFlags {
    while (this.rest.length > 0) {
      const word = this.rest.shift()!;
      if (word === '--') return this.result(true);
      if (word.startsWith('--')) this.long(word);
      else if (word.startsWith('-') && word !== '-') this.shorts(word);
      else this.positional.push(word);
    }
    return this.result(false);
  }

  private result(separated: boolean): ParsedFlags {
    const { flags, positional, rest } = this;
    const all = [...positional, ...rest];
    return { flags, positional: all, beforeSeparator: positional.length, separated };
  }

  private long(word: string): void {
    if (word[2] === '-' || word[2] === '=') throw new FlagError(`bad flag syntax: ${word}`);
    const [name, value] = splitOnce(word.slice(2));
    const spec = this.byName.get(name);
    if (spec === undefined) throw new FlagError(`unknown flag: --${name}`);
    this.set(spec, value ?? this.implied(spec, () => `--${name}`));
  }

  private shorts(word: string): void {
    for (let at = 1; at < word.length;) {
      const spec = this.byShort.get(word[at]!);
      const joinedFrom = `-${word.slice(at)}`;
      if (spec === undefined) {
        throw new FlagError(`unknown shorthand flag: ${quotedByte(word[at]!)} in ${joinedFrom}`);
      }
      const joined = word.slice(at + 1);
      if (joined.length > 1 && joined[0] === '=') return this.set(spec, joined.slice(1));
      if (spec.kind !== 'bool' && joined !== '') return this.set(spec, joined);
      this.set(
        spec,
        this.implied(spec, () => `${quotedByte(spec.short!)} in ${joinedFrom}`),
      );
      at++;
    }
  }

  /** The value of a flag that has none joined to it. */
  private implied(spec: FlagSpec, describe: () => string): string {
    if (spec.kind === 'bool') return 'true';
    const next = this.rest.shift();
    if (next === undefined) throw new FlagError(`flag needs an argument: ${describe()}`);
    return next;
  }

  private set(spec: FlagSpec, text: string): void {
    try {
      this.flags.give(spec.name, text);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      const name = spec.short ? `-${spec.short}, --${spec.name}` : `--${spec.name}`;
      throw new FlagError(
        `invalid argument ${goQuote(text)} for ${goQuote(name)} flag: ${error.message}`,
      );
    }
  }
}

function splitOnce(text: string): [string, string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** `%q` of one byte taken as a character. */
function quotedByte(byte: string): string {
  return `'${goQuote(byte).slice(1, -1)}'`;
}
