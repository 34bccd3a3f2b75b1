/** A lease, and its record in bucket `lease`. */

/** Seconds; a longer TTL is refused (etcd's limit). */
export const MAX_TTL_SECONDS = 9_000_000_000;

export interface Lease {
  /** int64, never 0n. */
  readonly id: bigint;
  readonly ttlSeconds: number;
  /** What was left when last checkpointed; 0 when it was not since the last renewal. */
  checkpointedSeconds: number;
  /** Monotonic milliseconds at which it expires; Infinity on a member that is not primary. */
  expiryMs: number;
  readonly keys: Set<string>;
}

export function makeLease(id: bigint, ttlSeconds: number, checkpointedSeconds = 0): Lease {
  return { id, ttlSeconds, checkpointedSeconds, expiryMs: Infinity, keys: new Set() };
}

/** How long a new primary lets it live: what a checkpoint left, else its TTL. */
export function restartSeconds(lease: Lease): number {
  return lease.checkpointedSeconds > 0 ? lease.checkpointedSeconds : lease.ttlSeconds;
}

const Field = { id: 1, ttl: 2, remainingTtl: 3 } as const;

/** etcd's leasepb.Lease: ID, TTL and RemainingTTL as int64, zeros left out. */
export function encodeLease(lease: Lease): Uint8Array {
  const bytes: number[] = [];
  putField(bytes, Field.id, lease.id);
  putField(bytes, Field.ttl, BigInt(lease.ttlSeconds));
  putField(bytes, Field.remainingTtl, BigInt(lease.checkpointedSeconds));
  return Uint8Array.from(bytes);
}

/** The lease in a record; undefined when the bytes are no such message. Unknown numbers are skipped. */
export function decodeLease(bytes: Uint8Array): Lease | undefined {
  const values = new Map<number, bigint>();
  let offset = 0;
  while (offset < bytes.length) {
    const tag = readVarint(bytes, offset);
    const value = tag && readVarint(bytes, tag.end);
    if (!tag || !value || (tag.value & 7n) !== 0n) return undefined;
    values.set(Number(tag.value >> 3n), BigInt.asIntN(64, value.value));
    offset = value.end;
  }
  const at = (field: number) => values.get(field) ?? 0n;
  return makeLease(at(Field.id), Number(at(Field.ttl)), Number(at(Field.remainingTtl)));
}

function putField(bytes: number[], field: number, value: bigint): void {
  if (value === 0n) return;
  bytes.push(field << 3);
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
}

function readVarint(bytes: Uint8Array, offset: number): { value: bigint; end: number } | undefined {
  let value = 0n;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[offset + i];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: offset + i + 1 };
  }
  return undefined;
}
