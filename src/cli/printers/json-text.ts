/**
 * JSON as Go's encoding/json writes it: no blanks, 64-bit integers as plain numbers, bytes as base64,
 * `<`, `>` and `&` escaped in strings. Built as text: JSON.stringify knows no bigint.
 */
import { Buffer } from 'node:buffer';

/** Text of a JSON value. */
export type JsonText = string;

/** An object; members that are undefined are left out. */
export function jsonObject(members: Record<string, JsonText | undefined>): JsonText {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return `{${present.map(([name, value]) => `"${name}":${value}`).join(',')}}`;
}

export function jsonList(items: readonly JsonText[]): JsonText {
  return `[${items.join(',')}]`;
}

// oxlint-disable-next-line no-control-regex -- they are what must be escaped
const ESCAPED = /["\\<>&\u0000-\u001f\u2028\u2029]/g;

/** A string (UTF-16, not latin1). Only ASCII comes out unescaped as bytes; the rest as UTF-8 bytes. */
export function jsonString(text: string): JsonText {
  const escaped = text.replace(ESCAPED, escapeCharacter);
  return Buffer.from(`"${escaped}"`, 'utf8').toString('latin1');
}

const SHORT: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escapeCharacter(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** bytes (a latin1 string) as base64. */
export function jsonBytes(bytes: string): JsonText {
  return `"${Buffer.from(bytes, 'latin1').toString('base64')}"`;
}

/** The forms that leave out a zero value, as the tag `omitempty` does. */
export const nonZero = {
  int: (value: number | bigint): JsonText | undefined =>
    Number(value) === 0 ? undefined : `${value}`,
  bool: (value: boolean): JsonText | undefined => (value ? 'true' : undefined),
  string: (value: string): JsonText | undefined => (value === '' ? undefined : jsonString(value)),
  bytes: (value: string): JsonText | undefined => (value === '' ? undefined : jsonBytes(value)),
  list: (items: readonly JsonText[]): JsonText | undefined =>
    items.length === 0 ? undefined : jsonList(items),
};
