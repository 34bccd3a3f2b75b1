/** What a program gets of a stored pair: text or bytes, whichever it wants. */
import type { KeyValue } from '../api/index.js';
import {
  bytesFromLatin1,
  latin1FromBytes,
  latin1FromUtf8,
  utf8FromLatin1,
} from '../bytes/index.js';

/** Keys and values go in as bytes, or as text that is stored as UTF-8. */
export type Bytes = string | Uint8Array;

/** The in-memory form of what a caller passed. */
export function latin1Of(bytes: Bytes): string {
  return typeof bytes === 'string' ? latin1FromUtf8(bytes) : latin1FromBytes(bytes);
}

/** One revision of one key. */
export class Pair {
  readonly #kv: KeyValue;

  constructor(kv: KeyValue) {
    this.#kv = kv;
  }

  /** The key read as UTF-8. */
  get key(): string {
    return utf8FromLatin1(this.#kv.key);
  }

  get keyBytes(): Uint8Array {
    return bytesFromLatin1(this.#kv.key);
  }

  /** The value read as UTF-8. */
  get value(): string {
    return utf8FromLatin1(this.#kv.value);
  }

  get valueBytes(): Uint8Array {
    return bytesFromLatin1(this.#kv.value);
  }

  /** Revision that created the key; 0 in what a delete event carries. */
  get createRevision(): number {
    return this.#kv.createRevision;
  }

  /** Revision of this change. */
  get modRevision(): number {
    return this.#kv.modRevision;
  }

  /** Changes since creation, from 1. */
  get version(): number {
    return this.#kv.version;
  }

  /** Attached lease, 0n for none. */
  get lease(): bigint {
    return this.#kv.lease;
  }
}

/** The end of the range of all keys that begin with `prefix` ('' begins every key). */
export function prefixEnd(prefix: string): string {
  for (let i = prefix.length - 1; i >= 0; i--) {
    const code = prefix.charCodeAt(i);
    if (code < 0xff) return prefix.slice(0, i) + String.fromCharCode(code + 1);
  }
  return '\0';
}
