/**
 * A snapshot file: a bbolt file, then the 32 bytes of its SHA-256. Pages are larger than 32 bytes and
 * a multiple of 512 in number of bytes, so the size alone tells whether the trailer is there.
 */
import { createHash } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { BoltError } from './errors.js';
import type { RandomAccess } from './random-access.js';
import { prefixAccess } from './random-access.js';

export const SHA256_BYTES = 32;
const SECTOR_BYTES = 512;
const READ_BYTES = 256 * 1024;

/** Does a snapshot file of this size end with a SHA-256? */
export function hasSha256(sizeBytes: number): boolean {
  return sizeBytes % SECTOR_BYTES === SHA256_BYTES;
}

/** `content`, then its SHA-256 as a chunk of its own. Hashes while it passes the chunks on. */
export async function* withSha256(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
  yield hash.digest();
}

/** What `snapshot save` requires of what it received; MISSING_HASH with etcd's text. */
export function requireSha256(sizeBytes: number): void {
  if (hasSha256(sizeBytes)) return;
  throw new BoltError('MISSING_HASH', `sha256 checksum not found [bytes: ${sizeBytes}]`);
}

export interface OpenSnapshotOptions {
  /** Accept a file without a SHA-256 or with a wrong one (a database file copied from a data dir). */
  skipHashCheck?: boolean;
}

/**
 * The bbolt file in a snapshot file, as restore takes it: without the SHA-256, if it ends with one,
 * which is verified unless `skipHashCheck`. Rejects with MISSING_HASH or HASH_MISMATCH, in etcd's
 * words.
 */
export async function openSnapshotFile(
  access: RandomAccess,
  { skipHashCheck = false }: OpenSnapshotOptions = {},
): Promise<RandomAccess> {
  const hashed = hasSha256(access.size);
  if (!hashed && !skipHashCheck) {
    throw new BoltError('MISSING_HASH', 'snapshot missing hash but --skip-hash-check=false');
  }
  if (!hashed) return access;
  const content = prefixAccess(access, access.size - SHA256_BYTES);
  if (!skipHashCheck) await verify(content, await access.read(content.size, SHA256_BYTES));
  return content;
}

async function verify(content: RandomAccess, expected: Uint8Array): Promise<void> {
  const actual = await sha256(content);
  if (Buffer.compare(actual, expected) === 0) return;
  throw new BoltError(
    'HASH_MISMATCH',
    `expected sha256 ${decimals(expected)}, got ${decimals(actual)}`,
  );
}

async function sha256(content: RandomAccess): Promise<Uint8Array> {
  const hash = createHash('sha256');
  for (let offset = 0; offset < content.size; offset += READ_BYTES) {
    hash.update(await content.read(offset, Math.min(READ_BYTES, content.size - offset)));
  }
  return hash.digest();
}

/** As Go prints bytes: [1 2 255]. */
function decimals(bytes: Uint8Array): string {
  return `[${bytes.join(' ')}]`;
}
