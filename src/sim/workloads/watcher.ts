/**
 * A watcher as a careful client writes it: it remembers how far it has got, and when its connection goes
 * it asks another member to go on from there. If that has been compacted, a new watcher begins at the
 * compaction.
 */
import type { WatchCreateRequest, WatchResponse } from '../../api/index.js';
import type { OpenWatch, WorkloadClient } from './workload-client.js';

export interface WatcherOptions {
  /** `startRevision` 0 begins at the next change. */
  readonly request: WatchCreateRequest;
  /** A number that no other watcher of the run has, or a new one after a compaction. */
  readonly nextId: () => number;
  readonly place: number;
  /** Virtual milliseconds between a loss and the next try; up to eight times that if tries fail. */
  readonly retryMs: number;
  /** Ask for progress right after each create request, while history is still being read. */
  readonly eager?: boolean;
  readonly onResponse?: (response: WatchResponse) => void;
  /**
   * What it needs was compacted at this revision. Return the revision to begin anew at (the compaction's
   * own, say), or undefined to give up.
   */
  readonly onCompacted?: (revision: number) => Promise<number | undefined>;
}

export class Watcher {
  readonly #client: WorkloadClient;
  readonly #options: WatcherOptions;
  #id: number;
  #place: number;
  /** The first revision not seen yet; 0 before that is known. */
  #position: number;
  #watch: OpenWatch | undefined;
  #stopped = false;
  /** Tries since the last that got an answer. */
  #failures = 0;

  constructor(client: WorkloadClient, options: WatcherOptions) {
    this.#client = client;
    this.#options = options;
    this.#id = options.nextId();
    this.#place = options.place;
    this.#position = Number(options.request.startRevision);
    this.#open();
  }

  /** The first revision not seen yet; 0 when it began at the next change and has heard nothing. */
  get position(): number {
    return this.#position;
  }

  requestProgress(): void {
    this.#watch?.requestProgress();
  }

  /** Leaves its member for another, which goes on from where it was. */
  move(places: number): void {
    if (this.#stopped || this.#watch === undefined) return;
    this.#watch.cancel();
    this.#place += places;
    this.#open();
  }

  stop(): void {
    this.#stopped = true;
    this.#watch?.cancel();
    this.#watch = undefined;
  }

  #open(): void {
    const request = { ...this.#options.request, startRevision: this.#position };
    let compactRevision = 0;
    const watch = this.#client.watch(this.#place, this.#id, request, {
      response: (response) => {
        if (this.#watch !== watch) return;
        compactRevision = response.compactRevision;
        this.#take(response);
      },
      ended: () => {
        if (this.#watch !== watch) return;
        this.#watch = undefined;
        void this.#goOn(compactRevision);
      },
    });
    this.#watch = watch;
    if (this.#options.eager === true) watch.requestProgress();
  }

  #take(response: WatchResponse): void {
    this.#failures = 0;
    this.#position = Math.max(this.#position, nextAfter(response, this.#position));
    this.#options.onResponse?.(response);
  }

  async #goOn(compactRevision: number): Promise<void> {
    if (compactRevision > 0 && !(await this.#beginAnew(compactRevision))) return;
    await this.#client.sleep(this.#options.retryMs * 2 ** Math.min(this.#failures++, 3));
    if (this.#stopped || this.#client.stopping) return;
    this.#place++;
    this.#open();
  }

  async #beginAnew(compactRevision: number): Promise<boolean> {
    const { onCompacted, nextId } = this.#options;
    const from = onCompacted === undefined ? compactRevision : await onCompacted(compactRevision);
    if (from === undefined) return false;
    this.#id = nextId();
    this.#position = from;
    return true;
  }
}

/** Where a watch at `position` stands after `response`. */
function nextAfter(response: WatchResponse, position: number): number {
  const { events, created, canceled, fragment } = response;
  const revision = response.header?.revision ?? 0;
  if (canceled) return position;
  if (created) return position === 0 ? revision + 1 : position;
  const last = events.at(-1)?.kv.modRevision;
  // Of a revision in fragments more is to come; events of earlier revisions are complete.
  if (last !== undefined) return fragment ? last : last + 1;
  return revision + 1;
}
