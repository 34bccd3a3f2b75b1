/** Requests, answers and values as short text, under etcd's own names, for people. */
import { EtcdError } from '../../api/index.js';
import { statusText } from '../go-text/status.js';

/** Longer strings are cut. */
const LONGEST_TEXT = 80;
/** Longer lists are cut. */
const LONGEST_LIST = 12;

/** The names that are not their camelCase form in snake_case. */
const NAMES: Readonly<Record<string, string>> = {
  id: 'ID',
  ttl: 'TTL',
  grantedTtl: 'grantedTTL',
  peerUrls: 'peerURLs',
  clientUrls: 'clientURLs',
};

/**
 * A value in a form like JSON's, without the fields that are zero, with bytes as text. Every occurrence
 * of a string in `shorter` is replaced.
 */
export function show(value: unknown, shorter: readonly (readonly [string, string])[] = []): string {
  if (value instanceof EtcdError) return statusText(value.code, value.message);
  if (value instanceof Error) return value.message;
  if (typeof value === 'string') return showBytes(value, shorter);
  if (value instanceof Uint8Array) return showBytes(Buffer.from(value).toString('latin1'), shorter);
  if (Array.isArray(value)) return showList(value, shorter);
  if (typeof value === 'object' && value !== null) return showObject(value, shorter);
  return String(value);
}

function showList(
  values: readonly unknown[],
  shorter: readonly (readonly [string, string])[],
): string {
  const shown = values.slice(0, LONGEST_LIST).map((value) => show(value, shorter));
  if (values.length > LONGEST_LIST) shown.push(`… ${values.length} in all`);
  return `[${shown.join(', ')}]`;
}

function showObject(value: object, shorter: readonly (readonly [string, string])[]): string {
  const fields = Object.entries(value)
    .filter(([, field]) => !isZero(field))
    .map(([name, field]) => `${nameOf(name)}: ${show(field, shorter)}`);
  return fields.length === 0 ? '{}' : `{${fields.join(', ')}}`;
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === 0 || value === 0n || value === '' || value === false;
}

function nameOf(name: string): string {
  return NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function showBytes(bytes: string, shorter: readonly (readonly [string, string])[]): string {
  let text = bytes;
  for (const [long, short] of shorter) text = text.replaceAll(long, short);
  if (text.length > LONGEST_TEXT) {
    return `"${escaped(text.slice(0, 24))}…" (${text.length} bytes)`;
  }
  return `"${escaped(text)}"`;
}

function escaped(text: string): string {
  return text.replace(/[^ !#-[\]-~…]/g, (char) => {
    if (char === '"' || char === '\\') return `\\${char}`;
    return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}
