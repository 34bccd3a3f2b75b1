/** What a keyspace's disk holds: ten buckets, changed by whole batches. */
import { BUCKETS, type Bucket, MemoryBackend } from '../backend/index.js';

/** One operation of a batch; an undefined value deletes. */
export type KeyspaceOp = readonly [bucket: Bucket, key: string, value: Uint8Array | undefined];

/** One atomic write. */
export interface KeyspaceWrite {
  /** What stood there before goes first. */
  readonly replaces: boolean;
  readonly ops: readonly KeyspaceOp[];
}

export class KeyspaceImage {
  #buckets = emptyBuckets();

  apply({ replaces, ops }: KeyspaceWrite): void {
    if (replaces) this.#buckets = emptyBuckets();
    for (const [bucket, key, value] of ops) {
      if (value === undefined) this.#buckets.get(bucket)!.delete(key);
      else this.#buckets.get(bucket)!.set(key, value);
    }
  }

  /** The same content in memory, to be read by a process. */
  load(): MemoryBackend {
    const backend = new MemoryBackend();
    for (const [bucket, pairs] of this.#buckets) {
      for (const key of [...pairs.keys()].sort(compareKeys)) {
        backend.put(bucket, key, pairs.get(key)!);
      }
    }
    return backend;
  }
}

function emptyBuckets(): Map<Bucket, Map<string, Uint8Array>> {
  return new Map(BUCKETS.map((bucket) => [bucket, new Map<string, Uint8Array>()]));
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
