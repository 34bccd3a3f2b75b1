/** The keyspace on LevelDB. The contract is src/backend/backend.ts. */
import { rm } from 'node:fs/promises';
import {
  type Backend,
  type BackendSnapshot,
  type Bucket,
  type Pair,
  type ScanOptions,
} from '../backend/index.js';
import { diskRefusal } from './errors.js';
import { makeFolder } from './files.js';
import {
  generationFolder,
  readGeneration,
  removeOtherGenerations,
  writeGeneration,
} from './generation.js';
import { Keyspace } from './keyspace.js';
import { createLevel } from './level-db.js';
import { WriteBuffer, overlay } from './write-buffer.js';

export interface LevelBackendOptions {
  /** Bytes of disk blocks kept in memory; 64 MiB unless said. */
  cacheBytes?: number;
  /** Hears of every commit that was written, and how long that took. */
  committed?: (tookMs: number) => void;
}

const DEFAULT_CACHE_BYTES = 64 << 20;

/** A commit that waits for the one under way. */
interface WaitingCommit {
  durable: boolean;
  done: Promise<void>;
}

export class LevelBackend implements Backend {
  readonly #folder: string;
  #committed: (tookMs: number) => void = () => {};
  readonly #cacheBytes: number;
  #generation: number;
  #keyspace: Keyspace;
  /** Gathers changes; and, while a commit runs, the buffer that it writes. Newest last in reads. */
  #gathering = new WriteBuffer();
  #writing: WriteBuffer | undefined;
  readonly #handlers: (() => void)[] = [];
  /** Settles when the last commit, replacement or defragmentation asked for has ended. */
  #busy: Promise<void> | undefined;
  #waiting: WaitingCommit | undefined;
  #closed: Promise<void> | undefined;

  private constructor(folder: string, cacheBytes: number, generation: number, keyspace: Keyspace) {
    this.#folder = folder;
    this.#cacheBytes = cacheBytes;
    this.#generation = generation;
    this.#keyspace = keyspace;
  }

  /** Makes an empty keyspace in `folder`, which must not exist (its parent must). */
  static async create(folder: string): Promise<void> {
    await makeFolder(folder);
    await createLevel(generationFolder(folder, 1));
    await writeGeneration(folder, 1);
  }

  /** Opens what {@link LevelBackend.create} made. Throws {@link StorageError}. */
  static async open(folder: string, options: LevelBackendOptions = {}): Promise<LevelBackend> {
    const cacheBytes = options.cacheBytes ?? DEFAULT_CACHE_BYTES;
    const generation = await readGeneration(folder);
    await removeOtherGenerations(folder, generation);
    const keyspace = await Keyspace.open(generationFolder(folder, generation), cacheBytes);
    const backend = new LevelBackend(folder, cacheBytes, generation, keyspace);
    if (options.committed !== undefined) backend.#committed = options.committed;
    return backend;
  }

  get pendingOps(): number {
    return this.#gathering.ops + (this.#writing?.ops ?? 0);
  }

  get pendingBytes(): number {
    return this.#gathering.bytes + (this.#writing?.bytes ?? 0);
  }

  get(bucket: Bucket, key: string): Uint8Array | undefined {
    if (this.#gathering.has(bucket, key)) return this.#gathering.get(bucket, key);
    if (this.#writing?.has(bucket, key)) return this.#writing.get(bucket, key);
    return this.#keyspace.get(bucket, key);
  }

  put(bucket: Bucket, key: string, value: Uint8Array): void {
    this.#gathering.set(bucket, key, value);
  }

  delete(bucket: Bucket, key: string): void {
    this.#gathering.set(bucket, key, undefined);
  }

  scan(bucket: Bucket, options: ScanOptions): Promise<Pair[]> {
    const changes = overlay(this.#buffers(), bucket, options.from, options.to);
    return this.#keyspace.scan(bucket, options, changes);
  }

  beforeCommit(handler: () => void): void {
    this.#handlers.push(handler);
  }

  commit(options: { durable?: boolean } = {}): Promise<void> {
    const durable = options.durable ?? false;
    if (this.#busy === undefined) return this.#alone(() => this.#write(durable));
    if (this.#waiting !== undefined) {
      this.#waiting.durable ||= durable;
      return this.#waiting.done;
    }
    const waiting: WaitingCommit = { durable, done: Promise.resolve() };
    waiting.done = this.#alone(() => {
      this.#waiting = undefined;
      return this.#write(waiting.durable);
    });
    this.#waiting = waiting;
    return waiting.done;
  }

  snapshot(): BackendSnapshot {
    const keyspace = this.#keyspace;
    const buffers = this.#buffers().map((buffer) => buffer.copy());
    const frozen = keyspace.freeze();
    return {
      scan: (bucket, options) => {
        const changes = overlay(buffers, bucket, options.from, options.to);
        return keyspace.scan(bucket, options, changes, frozen.view);
      },
      close: () => frozen.close(),
    };
  }

  replace(pairs: AsyncIterable<readonly [Bucket, Pair]>): Promise<void> {
    return this.#alone(() => this.#replace(pairs));
  }

  sizeBytes(): number {
    return this.#keyspace.diskBytes();
  }

  sizeInUseBytes(): number {
    return this.#keyspace.liveBytes + this.#gathering.putBytes + (this.#writing?.putBytes ?? 0);
  }

  defragment(): Promise<void> {
    return this.#alone(async () => {
      await this.#write(false);
      await this.#keyspace.defragment();
    });
  }

  releaseMemory(): Promise<void> {
    return this.#alone(() => this.#keyspace.releaseMemory());
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    try {
      await this.commit({ durable: true });
    } finally {
      await this.#alone(() => this.#keyspace.retire());
    }
  }

  /** Oldest first. */
  #buffers(): WriteBuffer[] {
    return this.#writing === undefined ? [this.#gathering] : [this.#writing, this.#gathering];
  }

  /** Runs `action` after everything asked for before; at once when there is nothing. */
  #alone(action: () => Promise<void>): Promise<void> {
    const result = this.#busy === undefined ? action() : this.#busy.then(action);
    const settled = result.then(ignore, ignore).then(() => {
      if (this.#busy === settled) this.#busy = undefined;
    });
    this.#busy = settled;
    return result;
  }

  async #write(durable: boolean): Promise<void> {
    for (const handler of this.#handlers) handler();
    if (this.#gathering.ops === 0 && !durable) return;
    const writing = this.#gathering;
    this.#writing = writing;
    this.#gathering = new WriteBuffer();
    try {
      const begunMs = performance.now();
      await this.#keyspace.write(writing, durable);
      this.#committed(performance.now() - begunMs);
    } catch (error) {
      this.#takeBack(writing);
      throw error;
    } finally {
      this.#writing = undefined;
    }
  }

  /** The disk refused: what was being written goes back under what was gathered meanwhile. */
  #takeBack(writing: WriteBuffer): void {
    for (const [bucket, [key, value]] of this.#gathering.all()) writing.set(bucket, key, value);
    this.#gathering = writing;
  }

  async #replace(pairs: AsyncIterable<readonly [Bucket, Pair]>): Promise<void> {
    const generation = this.#generation + 1;
    const folder = generationFolder(this.#folder, generation);
    const next = await this.#makeGeneration(folder, pairs);
    try {
      await writeGeneration(this.#folder, generation);
    } catch (error) {
      await next.retire();
      throw error;
    }
    const before = this.#keyspace;
    this.#keyspace = next;
    this.#generation = generation;
    this.#gathering = new WriteBuffer();
    before.removeWhenRetired();
    await before.retire();
  }

  async #makeGeneration(
    folder: string,
    pairs: AsyncIterable<readonly [Bucket, Pair]>,
  ): Promise<Keyspace> {
    await rm(folder, { recursive: true, force: true }).catch((error: unknown) => {
      throw diskRefusal('remove', folder, error);
    });
    await createLevel(folder);
    const keyspace = await Keyspace.open(folder, this.#cacheBytes);
    try {
      await keyspace.fill(pairs);
      return keyspace;
    } catch (error) {
      keyspace.removeWhenRetired();
      await keyspace.retire();
      throw error;
    }
  }
}

function ignore(): void {}
