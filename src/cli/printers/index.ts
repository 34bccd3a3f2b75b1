/** The output formats by name. */
import { CommandError, ExitCode } from '../exit.js';
import type { Result } from '../output.js';
import { printFields } from './fields.js';
import { printJson } from './json.js';
import { printProtobuf } from './protobuf.js';
import { printSimple } from './simple.js';
import { printTable } from './table.js';

/** Turns an answer into bytes (a latin1 string). `hex` is the flag --hex. */
export type Printer = (result: Result, hex: boolean) => string;

const printers: Record<string, Printer> = {
  simple: printSimple,
  json: printJson,
  fields: printFields,
  table: printTable,
  protobuf: printProtobuf,
};

/** The printer of a format. An unknown one ends the command with exit code 4. */
export function printerFor(format: string): Printer {
  if (!Object.hasOwn(printers, format)) {
    throw new CommandError(ExitCode.badFeature, 'unsupported output format');
  }
  return printers[format]!;
}
