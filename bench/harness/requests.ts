/** Requests as the lines make them: 64-byte keys and 256-byte values. */
import type { Client } from '../../src/client/index.js';
import type { PutRequest } from '../../src/api/index.js';
import { runCount } from './load.js';

export const VALUE = 'v'.repeat(256);
/** Puts in one transaction when a store is filled; etcd allows 128. */
const PUTS_PER_TXN = 100;

/** The `n`th key, spread so that neighbours in time are not neighbours in order. */
export function keyOf(n: number): string {
  return `/bench/${((n * 2654435761) >>> 0).toString(16).padStart(8, '0')}/${n}`.padEnd(64, '-');
}

/** 64 bytes; all keys of a `prefix`, in order of `n`. */
export function orderedKey(prefix: string, n: number): string {
  return `${prefix}${String(n).padStart(10, '0')}`.padEnd(64, '-');
}

export function putOf(key: string, value = VALUE, lease = 0n): PutRequest {
  return { key, value, lease, prevKv: false, ignoreValue: false, ignoreLease: false };
}

/** Puts `key(from)` to `key(to - 1)`, a hundred a transaction. */
export async function fill(
  client: Client,
  from: number,
  to: number,
  key: (n: number) => string,
): Promise<void> {
  const txns = Math.ceil((to - from) / PUTS_PER_TXN);
  await runCount(8, txns, (i) => {
    const first = from + i * PUTS_PER_TXN;
    const last = Math.min(to, first + PUTS_PER_TXN);
    const success = Array.from({ length: last - first }, (_, j) => ({
      kind: 'put' as const,
      request: putOf(key(first + j)),
    }));
    return client.kv.txn({ compare: [], success, failure: [] });
  });
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
