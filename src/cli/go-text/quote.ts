/** Go's quoted strings: `%q` (strconv.Quote) and back (strconv.Unquote). Latin1 strings both ways. */
import { decodeRune, encodeRune, isRune } from './utf8.js';

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const SHORT_ESCAPES = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** `%q`: printable runes stand for themselves; of the blanks only U+0020 is printable. */
export function goQuote(text: string): string {
  let result = '"';
  for (let at = 0; at < text.length;) {
    const { code, size, valid } = decodeRune(text, at);
    result += valid ? quotedRune(code) : `\\x${hex(text.charCodeAt(at), 2)}`;
    at += size;
  }
  return result + '"';
}

/** `%q` of a slice of strings: the quoted elements, blanks between, in brackets. */
export function goQuoteAll(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}

function quotedRune(code: number): string {
  const character = String.fromCodePoint(code);
  const short = SHORT_ESCAPES.get(character);
  if (short !== undefined) return short;
  if (PRINTABLE.test(character)) return encodeRune(code);
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/** What a quoted literal ("…" or `…`) says, or undefined when it is not one. */
export function goUnquote(literal: string): string | undefined {
  const quote = literal[0];
  if (literal.length < 2 || literal.at(-1) !== quote) return undefined;
  const inner = literal.slice(1, -1);
  if (quote === '`') return inner.includes('`') ? undefined : inner.replaceAll('\r', '');
  return quote === '"' ? unescape(inner) : undefined;
}

function unescape(inner: string): string | undefined {
  let result = '';
  for (let at = 0; at < inner.length;) {
    const step = inner[at] === '\\' ? escapeAt(inner, at) : plainAt(inner, at);
    if (step === undefined) return undefined;
    result += step.text;
    at += step.size;
  }
  return result;
}

interface Step {
  text: string;
  size: number;
}

function plainAt(inner: string, at: number): Step | undefined {
  if (inner[at] === '"' || inner[at] === '\n') return undefined;
  const { code, size } = decodeRune(inner, at);
  return { text: encodeRune(code), size };
}

const LONG_ESCAPES: Record<string, { digits: number; pattern: RegExp }> = {
  x: { digits: 2, pattern: /^[0-9a-fA-F]{2}$/ },
  u: { digits: 4, pattern: /^[0-9a-fA-F]{4}$/ },
  U: { digits: 8, pattern: /^[0-9a-fA-F]{8}$/ },
};

function escapeAt(inner: string, at: number): Step | undefined {
  const kind = inner[at + 1];
  if (kind === undefined) return undefined;
  for (const [character, escape] of SHORT_ESCAPES) {
    if (escape[1] === kind) return { text: character, size: 2 };
  }
  if (kind >= '0' && kind <= '7') return octalAt(inner, at);
  const long = LONG_ESCAPES[kind];
  if (long === undefined) return undefined;
  const digits = inner.slice(at + 2, at + 2 + long.digits);
  if (!long.pattern.test(digits)) return undefined;
  const code = Number.parseInt(digits, 16);
  if (kind === 'x') return { text: String.fromCharCode(code), size: 4 };
  return isRune(code) ? { text: encodeRune(code), size: 2 + long.digits } : undefined;
}

function octalAt(inner: string, at: number): Step | undefined {
  const digits = inner.slice(at + 1, at + 4);
  if (!/^[0-3][0-7]{2}$/.test(digits)) return undefined;
  return { text: String.fromCharCode(Number.parseInt(digits, 8)), size: 4 };
}
