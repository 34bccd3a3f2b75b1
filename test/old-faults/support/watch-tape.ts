/** What a watch stream has answered, and questions about it. */
import assert from 'node:assert/strict';
import type {
  Event,
  WatchCreateRequest,
  WatchRequest,
  WatchResponse,
} from '../../../src/api/index.js';
import { eventually } from './eventually.js';

/** A watch of everything, from now on, but for `fields`. */
export function watchOf(fields: Partial<WatchCreateRequest> = {}): WatchCreateRequest {
  return {
    key: '\0',
    rangeEnd: '\0',
    startRevision: 0,
    progressNotify: false,
    filters: [],
    prevKv: false,
    watchId: 0n,
    fragment: false,
    ...fields,
  };
}

/** The watch id of answers that speak for the whole stream. */
export const EVERY_WATCH = -1n;

export abstract class WatchTape {
  /** In the order of their arrival. */
  readonly responses: WatchResponse[] = [];
  /** What ended the stream. */
  ended: unknown;

  protected abstract send(request: WatchRequest): void;
  /** Ends the stream from the client's side. */
  abstract close(): void;

  create(fields: Partial<WatchCreateRequest> = {}): void {
    this.send({ kind: 'create', request: watchOf(fields) });
  }

  cancel(watchId: bigint): void {
    this.send({ kind: 'cancel', watchId });
  }

  requestProgress(): void {
    this.send({ kind: 'progress' });
  }

  /** The answers to one watch; its creation is the first. */
  of(watchId: bigint): WatchResponse[] {
    return this.responses.filter((response) => response.watchId === watchId);
  }

  events(watchId: bigint): Event[] {
    return this.of(watchId).flatMap(({ events }) => events);
  }

  /** Revisions of the events of one watch, one for each event. */
  revisions(watchId: bigint): number[] {
    return this.events(watchId).map(({ kv }) => kv.modRevision);
  }

  /** Answers to progress requests: the revisions up to which nothing is still to come. */
  progress(): number[] {
    return this.of(EVERY_WATCH)
      .filter(({ canceled }) => !canceled)
      .map((response) => response.header!.revision);
  }

  /** Waits until the watch has been given an event of `revision` or later. */
  async reaches(watchId: bigint, revision: number): Promise<void> {
    await eventually(() => (this.revisions(watchId).at(-1) ?? 0) >= revision);
  }

  /** Waits for an answer without events, to this watch, that stands at `revision` or later. */
  async reportsProgress(watchId: bigint, revision: number): Promise<void> {
    await eventually(() =>
      this.of(watchId).some(
        ({ created, canceled, events, header }) =>
          !created && !canceled && events.length === 0 && header!.revision >= revision,
      ),
    );
  }

  /** Waits until the watch has ended and returns its last answer. */
  async canceled(watchId: bigint): Promise<WatchResponse> {
    return eventually(() => this.of(watchId).find(({ canceled }) => canceled));
  }
}

/** The whole numbers from `first` through `last`. */
export function numbers(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}

/**
 * The guarantee of bookmarks: after an answer without events at revision R (for one watch, or for all
 * that the stream has then) no event at or below R may come.
 */
export function assertNoProgressAheadOfEvents(tape: WatchTape): void {
  const promised = new Map<bigint, number>();
  for (const { watchId, header, events, created, canceled } of tape.responses) {
    for (const { kv } of events) {
      const bound = promised.get(watchId)!;
      assert.ok(kv.modRevision > bound, `event ${kv.modRevision} after progress ${bound}`);
    }
    if (created) promised.set(watchId, 0);
    if (events.length > 0 || created || canceled) continue;
    const promisedTo = watchId === EVERY_WATCH ? [...promised.keys()] : [watchId];
    for (const id of promisedTo) promised.set(id, header!.revision);
  }
}
