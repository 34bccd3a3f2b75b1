/** Help and usage: what a command is for, then its options as yargs lays them out. */
import { latin1FromUtf8 } from '../bytes/index.js';
import { GLOBAL_OPTIONS, flagsOf, type Command } from './command.js';
import type { FlagSpec } from './flag-set.js';

/** Columns of a terminal that help must fit. */
const WIDTH = 80;

/**
 * The help of the last command of `path`, as bytes. Global options are listed in the root's only: a
 * command's own help is to fit a screen.
 */
export async function helpText(path: readonly Command[]): Promise<string> {
  const root = path[0]!;
  const all = flagsOf(path);
  const flags =
    path.length === 1
      ? all.map((flag) => ({ group: GLOBAL_OPTIONS, ...flag }))
      : all.filter((flag) => !(root.sharedFlags ?? []).includes(flag));
  const blocks = [...headline(path), await optionsText(flags)];
  if (path.length > 1) blocks.push(`${GLOBAL_OPTIONS}: ${root.name} --help`);
  return latin1FromUtf8(blocks.join('\n\n') + '\n');
}

function headline(path: readonly Command[]): string[] {
  const command = path.at(-1)!;
  const subcommands = command.subcommands ?? [];
  const words = path.map(({ name }) => name).join(' ');
  const rest = command.synopsis ?? (subcommands.length > 0 ? '<command>' : '');
  const usage = ['Usage:', words, rest, '[options]'].filter((part) => part !== '').join(' ');
  const blocks = [`${usage}\n${command.summary}.`];
  if (command.details) blocks.push(command.details.join('\n'));
  if (command.examples) blocks.push(examplesText(path[0]!.name, command.examples));
  return [...blocks, ...commandBlocks(subcommands)];
}

function examplesText(program: string, examples: readonly (readonly [string, string])[]): string {
  const rows = examples.map(([line, meaning]) => [`${program} ${line}`, meaning] as const);
  return ['Examples:', ...columns(rows)].join('\n');
}

/** Commands by group: those of the last group serve the program, not the cluster. */
function commandBlocks(commands: readonly Command[]): string[] {
  const groups = [...new Set(commands.map(groupOf))];
  groups.sort((a, b) => Number(a === LAST_GROUP) - Number(b === LAST_GROUP));
  const rows = commands.map((command) => [wordsOf(command), command.summary] as const);
  const lines = columns(rows);
  return groups.map((group) =>
    [`${group}:`, ...lines.filter((_, i) => groupOf(commands[i]!) === group)].join('\n'),
  );
}

const LAST_GROUP = 'Other';

function groupOf(command: Command): string {
  return command.group ?? 'Commands';
}

/** A parent stands with its subcommands: `lease grant|revoke|list`. */
function wordsOf({ name, subcommands }: Command): string {
  if (subcommands === undefined) return name;
  return `${name} ${subcommands.map((command) => command.name).join('|')}`;
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

async function optionsText(flags: readonly FlagSpec[]): Promise<string> {
  const { default: yargs } = await import('yargs');
  const parser = yargs([]).usage('').wrap(WIDTH).version(false).help(false).locale('en');
  for (const flag of flags) {
    parser.option(flag.name, {
      ...(flag.short === undefined ? {} : { alias: flag.short }),
      describe: flag.initial === undefined ? flag.help : `${flag.help} (${flag.initial})`,
      group: `${flag.group ?? 'Options'}:`,
    });
  }
  return (await parser.getHelp()).trim();
}
