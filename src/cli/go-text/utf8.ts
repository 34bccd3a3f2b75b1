/**
 * Go's view of text: a string is bytes, read as UTF-8 rune by rune. Text in this room is latin1
 * strings (a character a byte), so this is the one place that decodes them.
 */
import { Buffer } from 'node:buffer';

export interface Rune {
  /** The code point, or U+FFFD for a byte that starts no valid sequence. */
  code: number;
  /** Bytes it takes; 1 for an invalid one. */
  size: number;
  valid: boolean;
}

/** The rune at byte `at` of a non-empty rest. Overlong forms, surrogates and > U+10FFFF are invalid. */
export function decodeRune(text: string, at: number): Rune {
  const first = text.charCodeAt(at);
  if (first < 0x80) return { code: first, size: 1, valid: true };
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  let code = first & (0x7f >> size);
  for (let i = 1; i < size; i++) {
    const byte = text.charCodeAt(at + i);
    if ((byte & 0xc0) !== 0x80) return INVALID;
    code = (code << 6) | (byte & 0x3f);
  }
  const smallest = size === 2 ? 0x80 : size === 3 ? 0x800 : 0x10000;
  const proper = first >= 0xc2 && first <= 0xf4 && code >= smallest && isRune(code);
  return proper ? { code, size, valid: true } : INVALID;
}

const INVALID: Rune = { code: 0xfffd, size: 1, valid: false };

/** A code point that UTF-8 may hold. */
export function isRune(code: number): boolean {
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

/** The UTF-8 bytes of a code point. */
export function encodeRune(code: number): string {
  return code < 0x80 ? String.fromCharCode(code) : bytes(String.fromCodePoint(code));
}

/** `text` with every byte that is not UTF-8 replaced by U+FFFD, as Go does when it reads runes. */
export function replaceInvalid(text: string): string {
  let result = '';
  for (let at = 0; at < text.length;) {
    const { code, size } = decodeRune(text, at);
    result += encodeRune(code);
    at += size;
  }
  return result;
}

function bytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
