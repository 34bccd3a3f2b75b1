/** The in-memory twin of the durable backend: the same contract, no disk, no waiting. */
import {
  BUCKETS,
  type Backend,
  type BackendSnapshot,
  type Bucket,
  type Pair,
  type ScanOptions,
} from './backend.js';
import { MemoryBucket } from './memory-bucket.js';

/** What an empty file of the durable kind takes, so that sizes are never 0. */
const EMPTY_SIZE_BYTES = 4096 * 4;

/**
 * Keeps the ten buckets in memory. `commit` runs the handlers and forgets what is pending; sizes
 * behave as a file's do: `sizeBytes` grows to the most that was ever live and shrinks only by
 * {@link MemoryBackend.defragment}. Every call after {@link MemoryBackend.close} throws.
 */
export class MemoryBackend implements Backend {
  #buckets = emptyBuckets();
  /** Buckets that an open snapshot shares: copied before the next write to them. */
  readonly #shared = new Set<Bucket>();
  readonly #handlers: (() => void)[] = [];
  #pendingOps = 0;
  #pendingBytes = 0;
  #bytes = 0;
  #highestBytes = 0;
  #closed = false;

  get(bucket: Bucket, key: string): Uint8Array | undefined {
    return this.#open(bucket).get(key);
  }

  put(bucket: Bucket, key: string, value: Uint8Array): void {
    const target = this.#writable(bucket);
    const before = target.bytes;
    target.put(key, value);
    this.#count(key.length + value.length, target.bytes - before);
  }

  delete(bucket: Bucket, key: string): void {
    const target = this.#writable(bucket);
    const before = target.bytes;
    target.delete(key);
    this.#count(key.length, target.bytes - before);
  }

  scan(bucket: Bucket, options: ScanOptions): Promise<Pair[]> {
    return promised(() => this.#open(bucket).scan(options));
  }

  commit(_options?: { durable?: boolean }): Promise<void> {
    return promised(() => this.#commit());
  }

  beforeCommit(handler: () => void): void {
    this.#handlers.push(handler);
  }

  get pendingOps(): number {
    return this.#pendingOps;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  snapshot(): BackendSnapshot {
    this.#checkOpen();
    for (const bucket of BUCKETS) this.#shared.add(bucket);
    return new MemorySnapshot(new Map(this.#buckets));
  }

  async replace(pairs: AsyncIterable<readonly [Bucket, Pair]>): Promise<void> {
    this.#checkOpen();
    const buckets = emptyBuckets();
    for await (const [bucket, [key, value]] of pairs) buckets.get(bucket)!.put(key, value);
    this.#checkOpen();
    this.#buckets = buckets;
    this.#shared.clear();
    this.#bytes = 0;
    for (const { bytes } of buckets.values()) this.#bytes += bytes;
    this.#highestBytes = this.#bytes;
    this.#nothingPending();
  }

  sizeBytes(): number {
    return EMPTY_SIZE_BYTES + this.#highestBytes;
  }

  sizeInUseBytes(): number {
    return this.#bytes;
  }

  defragment(): Promise<void> {
    return promised(() => {
      this.#commit();
      this.#highestBytes = this.#bytes;
    });
  }

  releaseMemory(): Promise<void> {
    return promised(() => this.#checkOpen());
  }

  close(): Promise<void> {
    return promised(() => {
      if (!this.#closed) this.#commit();
      this.#closed = true;
    });
  }

  #commit(): void {
    this.#checkOpen();
    for (const handler of this.#handlers) handler();
    this.#nothingPending();
  }

  #nothingPending(): void {
    this.#pendingOps = 0;
    this.#pendingBytes = 0;
  }

  #count(written: number, grown: number): void {
    this.#pendingOps++;
    this.#pendingBytes += written;
    this.#bytes += grown;
    if (this.#bytes > this.#highestBytes) this.#highestBytes = this.#bytes;
  }

  #checkOpen(): void {
    if (this.#closed) throw new Error('the backend is closed');
  }

  #open(bucket: Bucket): MemoryBucket {
    this.#checkOpen();
    return this.#buckets.get(bucket)!;
  }

  #writable(bucket: Bucket): MemoryBucket {
    const current = this.#open(bucket);
    if (!this.#shared.delete(bucket)) return current;
    const copy = current.copy();
    this.#buckets.set(bucket, copy);
    return copy;
  }
}

class MemorySnapshot implements BackendSnapshot {
  #buckets: Map<Bucket, MemoryBucket> | undefined;

  constructor(buckets: Map<Bucket, MemoryBucket>) {
    this.#buckets = buckets;
  }

  scan(bucket: Bucket, options: ScanOptions): Promise<Pair[]> {
    return promised(() => {
      if (this.#buckets === undefined) throw new Error('the snapshot is closed');
      return this.#buckets.get(bucket)!.scan(options);
    });
  }

  close(): Promise<void> {
    this.#buckets = undefined;
    return Promise.resolve();
  }
}

function emptyBuckets(): Map<Bucket, MemoryBucket> {
  return new Map(BUCKETS.map((bucket) => [bucket, new MemoryBucket()]));
}

/** Runs `action` now; its result or its error comes as a promise. */
function promised<T>(action: () => T): Promise<T> {
  try {
    return Promise.resolve(action());
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }
}
