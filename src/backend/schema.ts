/** Keys and values of the small buckets, as etcd writes them. */
import { bytesFromLatin1, latin1FromBytes } from '../bytes/index.js';

/** Keys of bucket `meta`. */
export const MetaKey = {
  consistentIndex: 'consistent_index',
  term: 'term',
  confState: 'confState',
  scheduledCompactRev: 'scheduledCompactRev',
  finishedCompactRev: 'finishedCompactRev',
  storageVersion: 'storageVersion',
} as const;

/** Keys of bucket `cluster`. */
export const ClusterKey = { clusterVersion: 'clusterVersion', downgrade: 'downgrade' } as const;

/** A non-negative safe integer as 8 bytes, big endian. */
export function encodeUint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(value / 2 ** 32));
  view.setUint32(4, value >>> 0);
  return bytes;
}

/** The reverse; undefined when there are not 8 bytes or the number is past 2^53. */
export function decodeUint64(bytes: Uint8Array | undefined): number | undefined {
  if (bytes?.length !== 8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
  const value = view.getUint32(0) * 2 ** 32 + view.getUint32(4);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** A lease id as its bucket key: the int64, big endian. */
export function leaseKey(id: bigint): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, id);
  return latin1FromBytes(bytes);
}

export function leaseIdFromKey(key: string): bigint {
  const bytes = bytesFromLatin1(key);
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0);
}
