/** How buckets lie in one LevelDB: a byte for the bucket, then the bucket's key. */
import { BUCKETS, type Bucket } from '../backend/index.js';
import { writeLatin1 } from '../bytes/index.js';

/** Key byte of the store's own records; buckets follow in their order, from 1. */
const OWN = 0;

/** Format version and sum of live bytes, see {@link encodeTally}. */
export const TALLY_KEY = Buffer.of(OWN, 1);
/** Behind every bucket, with nothing in it, see Keyspace.defragment. */
export const END_KEY = Buffer.of(0xfe);
const FORMAT = 1;

const numbers = new Map(BUCKETS.map((bucket, i) => [bucket, i + 1]));

export function keyspaceKey(bucket: Bucket, key: string): Buffer {
  const bytes = Buffer.allocUnsafe(1 + key.length);
  bytes[0] = numbers.get(bucket)!;
  writeLatin1(bytes, 1, key);
  return bytes;
}

/** The first possible key behind `bucket`. */
export function keyspaceEnd(bucket: Bucket): Buffer {
  return Buffer.of(numbers.get(bucket)! + 1);
}

/** What each batch carries beside its changes: the bytes of all live keys and values after it. */
export function encodeTally(liveBytes: number): Uint8Array {
  const bytes = Buffer.alloc(9);
  bytes[0] = FORMAT;
  bytes.writeBigUInt64BE(BigInt(liveBytes), 1);
  return bytes;
}

/** Live bytes, or undefined when the record is of another format. */
export function decodeTally(bytes: Buffer): number | undefined {
  if (bytes.length !== 9 || bytes[0] !== FORMAT) return undefined;
  return Number(bytes.readBigUInt64BE(1));
}
