/** Compaction: forgetting history, logically at once, on disk in slices behind. */
import { compareInt64, etcdError, type Int64 } from '../api/index.js';
import { MetaKey, type Pair } from '../backend/index.js';
import { bytesFromLatin1 } from '../bytes/index.js';
import { KeyspaceHasher, type CompactionHashes } from './hash.js';
import type { Keyspace } from './keyspace.js';
import type { Pins } from './pins.js';
import { decodeRecordUserKey } from './record.js';
import { readMetaRevision } from './restore.js';
import { firstRecordKey, mainOfRecordKey, recordKey, subOfRecordKey } from './revision.js';
import { scanRecords, type YieldTurn } from './scan.js';

interface Job {
  readonly revision: number;
  readonly previous: number;
  /** Had the previous compaction finished when this one was accepted? Only then is its hash kept. */
  readonly hashCounts: boolean;
}

/**
 * Accepts compactions and works them off one after the other. For each key the newest record at or
 * below the revision stays if it is a put, or a tombstone exactly at the revision (as etcd 3.6); what
 * is older goes, from the backend and from the index, key by key as the scan meets it. Slices run
 * between turns; nothing here blocks for more than a slice.
 */
export class Compactor {
  readonly #keyspace: Keyspace;
  readonly #hashes: CompactionHashes;
  readonly #pins: Pins;
  readonly #yieldTurn: YieldTurn;
  /** The work accepted so far; jobs chain on it. */
  #tail: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(keyspace: Keyspace, hashes: CompactionHashes, pins: Pins, yieldTurn: YieldTurn) {
    this.#keyspace = keyspace;
    this.#hashes = hashes;
    this.#pins = pins;
    this.#yieldTurn = yieldTurn;
  }

  /**
   * Compacts at `asked`. From the return on, older revisions are gone for readers, and the backend
   * knows that the compaction is due. The promise resolves when the deletion is done; it rejects when
   * the backend fails, and with `stopped` after {@link Compactor.stop}. Throws compacted, futureRev.
   */
  accept(asked: Int64): Promise<void> {
    const keyspace = this.#keyspace;
    if (compareInt64(asked, keyspace.compactRevision) <= 0) throw etcdError('compacted');
    if (asked > keyspace.currentRevision) throw etcdError('futureRev');
    const revision = Number(asked);
    const hashCounts = !this.isUnfinished();
    const previous = keyspace.compactRevision;
    keyspace.compactRevision = revision;
    this.#writeMeta(MetaKey.scheduledCompactRev, revision);
    return this.#enqueue({ revision, previous, hashCounts });
  }

  /** Is a compaction due that has not finished, here or before a restart? */
  isUnfinished(): boolean {
    const scheduled = readMetaRevision(this.#keyspace, MetaKey.scheduledCompactRev);
    const finished = readMetaRevision(this.#keyspace, MetaKey.finishedCompactRev);
    return scheduled !== finished;
  }

  /** Takes up a compaction that a restart has interrupted. Undefined when there is none. */
  resume(): Promise<void> | undefined {
    const { compactRevision } = this.#keyspace;
    const finished = readMetaRevision(this.#keyspace, MetaKey.finishedCompactRev) ?? -1;
    if (compactRevision <= finished) return undefined;
    return this.#enqueue({ revision: compactRevision, previous: finished, hashCounts: false });
  }

  /** Ends the work before its next slice; it can be resumed from the backend. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#tail;
  }

  #enqueue(job: Job): Promise<void> {
    const done = this.#tail.then(() => this.#run(job));
    this.#tail = done.catch(() => undefined);
    return done;
  }

  async #run(job: Job): Promise<void> {
    const { revision, previous } = job;
    await this.#pins.releasedBelow(revision);
    const hasher = new KeyspaceHasher(this.#keyspace, previous, revision, true);
    const to = firstRecordKey(revision + 1);
    this.#checkRunning();
    for await (const slice of scanRecords(this.#keyspace.backend, '', to)) {
      this.#checkRunning();
      for (const pair of slice) this.#process(pair, revision, hasher);
      await this.#yieldTurn();
      this.#checkRunning();
    }
    this.#writeMeta(MetaKey.finishedCompactRev, revision);
    if (job.hashCounts) this.#hashes.add(hasher.result());
  }

  #checkRunning(): void {
    if (this.#stopped) throw etcdError('stopped');
  }

  #process([name, bytes]: Pair, revision: number, hasher: KeyspaceHasher): void {
    hasher.add(name, bytes);
    const { tree, cache, backend } = this.#keyspace;
    const index = tree.get(decodeRecordUserKey(bytes, name));
    if (index?.compact(revision) === true) {
      tree.remove(index);
      cache.forget(index);
    } else if (index?.has(mainOfRecordKey(name), subOfRecordKey(name)) === true) {
      return;
    }
    backend.delete('key', name);
  }

  #writeMeta(key: string, revision: number): void {
    this.#keyspace.backend.put('meta', key, bytesFromLatin1(recordKey(revision, 0)));
  }
}
