/**
 * Keeps the raft log short: every `snapshotCount` applied entries the keyspace is made durable, and all
 * but the newest `catchupEntries` of the log before it are dropped. A follower that is further behind
 * gets a snapshot.
 */
import type { Backend } from '../backend/index.js';
import type { SnapshotMetadata } from '../raft/index.js';
import type { RaftLog } from '../storage/index.js';
import type { Logger } from './environment.js';

export interface LogCompactorOptions {
  log: RaftLog;
  backend: Backend;
  snapshotCount: number;
  catchupEntries: number;
  /** The lowest index that a snapshot under way to a follower still needs after it, or undefined. */
  keepFrom: () => number | undefined;
  logger: Logger;
  fatal: (error: unknown) => void;
}

export class LogCompactor {
  readonly #options: LogCompactorOptions;
  #lastSnapshotIndex: number;
  #running = false;

  constructor(options: LogCompactorOptions) {
    this.#options = options;
    this.#lastSnapshotIndex = options.log.snapshot().metadata.index;
  }

  /** The state up to `metadata.index` is applied. */
  applied(metadata: () => SnapshotMetadata, index: number): void {
    if (this.#running || index - this.#lastSnapshotIndex < this.#options.snapshotCount) return;
    this.#running = true;
    this.#compact(metadata()).then(
      () => (this.#running = false),
      (error: unknown) => this.#options.fatal(error),
    );
  }

  /** A snapshot replaced the log. */
  installed(index: number): void {
    this.#lastSnapshotIndex = index;
  }

  async #compact(metadata: SnapshotMetadata): Promise<void> {
    const { log, backend, catchupEntries, keepFrom, logger } = this.#options;
    logger('info', 'triggering snapshot', {
      'local-member-applied-index': metadata.index,
      'local-member-snapshot-index': this.#lastSnapshotIndex,
      'local-member-snapshot-count': this.#options.snapshotCount,
    });
    // Entries may go only when what they did is safely on disk.
    await backend.commit({ durable: true });
    await log.saveConfState(metadata);
    this.#lastSnapshotIndex = metadata.index;
    const upTo = Math.min(metadata.index - catchupEntries, (keepFrom() ?? Infinity) - 1);
    if (upTo < log.firstIndex()) return;
    await log.compact(upTo);
    logger('info', 'compacted Raft logs', { 'compact-index': upTo });
  }
}
