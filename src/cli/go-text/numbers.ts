/** Go's parsers of numbers and booleans, with the texts of their errors. */
import { goQuote } from './quote.js';

/** Text that is not a value of the wanted kind. The message is Go's. */
export class ParseError extends Error {
  override readonly name = 'ParseError';
}

const INT64_MIN = -(1n << 63n);
const INT64_MAX = (1n << 63n) - 1n;

/**
 * strconv.ParseInt to 64 bits. Base 0 takes the base from a prefix (0x, 0o, 0b, 0) and allows
 * underscores between digits. Throws {@link ParseError}.
 */
export function parseInt64(text: string, base: 0 | 10 | 16): bigint {
  const sign = /^[+-]/.test(text) ? text[0]! : '';
  const magnitude = magnitudeOf(text.slice(sign.length), base);
  if (magnitude === undefined) throw parseIntError(text, 'invalid syntax');
  const value = sign === '-' ? -magnitude : magnitude;
  if (value < INT64_MIN || value > INT64_MAX) throw parseIntError(text, 'value out of range');
  return value;
}

/** strconv.ParseUint to 64 bits: as {@link parseInt64}, without a sign. Throws {@link ParseError}. */
export function parseUint64(text: string, base: 0 | 10 | 16): bigint {
  const value = magnitudeOf(text, base);
  const refusal = (why: string): ParseError =>
    new ParseError(`strconv.ParseUint: parsing ${goQuote(text)}: ${why}`);
  if (value === undefined) throw refusal('invalid syntax');
  if (value >= 1n << 64n) throw refusal('value out of range');
  return value;
}

function parseIntError(text: string, why: string): ParseError {
  return new ParseError(`strconv.ParseInt: parsing ${goQuote(text)}: ${why}`);
}

const BASE_ZERO: readonly [RegExp, string][] = [
  [/^0x(_?[0-9a-f]+)+$/i, '0x'],
  [/^0b(_?[01]+)+$/i, '0b'],
  [/^0o(_?[0-7]+)+$/i, '0o'],
];

function magnitudeOf(digits: string, base: 0 | 10 | 16): bigint | undefined {
  if (base === 10) return /^[0-9]+$/.test(digits) ? BigInt(digits) : undefined;
  if (base === 16) return /^[0-9a-fA-F]+$/.test(digits) ? BigInt('0x' + digits) : undefined;
  const plain = digits.replaceAll('_', '');
  for (const [pattern, prefix] of BASE_ZERO) {
    if (pattern.test(digits)) return BigInt(prefix + plain.slice(2));
  }
  if (/^0(_?[0-7]+)+$/.test(digits)) return BigInt('0o' + plain);
  return /^(0|[1-9](_?[0-9]+)*)$/.test(digits) ? BigInt(plain) : undefined;
}

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** strconv.ParseBool. Throws {@link ParseError}. */
export function parseBool(text: string): boolean {
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  throw new ParseError(`strconv.ParseBool: parsing ${goQuote(text)}: invalid syntax`);
}
