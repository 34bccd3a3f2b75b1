/**
 * How ids are made. Member and cluster ids are etcd's hashes of peer urls, so that all founders (and
 * etcd's own tools) compute the same; request ids are unique per proposer without coordination.
 */
import { createHash } from 'node:crypto';
import type { Random } from './environment.js';

/**
 * First 8 bytes, big endian, of SHA-1(sorted peer urls joined + suffix). `suffix` is the cluster token
 * for a founder, the decimal unix seconds for a member added later.
 */
export function memberIdOf(peerUrls: readonly string[], suffix: string): bigint {
  return first8(createHash('sha1').update([...peerUrls].sort().join('') + suffix, 'utf8'));
}

/** First 8 bytes, big endian, of SHA-1(member ids ascending, 8 bytes each). */
export function clusterIdOf(memberIds: readonly bigint[]): bigint {
  const hash = createHash('sha1');
  for (const id of [...memberIds].sort(compareIds)) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(id);
    hash.update(bytes);
  }
  return first8(hash);
}

/** Ascending order for sort(). */
export function compareIds(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function first8(hash: ReturnType<typeof createHash>): bigint {
  return hash.digest().readBigUInt64BE(0);
}

/**
 * Ids for proposals, conf changes, read contexts and leases: the low 16 bits of the member id, as in etcd,
 * then a 48-bit counter that starts anywhere. Not from the time of boot, as etcd's does: where the wall clock
 * is set back, a restart would repeat ids, and an old entry that is applied late would answer a new request.
 */
export class RequestIds {
  readonly #prefix: bigint;
  #counter: number;

  constructor(memberId: bigint, random: Random) {
    this.#prefix = (memberId & 0xffffn) << 48n;
    this.#counter = random.uint32() * 2 ** 16 + (random.uint32() >>> 16);
  }

  next(): bigint {
    this.#counter = (this.#counter + 1) % 2 ** 48;
    return this.#prefix | BigInt(this.#counter);
  }

  /** The same with the top bit cleared: a positive int64, for a lease id; never 0. */
  nextLeaseId(): bigint {
    const id = this.next() & ((1n << 63n) - 1n);
    return id === 0n ? this.nextLeaseId() : id;
  }
}
