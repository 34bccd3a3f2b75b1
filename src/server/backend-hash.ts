/**
 * Maintenance.Hash: CRC-32C over every bucket's name, keys and values in order, but for the records
 * that legitimately differ between members at one revision.
 */
import { BUCKETS, type Backend, type Bucket, MetaKey } from '../backend/index.js';
import { crc32c, crc32cLatin1 } from '../bytes/index.js';

const SKIPPED: ReadonlySet<string> = new Set([
  MetaKey.consistentIndex,
  MetaKey.term,
  MetaKey.storageVersion,
]);
const PAIRS_PER_SLICE = 1000;

/** Of the content as of the call; writes go on meanwhile. */
export async function hashBackend(backend: Backend): Promise<number> {
  const view = backend.snapshot();
  try {
    let crc = 0;
    for (const bucket of BUCKETS) crc = await hashBucket(bucket, crcOfName(bucket, crc));
    return crc;
  } finally {
    await view.close();
  }

  async function hashBucket(bucket: Bucket, start: number): Promise<number> {
    let crc = start;
    let from = '';
    for (;;) {
      const pairs = await view.scan(bucket, { from, limit: PAIRS_PER_SLICE });
      for (const [key, value] of pairs) {
        if (bucket === 'meta' && SKIPPED.has(key)) continue;
        crc = crc32c(value, crc32cLatin1(key, crc));
      }
      if (pairs.length < PAIRS_PER_SLICE) return crc;
      from = pairs.at(-1)![0] + '\0';
    }
  }
}

function crcOfName(bucket: Bucket, crc: number): number {
  return crc32cLatin1(bucket, crc);
}
