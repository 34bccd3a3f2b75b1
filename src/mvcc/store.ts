/** The revisioned keyspace: what a member applies its log to and answers reads from. */
import {
  etcdError,
  isEtcdError,
  type DeleteRangeRequest,
  type DeleteRangeResponse,
  type Int64,
  type PutRequest,
  type PutResponse,
  type RangeRequest,
  type RangeResponse,
  type TxnRequest,
  type TxnResponse,
} from '../api/index.js';
import type { Backend } from '../backend/index.js';
import { Compactor } from './compaction.js';
import { CompactionHashes, hashKeyspace, hashRevision, type KeyspaceHash } from './hash.js';
import { Keyspace } from './keyspace.js';
import type { LeaseBook } from './leases.js';
import { Pins } from './pins.js';
import { RangeReading, evaluateRange, readRevision } from './range.js';
import { RangeParts } from './range-parts.js';
import { restoreKeyspace } from './restore.js';
import type { YieldTurn } from './scan.js';
import {
  checkPutAlone,
  executeDeleteRange,
  executePut,
  executeTxn,
  revisionHeader,
} from './txn.js';
import { WatchFeed } from './watch-feed.js';
import { WriteTxn } from './write-txn.js';

export interface StoreOptions {
  leases: LeaseBook;
  /** Lets other work run: resolves in a later turn of the event loop. */
  yieldTurn: YieldTurn;
  /** Bound of the newest values kept in memory, in bytes; 64 MiB by default. */
  cacheBytes?: number;
  /** Bound of the recent changes kept for watchers that catch up, in bytes; 16 MiB by default. */
  watchWindowBytes?: number;
  /** Largest fragment of a watch response; etcd's max-request-bytes plus 512 KiB by default. */
  fragmentBytes?: number;
  /**
   * Hears when work behind (compaction, a watcher's history) fails: the backend is broken and the
   * member cannot go on. By default it becomes an unhandled rejection, which ends the process.
   */
  onFailure?: (error: unknown) => void;
}

const nothing = () => Promise.resolve();
const MIB = 2 ** 20;
/**
 * Keys looked at per turn of {@link Store.rangeInSlices} and {@link Store.rangeInParts}: ten
 * milliseconds when all their values have to be read from the backend.
 */
const KEYS_PER_SLICE = 1000;

/**
 * Reads and writes are synchronous and total: a request is refused (EtcdError) without effect, or done.
 * Answers carry no outermost header; the caller fills it with {@link Store.currentRevision}. The caller
 * applies writes in log order, and commits the backend.
 */
export class Store {
  readonly watch: WatchFeed;
  readonly #keyspace: Keyspace;
  readonly #options: StoreOptions;
  readonly #pins = new Pins();
  readonly #hashes = new CompactionHashes();
  #compactor: Compactor;
  #reloading = false;

  private constructor(keyspace: Keyspace, options: StoreOptions) {
    this.#keyspace = keyspace;
    this.#options = options;
    this.#compactor = this.#newCompactor();
    this.watch = new WatchFeed(keyspace, {
      yieldTurn: options.yieldTurn,
      onFailure: (error) => this.#fail(error),
      fragmentBytes: options.fragmentBytes ?? 2 * MIB,
      windowBytes: options.watchWindowBytes ?? 16 * MIB,
    });
  }

  /**
   * Reads the index from `backend`, in slices, attaches live keys to their leases, and takes up a
   * compaction that was interrupted. Nobody else may use the backend until it resolves. Rejects with MalformedRecordError when a record is damaged.
   */
  static async open(backend: Backend, options: StoreOptions): Promise<Store> {
    const cacheBytes = options.cacheBytes ?? 64 * MIB;
    const keyspace = new Keyspace(backend, options.leases, cacheBytes);
    await restoreKeyspace(keyspace, options.yieldTurn);
    await backend.releaseMemory();
    const store = new Store(keyspace, options);
    store.#resumeCompaction();
    return store;
  }

  /** Revision of the last write; 1 in a new store. */
  get currentRevision(): number {
    return this.#keyspace.currentRevision;
  }

  /** Reads below are refused; -1 when never compacted. */
  get compactRevision(): number {
    return this.#keyspace.compactRevision;
  }

  /** Keys alive now. */
  get keyCount(): number {
    return this.#keyspace.tree.live;
  }

  /** Throws futureRev, compacted. The request has passed checkRange. */
  range(request: RangeRequest): RangeResponse {
    this.#checkReady();
    return evaluateRange(this.#keyspace, request, this.currentRevision);
  }

  /**
   * The same, but a large range is read over several turns, as of the moment it began at; the answer's
   * header has nothing but the revision that was current then. Small ones are answered in this turn.
   */
  async rangeInSlices(request: RangeRequest): Promise<RangeResponse> {
    this.#checkReady();
    const current = this.currentRevision;
    const revision = readRevision(this.#keyspace, request.revision, current);
    const header = revisionHeader(current);
    if (request.rangeEnd === '')
      return { header, ...evaluateRange(this.#keyspace, request, current) };
    const reading = new RangeReading(this.#keyspace, request, revision, current);
    if (reading.readMost(KEYS_PER_SLICE)) return { header, ...reading.response() };
    return this.#pins.hold(revision, async () => {
      do {
        await this.#yieldReady();
      } while (!reading.readMost(KEYS_PER_SLICE));
      return { header, ...reading.response() };
    });
  }

  /**
   * A range that asks for no order and no filters, in parts of about `targetBytes`: disjoint pairs in
   * key order; `more`, `count` and a header with the current revision of the beginning on the last part
   * only. All parts show the revision of the beginning, and nothing is held for a reader that takes its
   * time: a compaction beyond ends the parts with compacted.
   */
  async *rangeInParts(request: RangeRequest, targetBytes: number): AsyncGenerator<RangeResponse> {
    this.#checkReady();
    const current = this.currentRevision;
    const revision = readRevision(this.#keyspace, request.revision, current);
    if (request.rangeEnd === '' || request.countOnly) {
      yield await this.rangeInSlices(request);
      return;
    }
    const parts = new RangeParts(this.#keyspace, request, revision, targetBytes);
    for (;;) {
      const { part, ended } = parts.read(KEYS_PER_SLICE);
      if (ended && part !== undefined) part.header = revisionHeader(current);
      if (part !== undefined) yield part;
      if (ended) return;
      await this.#yieldReady();
      if (revision < this.compactRevision) throw etcdError('compacted');
    }
  }

  /** Throws leaseNotFound, keyNotFound. The request has passed checkPut. */
  put(request: PutRequest): PutResponse {
    this.#checkReady();
    checkPutAlone(this.#keyspace, request);
    return this.#write((write) => executePut(this.#keyspace, write, request));
  }

  /** One revision, or none when no key is in the range. */
  deleteRange(request: DeleteRangeRequest): DeleteRangeResponse {
    this.#checkReady();
    return this.#write((write) => executeDeleteRange(this.#keyspace, write, request));
  }

  /**
   * All or nothing: whatever is refused (futureRev, compacted, leaseNotFound, keyNotFound) is refused
   * before the first effect. Nested answers have headers as etcd's: the revision only, and an empty one
   * for a nested transaction. The request has passed checkTxn.
   */
  txn(request: TxnRequest): TxnResponse {
    this.#checkReady();
    return this.#write((write) => executeTxn(this.#keyspace, write, request));
  }

  /**
   * Deletes those of `keys` that exist, in ascending order, in one revision; none if there are none.
   * What the revocation of a lease does. Returns how many there were.
   */
  deleteKeys(keys: readonly string[]): number {
    this.#checkReady();
    return this.#write((write) => {
      let deleted = 0;
      for (const key of [...keys].sort()) {
        const index = this.#keyspace.live(key);
        if (index === undefined) continue;
        write.delete(index);
        deleted++;
      }
      return deleted;
    });
  }

  /**
   * Compacts at `revision`: at once for readers and in bucket meta; `finished` resolves when the
   * deletion behind is done (a physical compaction waits for it). It rejects with stopped when the store
   * closes first. Throws compacted, futureRev.
   */
  compact(revision: Int64): { finished: Promise<void> } {
    this.#checkReady();
    const finished = this.#compactor.accept(revision);
    this.#watchOver(finished);
    return { finished };
  }

  /** Is a compaction still being worked off? */
  get compacting(): boolean {
    return this.#compactor.isUnfinished();
  }

  /**
   * HashKV at `revision`, 0 for the current one. A revision that one of the last ten finished
   * compactions was at answers with the hash taken then. Rejects with compacted, futureRev.
   */
  async hashKv(revision: Int64): Promise<KeyspaceHash> {
    this.#checkReady();
    const stored = this.#hashes.find(revision);
    if (stored !== undefined) return stored;
    const at = hashRevision(this.#keyspace, revision);
    return this.#pins.hold(at, () => hashKeyspace(this.#keyspace, at, () => this.#yieldReady()));
  }

  /** Hashes of the last finished compactions, oldest first. */
  compactionHashes(): readonly KeyspaceHash[] {
    return this.#hashes.list();
  }

  /**
   * Has the backend's content replaced, by a snapshot's, and reads everything anew. `replace` does the
   * former and is called when nothing here reads the backend any more; it may be left out only where
   * the content has been replaced with nobody reading or writing since. Until the promise resolves, and
   * for reads under way, there is `leaderChanged` (a status that clients retry). Watchers go on from
   * where they were if the new history still has it, else they are cancelled as compacted. The caller
   * has the lease book emptied before; keys are attached anew.
   */
  async reload(replace: () => Promise<void> = nothing): Promise<void> {
    this.#reloading = true;
    this.watch.suspend();
    await this.#compactor.stop();
    await this.#pins.releasedBelow(Infinity);
    await replace();
    this.#compactor = this.#newCompactor();
    this.#hashes.clear();
    this.#keyspace.dropIndex();
    const fresh = this.#keyspace.successor();
    await restoreKeyspace(fresh, this.#options.yieldTurn);
    this.#keyspace.become(fresh);
    this.#reloading = false;
    this.watch.restart();
    this.#resumeCompaction();
  }

  /** Ends the work behind. The backend is the caller's to close. */
  async close(): Promise<void> {
    this.watch.close();
    await this.#compactor.stop();
  }

  /** Throws unless index, counts and maps agree: for tests. */
  check(): void {
    this.#keyspace.tree.check();
  }

  #write<T>(execute: (write: WriteTxn) => T): T {
    const write = new WriteTxn(this.#keyspace, this.watch);
    const response = execute(write);
    write.end();
    return response;
  }

  #checkReady(): void {
    if (this.#reloading) throw etcdError('leaderChanged');
  }

  /** A turn for others, after which the keyspace must still be the same. */
  async #yieldReady(): Promise<void> {
    await this.#options.yieldTurn();
    this.#checkReady();
  }

  #newCompactor(): Compactor {
    return new Compactor(this.#keyspace, this.#hashes, this.#pins, this.#options.yieldTurn);
  }

  #resumeCompaction(): void {
    const finished = this.#compactor.resume();
    if (finished !== undefined) this.#watchOver(finished);
  }

  #watchOver(finished: Promise<void>): void {
    finished.catch((error: unknown) => {
      if (!isEtcdError(error, 'stopped')) this.#fail(error);
    });
  }

  #fail(error: unknown): void {
    if (this.#options.onFailure !== undefined) this.#options.onFailure(error);
    else void Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }
}
