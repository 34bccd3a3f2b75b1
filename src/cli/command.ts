/**
 * What a command is, and how the words of a command line find one (the rules of Go's cobra, which
 * etcdctl uses): words may be abbreviated to an unambiguous prefix, and flags may stand before them.
 */
import type { FlagSpec, ParsedFlags } from './flag-set.js';
import type { Output } from './output.js';
import type { Session } from './session.js';

/**
 * Does a command's work. Yields what there is to print, in order; the caller prints. The returned
 * number is the exit code (0 if none). Refusals are thrown.
 */
export type RunCommand = (
  invocation: ParsedFlags,
  session: Session,
) => AsyncGenerator<Output, number | void>;

export interface Command {
  name: string;
  /** One line for lists of commands. */
  summary: string;
  /** Heading that --help lists it under. */
  group?: string;
  /** Arguments as --help shows them: `<key> [range_end]`. */
  synopsis?: string;
  /** Lines below the synopsis in --help. */
  details?: readonly string[];
  /** Command lines for --help, each with what it does. */
  examples?: readonly (readonly [string, string])[];
  flags?: readonly FlagSpec[];
  /** Flags that the subcommands have as well. */
  sharedFlags?: readonly FlagSpec[];
  subcommands?: readonly Command[];
  /** Imports the code of the command: start-up pays only for what is run. */
  load?: () => Promise<RunCommand>;
}

/** A program: its commands, and how it refuses a line that its grammar does not have. */
export interface Program {
  root: Command;
  /**
   * Commands of the program that this one stands in for, which it does not have: an abbreviation that
   * could mean one of them means nothing, so that a script's `l g 60` does not change its meaning from
   * one version to another.
   */
  reserved: readonly string[];
  /**
   * Where the usage goes when a flag is wrong. `stdout`: only the error goes to stderr, with an empty
   * line. `stderr`: both, the error before and again after, as cobra does where nobody has told it not to.
   */
  usageErrors: 'stdout' | 'stderr';
}

/** Where the words of a command line lead. */
export interface Found {
  /** From the root to the command. */
  path: Command[];
  /** The arguments without the words that named it. */
  args: string[];
  /** The word that names no command, when the root was left with one. */
  unknown?: string;
}

/** Heading of the options that every command has. */
export const GLOBAL_OPTIONS = 'Global options';

export const HELP_FLAG: FlagSpec = {
  name: 'help',
  short: 'h',
  kind: 'bool',
  help: 'Show this help',
};

/** All flags of the last command of `path`: its own, those shared from above, and --help. */
export function flagsOf(path: readonly Command[]): FlagSpec[] {
  const shared = path.flatMap((command) => command.sharedFlags ?? []);
  return [...(path.at(-1)!.flags ?? []), HELP_FLAG, ...shared];
}

/**
 * Follows the words of `args` from `root`. `reserved` are names that count when a prefix is checked
 * for ambiguity although this build has no such command.
 */
export function findCommand(
  root: Command,
  args: readonly string[],
  reserved: readonly string[] = [],
): Found {
  const path = [root];
  let rest = [...args];
  for (;;) {
    const command = path.at(-1)!;
    const at = firstWordIndex(rest, knownFlags(path));
    if (at < 0) return { path, args: rest };
    const next = subcommandFor(command, rest[at]!, command === root ? reserved : []);
    if (next === undefined) {
      return command === root ? { path, args: rest, unknown: rest[at]! } : { path, args: rest };
    }
    path.push(next);
    rest = rest.toSpliced(at, 1);
  }
}

/** --help is not known before the command is (as in cobra): `-h lease` asks for the root's help. */
function knownFlags(path: readonly Command[]): FlagSpec[] {
  return flagsOf(path).filter((flag) => flag !== HELP_FLAG);
}

/**
 * The first argument that is neither a flag nor a flag's value. A flag that is not known, or not a
 * boolean, takes the argument after it.
 */
function firstWordIndex(args: readonly string[], flags: readonly FlagSpec[]): number {
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (word === '--') return -1;
    if (takesNext(word, flags)) at++;
    else if (word !== '' && !word.startsWith('-')) return at;
  }
  return -1;
}

function takesNext(word: string, flags: readonly FlagSpec[]): boolean {
  if (word.includes('=')) return false;
  if (word.startsWith('--')) return !isBool(flags.find((flag) => flag.name === word.slice(2)));
  if (!word.startsWith('-') || word.length !== 2) return false;
  return !isBool(flags.find((flag) => flag.short === word[1]));
}

function isBool(flag: FlagSpec | undefined): boolean {
  return flag?.kind === 'bool';
}

function subcommandFor(
  parent: Command,
  word: string,
  reserved: readonly string[],
): Command | undefined {
  const all = parent.subcommands ?? [];
  const exact = all.find((command) => command.name === word);
  if (exact !== undefined || reserved.includes(word)) return exact;
  const matches = all.filter((command) => command.name.startsWith(word));
  const others = reserved.filter((name) => name.startsWith(word));
  return matches.length + others.length === 1 ? matches[0] : undefined;
}

/** Commands that `word` may have been meant for: at most two typing errors away, or begun by it. */
export function suggestions(parent: Command, word: string): string[] {
  const lower = word.toLowerCase();
  return (parent.subcommands ?? [])
    .map((command) => command.name)
    .filter((name) => editDistance(lower, name) <= 2 || name.startsWith(lower));
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
