/**
 * Revisions and the keys of bucket `key`.
 *
 * A revision is (main, sub): main counts writing requests, sub the changes within one. A record's key
 * is 17 bytes, big endian: 8 of main, '_', 8 of sub; a tombstone's has a trailing 't'. So byte order is
 * the order in which changes happened.
 */

export interface Revision {
  readonly main: number;
  readonly sub: number;
}

/** Length of a record's key; a tombstone's is one longer. */
export const RECORD_KEY_BYTES = 17;

const SEPARATOR = 0x5f;
const TOMBSTONE_MARK = 't';
const TOMBSTONE_MARK_CODE = 0x74;

/** The record key of (main, sub) as a latin1 string. Both are integers from 0 to 2^53 - 1. */
export function recordKey(main: number, sub: number, tombstone = false): string {
  const mainHigh = Math.floor(main / 0x1_0000_0000);
  const subHigh = Math.floor(sub / 0x1_0000_0000);
  const key = String.fromCharCode(
    0,
    mainHigh >>> 16,
    (mainHigh >>> 8) & 0xff,
    mainHigh & 0xff,
    (main >>> 24) & 0xff,
    (main >>> 16) & 0xff,
    (main >>> 8) & 0xff,
    main & 0xff,
    SEPARATOR,
    0,
    subHigh >>> 16,
    (subHigh >>> 8) & 0xff,
    subHigh & 0xff,
    (sub >>> 24) & 0xff,
    (sub >>> 16) & 0xff,
    (sub >>> 8) & 0xff,
    sub & 0xff,
  );
  return tombstone ? key + TOMBSTONE_MARK : key;
}

/** The first record key that any record of revision `main` can have: where a scan begins. */
export function firstRecordKey(main: number): string {
  return recordKey(main, 0);
}

/** Main of a record key. The key must be well formed, see {@link isRecordKey}. */
export function mainOfRecordKey(key: string): number {
  return uint64At(key, 0);
}

/** Sub of a record key. */
export function subOfRecordKey(key: string): number {
  return uint64At(key, 9);
}

/** Does the record key carry the tombstone mark? */
export function isTombstoneKey(key: string): boolean {
  return key.length === RECORD_KEY_BYTES + 1;
}

/** Is `key` 17 bytes (18 with the mark) that hold two integers below 2^53 around the separator? */
export function isRecordKey(key: string): boolean {
  const marked = key.length === RECORD_KEY_BYTES + 1;
  if (!marked && key.length !== RECORD_KEY_BYTES) return false;
  if (marked && key.charCodeAt(RECORD_KEY_BYTES) !== TOMBSTONE_MARK_CODE) return false;
  return key.charCodeAt(8) === SEPARATOR && isSafeAt(key, 0) && isSafeAt(key, 9);
}

function uint64At(key: string, offset: number): number {
  return uint32At(key, offset) * 0x1_0000_0000 + uint32At(key, offset + 4);
}

function uint32At(key: string, offset: number): number {
  return (
    key.charCodeAt(offset) * 0x100_0000 +
    ((key.charCodeAt(offset + 1) << 16) |
      (key.charCodeAt(offset + 2) << 8) |
      key.charCodeAt(offset + 3))
  );
}

function isSafeAt(key: string, offset: number): boolean {
  return key.charCodeAt(offset) === 0 && key.charCodeAt(offset + 1) < 0x20;
}
