/** Group commit: writes asked for while one is under way share the next batch and its fsync. */
import type { LevelBatch, LevelWriter } from './level-writer.js';

export interface GroupedWrite {
  /** Wait for fsync? One that does makes the whole batch do. */
  readonly sync: boolean;
  /** Adds its operations to the batch; returns about how many bytes they are. May throw: left out. */
  encode(batch: LevelBatch): number;
  /** Called once it is written, in the order of asking, before its promise resolves. */
  apply(): void;
}

/** How a batch went to disk. */
export interface WrittenBatch {
  readonly tookMs: number;
  readonly bytes: number;
  /** With fsync? */
  readonly synced: boolean;
}

interface Waiting {
  readonly write: GroupedWrite;
  done(): void;
  failed(error: unknown): void;
}

export class GroupCommit {
  readonly #writer: LevelWriter;
  readonly #unsafeNoSync: boolean;
  readonly #written: (batch: WrittenBatch) => void;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  /**
   * With `unsafeNoSync` no write waits for fsync, whatever it asks for. `written` hears of every batch.
   */
  constructor(
    writer: LevelWriter,
    unsafeNoSync = false,
    written: (batch: WrittenBatch) => void = () => {},
  ) {
    this.#writer = writer;
    this.#unsafeNoSync = unsafeNoSync;
    this.#written = written;
  }

  /** Resolves when it is written; rejects when the disk refused it or one before it. */
  submit(write: GroupedWrite): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ write, done, failed });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is waiting any more. */
  async idle(): Promise<void> {
    await this.#running;
    await this.#writer.settle();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      await this.#writeGroup(group);
    }
    this.#running = undefined;
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    let encoded: readonly Waiting[] = group;
    try {
      const batch = this.#writer.batch();
      let bytes = 0;
      encoded = group.filter((waiting) => {
        const added = encodeOne(batch, waiting);
        bytes += added ?? 0;
        return added !== undefined;
      });
      const sync = !this.#unsafeNoSync && encoded.some(({ write }) => write.sync);
      const begunMs = performance.now();
      await this.#writer.write(batch, bytes, sync);
      this.#written({ tookMs: performance.now() - begunMs, bytes, synced: sync });
    } catch (error) {
      for (const { failed } of encoded) failed(error);
      return;
    }
    for (const { write, done } of encoded) {
      write.apply();
      done();
    }
  }
}

/** Bytes added; undefined when the write was refused for what it asks. */
function encodeOne(batch: LevelBatch, { write, failed }: Waiting): number | undefined {
  try {
    return write.encode(batch);
  } catch (error) {
    failed(error);
    return undefined;
  }
}
