/** The lines of a transaction: comparisons, and requests written as command lines. */
import { CompareResult, CompareTarget, int64FromBigint, type Compare } from '../../api/index.js';
import { CommandError, ExitCode } from '../exit.js';
import { ParseError, parseInt64 } from '../go-text/numbers.js';
import { goQuote } from '../go-text/quote.js';
import { Scanner } from '../go-text/scan.js';
import { splitWords } from '../go-text/words.js';

/** A line on standard input that is not what it should be. */
export function invalidInput(message: string): CommandError {
  return new CommandError(ExitCode.invalidInput, message);
}

/** The words of a line. Ends the command on a malformed string literal, as etcdctl does. */
export function wordsOf(line: string): string[] {
  const words = splitWords(line);
  if (words === undefined) throw invalidInput('invalid syntax');
  return words;
}

const RESULTS: Record<string, number> = {
  '=': CompareResult.equal,
  '!=': CompareResult.notEqual,
  '<': CompareResult.less,
  '>': CompareResult.greater,
};

/**
 * `target("key") op "value"`, as in `mod("k") > "0"`. Key and value are Go string literals; a lease
 * is compared in hex, other numbers in decimal.
 */
export function parseCompare(text: string): Compare {
  const open = text.indexOf('(');
  if (open < 0) throw malformed(text);
  const target = text.slice(0, open);
  const { key, op, value } = scanCompare(text, target, text.slice(open + 1));
  const compare = targetOf(text, target, value);
  const result = RESULTS[op];
  // Where etcdctl panics (exit code 2), a refusal.
  if (result === undefined) throw malformed(text, ` (unknown operator ${op})`);
  return { result, key, rangeEnd: '', ...compare };
}

interface Scanned {
  key: string;
  op: string;
  value: string;
}

function scanCompare(text: string, target: string, rest: string): Scanned {
  const scanner = new Scanner(rest);
  const key = scanner.quoted();
  const closed = key !== undefined && scanner.literal(')') && scanner.blank();
  const op = closed ? scanner.word() : undefined;
  const spaced = op !== undefined && scanner.blank();
  const value = spaced ? scanner.quoted() : undefined;
  if (key !== undefined && op !== undefined && value !== undefined) return { key, op, value };
  const got = `${target}(${goQuote(key ?? '')}) ${op ?? ''} ${goQuote(value ?? '')}`;
  throw malformed(text, `; got ${got}`);
}

function targetOf(
  text: string,
  target: string,
  value: string,
): Pick<Compare, 'target' | 'operand'> {
  switch (target) {
    case 'ver':
    case 'version':
      return { target: CompareTarget.version, operand: decimal(text, 'version', value) };
    case 'c':
    case 'create':
      return { target: CompareTarget.create, operand: decimal(text, 'create', value) };
    case 'm':
    case 'mod':
      return { target: CompareTarget.mod, operand: decimal(text, 'mod', value) };
    case 'val':
    case 'value':
      return { target: CompareTarget.value, operand: { kind: 'value', value } };
    case 'lease':
      return {
        target: CompareTarget.lease,
        operand: { kind: 'lease', value: integer(text, value, 16) },
      };
    default:
      throw malformed(text, ` (unknown target ${target})`);
  }
}

type NumberKind = 'version' | 'create' | 'mod';

function decimal(text: string, kind: NumberKind, value: string): NonNullable<Compare['operand']> {
  return { kind, value: int64FromBigint(integer(text, value, 10)) };
}

function integer(text: string, value: string, base: 10 | 16): bigint {
  try {
    return parseInt64(value, base);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw invalidInput(`invalid txn compare request: ${text}`);
  }
}

function malformed(text: string, detail = ''): CommandError {
  return invalidInput(`malformed comparison: ${text}${detail}`);
}
