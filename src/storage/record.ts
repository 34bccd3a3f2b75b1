/**
 * A stored record: its bytes and, in the last four, their CRC-32, begun with a number that stands for
 * the key; so that neither a flipped bit nor a value under the wrong key is ever returned.
 */
import { crc32 } from 'node:zlib';

const CRC_BYTES = 4;

/** A record of `length` bytes with room for the checksum; {@link seal} it when it is filled in. */
export function newRecord(length: number): Buffer {
  return Buffer.allocUnsafe(length + CRC_BYTES);
}

/** Writes the checksum of a record that is filled in and returns the record. */
export function seal(key: Uint8Array, record: Buffer): Buffer {
  const end = record.length - CRC_BYTES;
  record.writeUInt32LE(crc32(record.subarray(0, end), keySeed(key)), end);
  return record;
}

/** A copy of `bytes` with the checksum behind. */
export function sealed(key: Uint8Array, bytes: Uint8Array): Buffer {
  const record = newRecord(bytes.length);
  record.set(bytes);
  return seal(key, record);
}

/** The bytes of a stored record (a view), or undefined when the checksum says that it is damaged. */
export function unseal(key: Uint8Array, record: Buffer): Buffer | undefined {
  const end = record.length - CRC_BYTES;
  if (end < 0) return undefined;
  const bytes = record.subarray(0, end);
  return crc32(bytes, keySeed(key)) === record.readUInt32LE(end) ? bytes : undefined;
}

/**
 * 32 bits of the key (FNV-1a: keys that differ in one byte never have the same). Keys are short, and
 * this is several times quicker than a second call of the native checksum.
 */
function keySeed(key: Uint8Array): number {
  let seed = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) seed = Math.imul(seed ^ key[i]!, 0x01000193);
  return seed >>> 0;
}
