/**
 * The keyspace's durable home: ten ordered buckets of bytes, with etcd's names and contents.
 *
 * Writes go to a buffer that reads see at once; {@link Backend.commit} moves the whole buffer to disk
 * in one atomic batch. The raft log is what makes a write durable: the backend may fall behind it and,
 * after a crash, resume at the applied index that its last batch carried (design: a write).
 */

/** etcd's buckets, in byte order (the order in which hashes and snapshots walk them). */
export const BUCKETS = [
  'alarm',
  'auth',
  'authRoles',
  'authUsers',
  'cluster',
  'key',
  'lease',
  'members',
  'members_removed',
  'meta',
] as const;
export type Bucket = (typeof BUCKETS)[number];

/** A key (latin1 string, see src/bytes) and its value. The value's bytes must not be changed. */
export type Pair = readonly [key: string, value: Uint8Array];

export interface ScanOptions {
  /** First key, inclusive; '' is the start of the bucket. */
  from: string;
  /** End, exclusive; undefined is the end of the bucket. */
  to?: string;
  /** At most so many pairs. */
  limit: number;
}

export interface Backend {
  /** The value as of now, unflushed writes included. Synchronous; a cold key costs a disk read. */
  get(bucket: Bucket, key: string): Uint8Array | undefined;
  /** Takes over `value`: the caller must not change it afterwards. */
  put(bucket: Bucket, key: string, value: Uint8Array): void;
  delete(bucket: Bucket, key: string): void;
  /**
   * Pairs in ascending key order as of the call, unflushed writes included and later ones not. Fewer
   * than `limit` means that the end of the range was reached.
   */
  scan(bucket: Bucket, options: ScanOptions): Promise<Pair[]>;
  /**
   * Writes everything buffered before the call in one atomic batch. `beforeCommit` handlers run first,
   * synchronously, and may add to it (the applied index does). One commit runs at a time; a call while
   * one is running waits and then covers what has gathered. With `durable` it resolves only after
   * fsync; without, the batch survives a killed process but perhaps not a power cut (never torn: all of
   * it or nothing, and no later batch without it). Rejects when the disk refuses; the buffer is kept,
   * and reads stay right.
   */
  commit(options?: { durable?: boolean }): Promise<void>;
  beforeCommit(handler: () => void): void;
  /** Operations and bytes (keys and values) written but not yet on disk, both generations. */
  readonly pendingOps: number;
  readonly pendingBytes: number;
  /** A frozen view of everything as of the call. Close it: it holds disk space until then. */
  snapshot(): BackendSnapshot;
  /** Replaces the whole content by `pairs`, atomically: after a crash it is all old or all new. */
  replace(pairs: AsyncIterable<readonly [Bucket, Pair]>): Promise<void>;
  /** Estimated bytes on disk, never 0; and bytes in live pairs. What Status and the quota read. */
  sizeBytes(): number;
  sizeInUseBytes(): number;
  /** Gives back what deleted pairs still hold on disk (Defragment). */
  defragment(): Promise<void>;
  /**
   * Gives back memory that reading much has taken, when a start has read everything. Nobody may call
   * anything else until it resolves, and no snapshot may be open.
   */
  releaseMemory(): Promise<void>;
  /** Commits (durably) and closes. */
  close(): Promise<void>;
}

export interface BackendSnapshot {
  scan(bucket: Bucket, options: ScanOptions): Promise<Pair[]>;
  close(): Promise<void>;
}
