/**
 * Carries changes to watchers: to the synced ones in the turn in which they happen, to the others by
 * reading history in slices between turns, until they are synced too.
 */
import { assert, type KeyValue, type WatchCreateRequest } from '../api/index.js';
import { BatchBuilder } from './event-batch.js';
import { EventWindow, type RevisionChanges } from './event-window.js';
import { readHistory } from './history.js';
import type { Keyspace } from './keyspace.js';
import type { YieldTurn } from './scan.js';
import type { WatchSink } from './watch-delivery.js';
import { WatchStream } from './watch-stream.js';
import type { Watcher } from './watcher.js';
import { WatcherGroup } from './watcher-group.js';
import type { Change, ChangeListener } from './write-txn.js';

export interface WatchFeedOptions {
  yieldTurn: YieldTurn;
  /** Hears of a failure of the catch-up (the backend's, in effect): the member cannot go on. */
  onFailure: (error: unknown) => void;
  /** Largest response of a watch that asked for fragments, in bytes of events. */
  fragmentBytes: number;
  /** Bound of the recent changes kept in memory. */
  windowBytes: number;
}

/** Revisions per response of a watcher that catches up, as in etcd. */
const REVISIONS_PER_RESPONSE = 1000;
/** (watcher, event) pairs handled per turn of catching up. */
const ADDITIONS_PER_TURN = 10_000;
/**
 * A watcher that catches up gets no more at a time, but for a revision that is larger: this, and not the
 * window of recent changes, is what a stream holds whose client has stopped reading.
 */
const BYTES_PER_TURN = 512 * 1024;

export class WatchFeed implements ChangeListener {
  /** See {@link WatchFeedOptions.fragmentBytes}. */
  readonly fragmentBytes: number;
  readonly #keyspace: Keyspace;
  readonly #options: WatchFeedOptions;
  readonly #streams = new Set<WatchStream>();
  readonly #synced = new WatcherGroup();
  readonly #unsynced = new WatcherGroup();
  readonly #window: EventWindow;
  /** Watchers that asked for previous pairs. */
  #previousWanted = 0;
  #watchers = 0;
  #catchingUp = false;
  /** While the keyspace is being replaced nobody is synced. */
  #suspended = false;
  #closed = false;

  /** Made by the store only. */
  constructor(keyspace: Keyspace, options: WatchFeedOptions) {
    this.#keyspace = keyspace;
    this.#options = options;
    this.fragmentBytes = options.fragmentBytes;
    this.#window = new EventWindow(options.windowBytes);
  }

  /** A stream of watches whose answers and events go to `sink`. */
  openStream(sink: WatchSink): WatchStream {
    const stream = new WatchStream(this, sink);
    this.#streams.add(stream);
    return stream;
  }

  /** Streams, watchers and those of them that are behind (parked ones included): for metrics. */
  counts(): { streams: number; watchers: number; slow: number } {
    const slow = this.#watchers - this.#synced.size;
    return { streams: this.#streams.size, watchers: this.#watchers, slow };
  }

  get currentRevision(): number {
    return this.#keyspace.currentRevision;
  }

  get listening(): boolean {
    return this.#watchers > 0;
  }

  get wantsPrevious(): boolean {
    return this.#previousWanted > 0;
  }

  /** For streams: the first revision whose events a new watch gets. */
  firstRevision({ startRevision }: WatchCreateRequest): number {
    return startRevision === 0 ? this.currentRevision + 1 : Number(startRevision);
  }

  /** For streams: takes in a watcher whose creation has been answered. */
  admit(watcher: Watcher): void {
    if (this.#watchers === 0) this.#window.restart(this.currentRevision + 1);
    this.#watchers++;
    if (watcher.prevKv) this.#previousWanted++;
    if (watcher.next > this.currentRevision && !this.#suspended) this.#sync(watcher);
    else this.catchUp([watcher]);
  }

  /** For streams: the watcher is gone. */
  dismiss(watcher: Watcher): void {
    this.#synced.delete(watcher);
    this.#unsynced.delete(watcher);
    this.#watchers--;
    if (watcher.prevKv) this.#previousWanted--;
  }

  forgetStream(stream: WatchStream): void {
    this.#streams.delete(stream);
  }

  /** For streams: these watchers are behind and may read on. */
  catchUp(watchers: readonly Watcher[]): void {
    for (const watcher of watchers) {
      watcher.state = 'unsynced';
      this.#unsynced.add(watcher);
    }
    this.#startCatchingUp();
  }

  publish(revision: number, changes: Change[]): void {
    this.#window.push({ revision, changes });
    if (this.#synced.size === 0) return;
    const builder = this.#newBuilder();
    for (const change of changes) {
      this.#synced.match(change.event.kv.key, (watcher) => {
        if (watcher.next <= revision && watcher.wants(change.event)) builder.add(watcher, change);
      });
    }
    for (const [watcher, batch] of builder.batches()) {
      // A delivery may close this or another stream.
      if (watcher.state !== 'synced') continue;
      if (watcher.stream.full) this.#fallBehind(watcher, revision);
      else watcher.stream.deliverEvents(watcher, batch, revision);
    }
  }

  #fallBehind(watcher: Watcher, revision: number): void {
    this.#synced.delete(watcher);
    watcher.next = revision;
    watcher.stream.park(watcher);
  }

  /** The keyspace is about to be replaced: until {@link WatchFeed.restart} nobody gets anything. */
  suspend(): void {
    this.#suspended = true;
    for (const watcher of this.#synced.values()) {
      this.#synced.delete(watcher);
      watcher.next = Math.max(watcher.next, this.currentRevision + 1);
      watcher.state = 'unsynced';
      this.#unsynced.add(watcher);
    }
  }

  /** The keyspace is new: everybody reads on from where they were, or is told that it is compacted. */
  restart(): void {
    this.#suspended = false;
    this.#window.restart(this.currentRevision + 1);
    this.#startCatchingUp();
  }

  /** Ends catching up; streams are their owners' to close. */
  close(): void {
    this.#closed = true;
  }

  #startCatchingUp(): void {
    if (this.#catchingUp || !this.#mayCatchUp()) return;
    this.#catchingUp = true;
    this.#catchUpLoop().then(
      () => {
        this.#catchingUp = false;
      },
      (error: unknown) => {
        this.#catchingUp = false;
        if (!this.#closed) this.#options.onFailure(error);
      },
    );
  }

  #mayCatchUp(): boolean {
    return this.#unsynced.size > 0 && !this.#suspended && !this.#closed;
  }

  async #catchUpLoop(): Promise<void> {
    for (;;) {
      await this.#options.yieldTurn();
      if (!this.#mayCatchUp()) return;
      this.#settle();
      const first = this.#unsynced.values().next().value;
      if (first === undefined) return;
      this.#unsynced.moveToEnd(first);
      if (this.#window.covers(first.next)) this.#replayWindow(first.next);
      else await this.#replayHistory(first.next);
    }
  }

  /** Sorts out the unsynced: those whose history is gone, and those with nothing left to read. */
  #settle(): void {
    const { compactRevision, currentRevision } = this.#keyspace;
    for (const watcher of this.#unsynced.values()) {
      if (watcher.state !== 'unsynced') continue;
      if (watcher.stream.full) {
        this.#unsynced.delete(watcher);
        watcher.stream.park(watcher);
      } else if (watcher.next < compactRevision) {
        this.#unsynced.delete(watcher);
        watcher.stream.deliverCompacted(watcher, compactRevision);
      } else if (watcher.next > currentRevision) {
        this.#unsynced.delete(watcher);
        this.#sync(watcher);
      }
    }
  }

  #sync(watcher: Watcher): void {
    watcher.state = 'synced';
    this.#synced.add(watcher);
  }

  #replayWindow(from: number): void {
    const revisions = this.#window.from(from, REVISIONS_PER_RESPONSE);
    const complete = revisions.length < REVISIONS_PER_RESPONSE;
    this.#replay(from, revisions, complete ? this.currentRevision : revisions.at(-1)!.revision);
    this.#settle();
  }

  async #replayHistory(start: number): Promise<void> {
    const { revisions, through } = await readHistory(this.#keyspace, start);
    let from = start;
    let position = 0;
    while (from <= through && this.#mayCatchUp()) {
      // A compaction may have passed while the history was read, or while others had their turn.
      this.#settle();
      const reached = this.#replay(from, revisions.slice(position), through);
      this.#settle();
      if (reached >= through) return;
      while ((revisions[position]?.revision ?? Infinity) <= reached) position++;
      from = reached + 1;
      await this.#options.yieldTurn();
    }
  }

  /**
   * Gives `revisions`, which are complete from `from` through `through`, to the unsynced watchers that
   * stand in there. Stops early when a turn's work is done; returns how far it came.
   */
  #replay(from: number, revisions: readonly RevisionChanges[], through: number): number {
    const builder = this.#newBuilder();
    let reached = through;
    for (const { revision, changes } of revisions) {
      for (const change of changes) this.#addUnsynced(builder, from, revision, change);
      if (builder.additions >= ADDITIONS_PER_TURN || builder.bytes >= BYTES_PER_TURN) {
        reached = revision;
        break;
      }
    }
    const passed = [...this.#unsynced.values()].filter(
      ({ next }) => next >= from && next <= reached,
    );
    this.#deliverHistory(builder);
    for (const watcher of passed) this.#moveOn(watcher, builder, reached);
    return reached;
  }

  #addUnsynced(builder: BatchBuilder, from: number, revision: number, change: Change): void {
    this.#unsynced.match(change.event.kv.key, (watcher) => {
      const stands = watcher.next >= from && watcher.next <= revision;
      if (stands && watcher.wants(change.event)) builder.add(watcher, change);
    });
  }

  #deliverHistory(builder: BatchBuilder): void {
    for (const [watcher, batch] of builder.batches()) {
      if (watcher.state !== 'unsynced') continue;
      if (watcher.stream.full) continue;
      watcher.stream.deliverEvents(watcher, batch, this.currentRevision);
      builder.taken(watcher);
    }
  }

  /** A watcher whose events could not be delivered stays where it was; settling will park it. */
  #moveOn(watcher: Watcher, builder: BatchBuilder, reached: number): void {
    if (builder.isUntaken(watcher)) return;
    watcher.next = reached + 1;
  }

  #newBuilder(): BatchBuilder {
    return new BatchBuilder((change) => this.#previousOf(change));
  }

  /** The pair before `change`: none for a creation, none below the compaction. */
  #previousOf({ event, previous }: Change): KeyValue | undefined {
    if (previous !== undefined) return previous;
    const { type, kv } = event;
    if (type === 'put' && kv.createRevision === kv.modRevision) return undefined;
    const revision = kv.modRevision - 1;
    if (revision < this.#keyspace.compactRevision) return undefined;
    assert(revision >= 0, () => `an event at revision ${kv.modRevision}`);
    return this.#keyspace.pairAtRevision(kv.key, revision);
  }
}
