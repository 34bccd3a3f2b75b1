/** The watches of one client stream. */
import { etcdError, type WatchCreateRequest } from '../api/index.js';
import type { EventBatch } from './event-batch.js';
import type { WatchFeed } from './watch-feed.js';
import { NO_WATCH_ID, type WatchDelivery, type WatchSink } from './watch-delivery.js';
import { Watcher } from './watcher.js';

const EMPTY_RANGE = 'mvcc: watcher range is empty';
const DUPLICATE_ID = 'mvcc: duplicate watch ID provided on the WatchStream';

export class WatchStream {
  readonly #feed: WatchFeed;
  readonly #sink: WatchSink;
  readonly #watchers = new Map<bigint, Watcher>();
  /** Watchers that have history to read once the sink drains. */
  readonly #parked = new Set<Watcher>();
  #nextId = 0n;
  #full = false;
  #closed = false;

  /** Made by {@link WatchFeed.openStream} only. */
  constructor(feed: WatchFeed, sink: WatchSink) {
    this.#feed = feed;
    this.#sink = sink;
  }

  /** Watches of the stream, those ended by compaction and not yet cancelled included. */
  get size(): number {
    return this.#watchers.size;
  }

  /** Does the sink want no events for now? */
  get full(): boolean {
    return this.#full;
  }

  /**
   * Begins a watch, or refuses it; the answer is delivered before this returns. An empty key means
   * '\0' (etcd's reading); permission is the caller's to check.
   */
  create(request: WatchCreateRequest): void {
    if (this.#closed) return;
    const normal = request.key === '' ? { ...request, key: '\0' } : request;
    const refusal = this.#refusal(normal);
    if (refusal !== undefined) return this.refuse(refusal);
    const id = normal.watchId === 0n ? this.#unusedId() : normal.watchId;
    const watcher = new Watcher(this, id, normal, this.#feed.firstRevision(normal));
    this.#watchers.set(id, watcher);
    this.#deliver({ kind: 'created', watchId: id, revision: this.#feed.currentRevision });
    // The sink may have closed the stream meanwhile.
    if (!this.#closed) this.#feed.admit(watcher);
  }

  /** Answers a create request with created and canceled in one. */
  refuse(cancelReason: string): void {
    if (this.#closed) return;
    const revision = this.#feed.currentRevision;
    this.#deliver({ kind: 'refused', watchId: NO_WATCH_ID, revision, cancelReason });
  }

  #refusal(request: WatchCreateRequest): string | undefined {
    if (request.startRevision < 0) return etcdError('compacted').message;
    const { key, rangeEnd } = request;
    if (rangeEnd !== '' && rangeEnd !== '\0' && key >= rangeEnd) return EMPTY_RANGE;
    if (request.watchId !== 0n && this.#watchers.has(request.watchId)) return DUPLICATE_ID;
    return undefined;
  }

  #unusedId(): bigint {
    while (this.#watchers.has(this.#nextId)) this.#nextId++;
    return this.#nextId++;
  }

  /** Ends a watch, with an answer; an unknown id is met with silence. */
  cancel(watchId: bigint): void {
    const watcher = this.#watchers.get(watchId);
    if (watcher === undefined) return;
    this.#forget(watcher);
    this.#watchers.delete(watchId);
    const revision = this.#feed.currentRevision;
    this.#deliver({ kind: 'canceled', watchId, revision, compactRevision: 0 });
  }

  /**
   * Answers with one progress for the whole stream if every watch of it is synced and none waits for a
   * future revision; otherwise, and without watches, not at all.
   */
  requestProgress(): void {
    if (this.#watchers.size === 0) return;
    const revision = this.#feed.currentRevision;
    for (const watcher of this.#watchers.values()) if (!watcher.isSynced(revision)) return;
    this.#deliver({ kind: 'progress', watchId: NO_WATCH_ID, revision });
  }

  /** To be called at every progress interval: serves the watches that asked for progress_notify. */
  progressTick(): void {
    const revision = this.#feed.currentRevision;
    for (const watcher of this.#watchers.values()) {
      if (!watcher.progressNotify) continue;
      if (watcher.quiet && watcher.isSynced(revision) && !this.#full) {
        this.#deliver({ kind: 'progress', watchId: watcher.id, revision });
      }
      watcher.quiet = true;
    }
  }

  /** The sink has drained: what was parked reads on. */
  resume(): void {
    if (!this.#full) return;
    this.#full = false;
    const parked = [...this.#parked];
    this.#parked.clear();
    this.#feed.catchUp(parked);
  }

  /** Ends every watch without a word. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const watcher of this.#watchers.values()) this.#forget(watcher);
    this.#watchers.clear();
    this.#feed.forgetStream(this);
  }

  /** For the feed: the watcher has to wait for {@link WatchStream.resume}. */
  park(watcher: Watcher): void {
    watcher.state = 'parked';
    this.#parked.add(watcher);
  }

  /** For the feed: gives `batch` to `watcher`, in fragments if it asked for them. */
  deliverEvents(watcher: Watcher, batch: EventBatch, revision: number): void {
    watcher.quiet = false;
    const pieces = watcher.fragment ? batch.pieces(this.#feed.fragmentBytes) : [batch];
    pieces.forEach((piece, i) => {
      const fragment = i < pieces.length - 1;
      this.#deliver({ kind: 'events', watchId: watcher.id, revision, batch: piece, fragment });
    });
  }

  /** For the feed: the history that `watcher` needs is gone. */
  deliverCompacted(watcher: Watcher, compactRevision: number): void {
    watcher.state = 'compacted';
    this.#deliver({ kind: 'canceled', watchId: watcher.id, revision: 0, compactRevision });
  }

  #deliver(delivery: WatchDelivery): void {
    if (!this.#closed && !this.#sink.deliver(delivery)) this.#full = true;
  }

  #forget(watcher: Watcher): void {
    this.#feed.dismiss(watcher);
    this.#parked.delete(watcher);
    watcher.state = 'closed';
  }
}
