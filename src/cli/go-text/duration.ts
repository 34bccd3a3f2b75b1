/** Go's durations: `1h2m3.5s` and back. In memory a duration is nanoseconds as a bigint. */
import { ParseError } from './numbers.js';
import { goQuote } from './quote.js';

const UNITS: Record<string, bigint> = {
  ns: 1n,
  us: 1000n,
  // The two spellings of the micro sign, as UTF-8 bytes.
  '\xc2\xb5s': 1000n,
  '\xce\xbcs': 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const LARGEST = (1n << 63n) - 1n;

/** time.ParseDuration. Throws {@link ParseError} with Go's text. */
export function parseDuration(text: string): bigint {
  const sign = /^[+-]/.test(text) ? text[0]! : '';
  let rest = text.slice(sign.length);
  if (rest === '0') return 0n;
  if (rest === '') throw invalid(text);
  let total = 0n;
  while (rest !== '') {
    const [whole, number, unit] = /^((?:[0-9]+\.?[0-9]*|\.[0-9]+)?)([^0-9.]*)/.exec(rest)!;
    if (number === '') throw invalid(text);
    total += amount(text, number!, unit!);
    if (total > LARGEST) throw invalid(text);
    rest = rest.slice(whole.length);
  }
  return sign === '-' ? -total : total;
}

function amount(text: string, number: string, unit: string): bigint {
  if (unit === '') throw new ParseError(`time: missing unit in duration ${goQuote(text)}`);
  const nanoseconds = UNITS[unit];
  if (nanoseconds === undefined) {
    throw new ParseError(`time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`);
  }
  const [whole, fraction = ''] = number.split('.');
  const scale = 10n ** BigInt(fraction.length);
  return BigInt(whole || '0') * nanoseconds + (BigInt(fraction || '0') * nanoseconds) / scale;
}

function invalid(text: string): ParseError {
  return new ParseError(`time: invalid duration ${goQuote(text)}`);
}

/** Duration.String: `2m0s`, `5.27ms`, `0s`. The micro sign comes as UTF-8 bytes. */
export function formatDuration(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? '-' : '';
  const value = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (value === 0n) return '0s';
  if (value < 1000n) return `${sign}${value}ns`;
  if (value < 1_000_000n) return `${sign}${decimal(value, 3)}\xc2\xb5s`;
  if (value < 1_000_000_000n) return `${sign}${decimal(value, 6)}ms`;
  return sign + clock(value);
}

function clock(value: bigint): string {
  const minutes = value / 60_000_000_000n;
  const seconds = `${decimal(value % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${minutes}m${seconds}` : `${hours}h${minutes % 60n}m${seconds}`;
}

/** value / 10^digits without trailing zeros. */
function decimal(value: bigint, digits: number): string {
  const scale = 10n ** BigInt(digits);
  const fraction = (value % scale).toString().padStart(digits, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / scale}` : `${value / scale}.${fraction}`;
}
