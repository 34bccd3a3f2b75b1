/** The keyspace's backend on a virtual disk: the contract of backend/backend.ts. */
import type { Backend, BackendSnapshot, Bucket, Pair, ScanOptions } from '../backend/index.js';
import type { MemoryBackend } from '../backend/index.js';
import type { KeyspaceImage, KeyspaceOp, KeyspaceWrite } from './keyspace-image.js';
import { type Device, WriteQueue } from './write-queue.js';

export class VirtualBackend implements Backend {
  /** What reads see: everything, flushed or not. */
  readonly #memory: MemoryBackend;
  readonly #queue: WriteQueue<KeyspaceWrite>;
  readonly #checkRead: () => void;
  readonly #readDelay: () => Promise<void>;
  readonly #handlers: (() => void)[] = [];
  #buffer: KeyspaceOp[] = [];
  #pendingOps = 0;
  #pendingBytes = 0;
  #closed = false;
  /** Commits are one after another, and later ones cover what has gathered. */
  #lastCommit: Promise<void> = Promise.resolve();

  /** `durable` is what the disk keeps; `checkRead` throws when it cannot be read. */
  constructor(
    durable: KeyspaceImage,
    device: Device,
    checkRead: () => void,
    readDelay: () => Promise<void>,
  ) {
    this.#memory = durable.load();
    void this.#memory.commit();
    this.#queue = new WriteQueue(device, (write) => durable.apply(write));
    this.#checkRead = checkRead;
    this.#readDelay = readDelay;
  }

  get(bucket: Bucket, key: string): Uint8Array | undefined {
    this.#checkRead();
    return this.#memory.get(bucket, key);
  }

  put(bucket: Bucket, key: string, value: Uint8Array): void {
    this.#memory.put(bucket, key, value);
    this.#count([bucket, key, value]);
  }

  delete(bucket: Bucket, key: string): void {
    this.#memory.delete(bucket, key);
    this.#count([bucket, key, undefined]);
  }

  async scan(bucket: Bucket, options: ScanOptions): Promise<Pair[]> {
    this.#checkRead();
    const pairs = this.#memory.scan(bucket, options);
    await this.#readDelay();
    return pairs;
  }

  commit(options: { durable?: boolean } = {}): Promise<void> {
    const committed = this.#lastCommit.then(() => this.#commit(options.durable === true));
    this.#lastCommit = committed.catch(() => {});
    return committed;
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
    const view = this.#memory.snapshot();
    return {
      scan: async (bucket, options) => {
        const pairs = await view.scan(bucket, options);
        await this.#readDelay();
        return pairs;
      },
      close: () => view.close(),
    };
  }

  /** Alone between commits: what had gathered before it is gone, and no later commit brings it back. */
  replace(pairs: AsyncIterable<readonly [Bucket, Pair]>): Promise<void> {
    const replaced = this.#lastCommit.then(() => this.#replace(pairs));
    this.#lastCommit = replaced.catch(() => {});
    return replaced;
  }

  sizeBytes(): number {
    return this.#memory.sizeBytes();
  }

  sizeInUseBytes(): number {
    return this.#memory.sizeInUseBytes();
  }

  async defragment(): Promise<void> {
    await this.commit();
    await this.#memory.defragment();
  }

  releaseMemory(): Promise<void> {
    return this.#memory.releaseMemory();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.commit({ durable: true });
    await this.#queue.idle();
    await this.#memory.close();
  }

  /** See {@link WriteQueue.crash}. */
  crash(inFlightArrives: boolean, keep: (count: number) => number): number {
    return this.#queue.crash(inFlightArrives, keep);
  }

  async #replace(pairs: AsyncIterable<readonly [Bucket, Pair]>): Promise<void> {
    const ops: KeyspaceOp[] = [];
    const content: (readonly [Bucket, Pair])[] = [];
    for await (const item of pairs) {
      const [bucket, [key, value]] = item;
      ops.push([bucket, key, value]);
      content.push(item);
    }
    await this.#write({ replaces: true, ops }, true);
    this.#buffer = [];
    this.#pendingOps = 0;
    this.#pendingBytes = 0;
    await this.#memory.replace(each(content));
  }

  async #commit(durable: boolean): Promise<void> {
    for (const handler of this.#handlers) handler();
    const ops = this.#buffer;
    this.#buffer = [];
    const bytes = this.#pendingBytes;
    try {
      if (ops.length > 0 || durable) await this.#write({ replaces: false, ops }, durable);
    } catch (error) {
      this.#buffer = [...ops, ...this.#buffer];
      throw error;
    }
    this.#pendingOps -= ops.length;
    this.#pendingBytes -= bytes;
  }

  #write(write: KeyspaceWrite, sync: boolean): Promise<void> {
    return new Promise((done, refused) => this.#queue.submit({ write, sync, done, refused }));
  }

  #count(op: KeyspaceOp): void {
    this.#buffer.push(op);
    this.#pendingOps++;
    this.#pendingBytes += op[1].length + (op[2]?.length ?? 0);
  }
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield item;
}
