/** A snapshot file as a backend that a store can be opened on, for reading what needs its index. */
import { assert } from '../api/index.js';
import {
  type Backend,
  type BackendSnapshot,
  type Bucket,
  MetaKey,
  type Pair,
  type ScanOptions,
} from '../backend/index.js';
import type { BoltPair, BoltReader } from '../bolt/index.js';

/**
 * Reads only. Single values are to be had of bucket `meta` alone, in which every compaction that was
 * accepted counts as finished: who opens a store on this must not begin to delete. Scans that follow
 * each other share one walk over the file.
 */
export class SnapshotBackend implements Backend {
  readonly pendingOps = 0;
  readonly pendingBytes = 0;
  readonly #reader: BoltReader;
  readonly #meta: ReadonlyMap<string, Uint8Array>;
  #walk: Walk | undefined;

  private constructor(reader: BoltReader, meta: ReadonlyMap<string, Uint8Array>) {
    this.#reader = reader;
    this.#meta = meta;
  }

  static async open(reader: BoltReader): Promise<SnapshotBackend> {
    const meta = new Map<string, Uint8Array>();
    for await (const chunk of reader.pairs('meta')) {
      for (const [key, value] of chunk) meta.set(key, value.slice());
    }
    const scheduled = meta.get(MetaKey.scheduledCompactRev);
    if (scheduled !== undefined) meta.set(MetaKey.finishedCompactRev, scheduled);
    return new SnapshotBackend(reader, meta);
  }

  get(bucket: Bucket, key: string): Uint8Array | undefined {
    assert(bucket === 'meta', () => `a single value of bucket ${bucket} of a snapshot file`);
    return this.#meta.get(key);
  }

  async scan(bucket: Bucket, { from, to, limit }: ScanOptions): Promise<Pair[]> {
    if (this.#walk?.isAt(bucket, from) !== true) this.#walk = new Walk(this.#reader, bucket, from);
    return this.#walk.take(limit, to);
  }

  sizeBytes(): number {
    return this.#reader.sizeBytes;
  }

  sizeInUseBytes(): number {
    return this.#reader.sizeBytes;
  }

  put(): never {
    throw readOnly();
  }

  delete(): never {
    throw readOnly();
  }

  commit(): never {
    throw readOnly();
  }

  beforeCommit(): never {
    throw readOnly();
  }

  snapshot(): BackendSnapshot {
    throw readOnly();
  }

  replace(): never {
    throw readOnly();
  }

  releaseMemory(): Promise<void> {
    return Promise.resolve();
  }

  defragment(): never {
    throw readOnly();
  }

  async close(): Promise<void> {}
}

function readOnly(): Error {
  return new Error('a snapshot file is only read');
}

/** One walk over a bucket, taken in portions. */
class Walk {
  readonly #bucket: Bucket;
  readonly #chunks: AsyncIterator<readonly BoltPair[]>;
  #chunk: readonly BoltPair[] = [];
  /** Position in the chunk. */
  #at = 0;
  /** Where the next portion starts. */
  #from: string;

  constructor(reader: BoltReader, bucket: Bucket, from: string) {
    this.#bucket = bucket;
    this.#from = from;
    this.#chunks = reader.pairs(bucket, from)[Symbol.asyncIterator]();
  }

  isAt(bucket: Bucket, from: string): boolean {
    return bucket === this.#bucket && from === this.#from;
  }

  async take(limit: number, to: string | undefined): Promise<Pair[]> {
    const taken: Pair[] = [];
    while (taken.length < limit) {
      const pair = await this.#peek();
      if (pair === undefined || (to !== undefined && pair[0] >= to)) break;
      taken.push(pair);
      this.#at++;
      this.#from = pair[0] + '\0';
    }
    return taken;
  }

  async #peek(): Promise<BoltPair | undefined> {
    while (this.#at >= this.#chunk.length) {
      const step = await this.#chunks.next();
      if (step.done === true) return undefined;
      this.#chunk = step.value;
      this.#at = 0;
    }
    return this.#chunk[this.#at];
  }
}
