/** One watch of one stream. */
import { WatchFilter, type Event, type Int64, type WatchCreateRequest } from '../api/index.js';
import { endOfRange } from './key-range.js';
import type { WatchStream } from './watch-stream.js';

/**
 * Where a watcher stands:
 *
 * - `synced`: has been given everything up to the current revision; gets events as they happen;
 * - `unsynced`: has history to read, from `next` on; the catch-up takes care of it;
 * - `parked`: has history to read, but its stream is full;
 * - `compacted`: its history is gone; it holds its id until the client cancels it;
 * - `closed`: cancelled by the client, or with its stream.
 */
export type WatcherState = 'synced' | 'unsynced' | 'parked' | 'compacted' | 'closed';

export class Watcher {
  readonly stream: WatchStream;
  readonly id: bigint;
  readonly key: string;
  /** As in the request: '' is the single key. */
  readonly rangeEnd: string;
  /** Exclusive end of what is watched. */
  readonly end: string;
  readonly prevKv: boolean;
  readonly fragment: boolean;
  readonly progressNotify: boolean;
  /** As in the request: above the current revision there is no progress to tell. */
  readonly startRevision: Int64;
  /** The first revision whose events it has not been given. Of a synced one: if above the current. */
  next: number;
  state: WatcherState;
  /** No event since the last progress tick? */
  quiet = true;
  readonly #noPut: boolean;
  readonly #noDelete: boolean;

  constructor(stream: WatchStream, id: bigint, request: WatchCreateRequest, next: number) {
    this.stream = stream;
    this.id = id;
    this.key = request.key;
    this.rangeEnd = request.rangeEnd;
    this.end = endOfRange(request.key, request.rangeEnd);
    this.prevKv = request.prevKv;
    this.fragment = request.fragment;
    this.progressNotify = request.progressNotify;
    this.startRevision = request.startRevision;
    this.next = next;
    this.state = 'unsynced';
    this.#noPut = request.filters.includes(WatchFilter.noPut);
    this.#noDelete = request.filters.includes(WatchFilter.noDelete);
  }

  /** Do its filters let the event pass? */
  wants(event: Event): boolean {
    return event.type === 'put' ? !this.#noPut : !this.#noDelete;
  }

  /** Has it been given all there is, and does it not wait for a revision still to come? */
  isSynced(currentRevision: number): boolean {
    return this.state === 'synced' && this.startRevision <= currentRevision;
  }
}
