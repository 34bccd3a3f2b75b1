/**
 * Writes to one LevelDB, in order, and turns its journal over without losing that order.
 *
 * LevelDB puts batches into a journal file; an fsync covers that file only. When it starts a new
 * journal by itself, unsynced batches may sit at the end of the old one while later, synced ones go to
 * the new one: a power cut then loses the earlier and keeps the later. So the journal is turned over
 * from here: the last write before is synced, and every write until the turnover is done as well.
 */
import type { AbstractChainedBatch } from 'abstract-level';
import { type StorageError, diskRefusal } from './errors.js';
import type { LevelDb } from './level-db.js';

export type LevelBatch = AbstractChainedBatch<LevelDb, Buffer, Buffer>;

/**
 * Journal size at which it is turned over: bounds what a start has to replay. Every turnover makes a table
 * that spans all keys (each batch carries the applied index), and merging that into the level below
 * rewrites it, up to 100 MB: so not too often.
 */
const TURNOVER_BYTES = 48 << 20;
/** What LevelDB's memory and our own framing add to a record's key and value, at most about. */
export const RECORD_OVERHEAD_BYTES = 80;
/** A range that no key lies in: compacting it flushes the journal and does no more. */
const NOWHERE = Buffer.of(0xff, 0xff);

export class LevelWriter {
  readonly #db: LevelDb;
  readonly #folder: string;
  #journalBytes = 0;
  #turnover: Promise<void> | undefined;
  #failure: StorageError | undefined;

  constructor(db: LevelDb, folder: string) {
    this.#db = db;
    this.#folder = folder;
  }

  /** Why the disk can no longer be written in this process, if it cannot. */
  get failure(): StorageError | undefined {
    return this.#failure;
  }

  batch(): LevelBatch {
    return this.#db.batch() as unknown as LevelBatch;
  }

  /**
   * Writes `batch` (of `bytes`, with {@link RECORD_OVERHEAD_BYTES} for each operation) atomically. One call at a time. The first refusal is final: a
   * journal with a half-written record must not be appended to, and a failed fsync cannot be repeated.
   */
  async write(batch: LevelBatch, bytes: number, sync: boolean): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#journalBytes += bytes;
    const turn = this.#journalBytes >= TURNOVER_BYTES && this.#turnover === undefined;
    try {
      await batch.write({ sync: sync || turn || this.#turnover !== undefined } as object);
    } catch (error) {
      throw this.#fail(error);
    }
    if (turn) this.#turnOver();
  }

  /** Waits for a turnover in progress. */
  async settle(): Promise<void> {
    await this.#turnover;
  }

  #turnOver(): void {
    this.#journalBytes = 0;
    this.#turnover = this.#db.compactRange(NOWHERE, NOWHERE).then(
      () => {
        this.#turnover = undefined;
      },
      (error: unknown) => {
        this.#turnover = undefined;
        this.#fail(error);
      },
    );
  }

  #fail(error: unknown): StorageError {
    this.#failure ??= diskRefusal('write', this.#folder, error);
    return this.#failure;
  }
}
