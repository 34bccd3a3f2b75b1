/** The keyspace at one instant, as the ordered buckets that a bbolt file is written from. */
import { BUCKETS, type BackendSnapshot, type Bucket, type Pair } from '../backend/index.js';
import type { BoltSource } from '../bolt/index.js';

const PAIRS_PER_CHUNK = 1000;

/** Walks a frozen view; it may be walked again and gives the same. */
export function boltSourceOf(snapshot: BackendSnapshot): BoltSource {
  return {
    buckets: () => BUCKETS,
    pairs: (bucket) => chunks(snapshot, bucket as Bucket),
  };
}

async function* chunks(snapshot: BackendSnapshot, bucket: Bucket): AsyncGenerator<Pair[]> {
  let from = '';
  for (;;) {
    const pairs = await snapshot.scan(bucket, { from, limit: PAIRS_PER_CHUNK });
    if (pairs.length > 0) yield pairs;
    if (pairs.length < PAIRS_PER_CHUNK) return;
    from = pairs.at(-1)![0] + '\0';
  }
}
