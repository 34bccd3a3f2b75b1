/** The Watch service: any number of watches on one stream, which is reopened when it breaks. */
import {
  etcdError,
  isEtcdError,
  type EtcdError,
  type Int64,
  type WatchCreateRequest,
  type WatchRequest,
  type WatchResponse,
} from '../api/index.js';
import type { Connection } from './connection.js';
import { isFinal } from './errors.js';
import type { Stream } from './link.js';
import { methods } from './method.js';
import { setTimeout as pause } from 'node:timers/promises';

export interface WatchClient {
  /**
   * Yields the answers of one watch (without the first, which says that it was created): events,
   * progress, and at last one with `canceled` set. A broken connection is taken up again after the
   * last event seen. Refusals that no reconnect helps against are thrown as EtcdError. Returning
   * from the loop cancels the watch.
   */
  watch(request: WatchCreateRequest): AsyncGenerator<WatchResponse>;
  /** Asks for one progress answer: every watch gets it once all of the stream have caught up. */
  requestProgress(): void;
}

/** A watch request for one key from now on; spread it and change what differs. */
export function watchOf(key: string): WatchCreateRequest {
  return {
    key,
    rangeEnd: '',
    startRevision: 0,
    progressNotify: false,
    filters: [],
    prevKv: false,
    watchId: 0n,
    fragment: false,
  };
}

export function createWatchClient(connection: Connection): WatchClient {
  return new Watcher(connection);
}

type WatchStream = Stream<WatchRequest, WatchResponse>;

/** The watch id of answers that concern every watch of the stream. */
const EVERY_WATCH = -1n;
const REOPEN_PAUSE_MS = 100;

/** One watch: what to ask for after a reconnect, and what its reader has not taken yet. */
class Watch {
  id: bigint | undefined;
  private readonly waiting: WatchResponse[] = [];
  private failure: unknown;
  private wake: (() => void) | undefined;

  constructor(private request: WatchCreateRequest) {}

  /** The request that goes on where this watch stands. */
  resumeRequest(): WatchCreateRequest {
    return this.request;
  }

  deliver(response: WatchResponse): void {
    this.request = { ...this.request, startRevision: this.nextRevision(response) };
    this.waiting.push(response);
    this.wake?.();
  }

  fail(error: unknown): void {
    this.failure = error;
    this.wake?.();
  }

  async next(): Promise<WatchResponse> {
    for (;;) {
      const response = this.waiting.shift();
      if (response !== undefined) return response;
      if (this.failure !== undefined) throw this.failure;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Events reach to their last revision, progress to the header's; a start beyond that stays. */
  private nextRevision(response: WatchResponse): Int64 {
    const last = response.events.at(-1)?.kv.modRevision ?? response.header?.revision ?? 0;
    const next = last + 1;
    return next > this.request.startRevision ? next : this.request.startRevision;
  }

  /** A watch from "now" starts at the revision at which it was created. */
  created(response: WatchResponse): void {
    this.id = response.watchId;
    const revision = response.header?.revision ?? 0;
    if (this.request.startRevision <= 0 && revision > 0) {
      this.request = { ...this.request, startRevision: revision + 1 };
    }
  }
}

class Watcher implements WatchClient {
  private readonly watches = new Set<Watch>();
  /** Watches whose `created` answer is due, in the order of their requests. */
  private creating: Watch[] = [];
  private stream: WatchStream | undefined;
  private opening = false;
  private wantsProgress = false;

  constructor(private readonly connection: Connection) {}

  async *watch(request: WatchCreateRequest): AsyncGenerator<WatchResponse> {
    const watch = new Watch(request);
    this.watches.add(watch);
    if (this.stream !== undefined) this.create(this.stream, watch);
    else if (!this.opening) void this.run();
    try {
      for (;;) {
        const response = await watch.next();
        yield response;
        if (response.canceled) return;
      }
    } finally {
      this.drop(watch);
    }
  }

  requestProgress(): void {
    if (this.stream !== undefined) this.stream.send({ kind: 'progress' });
    else this.wantsProgress = true;
  }

  private create(stream: WatchStream, watch: Watch): void {
    watch.id = undefined;
    this.creating.push(watch);
    stream.send({ kind: 'create', request: watch.resumeRequest() });
  }

  private drop(watch: Watch): void {
    if (!this.watches.delete(watch)) return;
    if (this.watches.size === 0) this.stream?.cancel();
    else if (watch.id !== undefined) this.stream?.send({ kind: 'cancel', watchId: watch.id });
  }

  /** Keeps a stream open as long as there are watches. */
  private async run(): Promise<void> {
    this.opening = true;
    while (this.watches.size > 0) {
      const failure = await this.runStream();
      this.stream = undefined;
      this.creating = [];
      if (isEtcdError(failure) && isFinal(failure)) this.failAll(failure);
      this.connection.moveOn();
      if (this.watches.size > 0) await pause(REOPEN_PAUSE_MS);
    }
    this.opening = false;
  }

  /** One stream from opening to its end; returns what ended it. */
  private async runStream(): Promise<EtcdError> {
    try {
      const stream = await this.connection.stream(methods.watch, { hasleader: 'true' });
      this.stream = stream;
      for (const watch of this.watches) this.create(stream, watch);
      if (this.wantsProgress) stream.send({ kind: 'progress' });
      this.wantsProgress = false;
      for await (const response of stream) this.dispatch(response);
      return etcdError('stopped');
    } catch (error) {
      if (isEtcdError(error)) return error;
      throw error;
    }
  }

  private failAll(error: EtcdError): void {
    for (const watch of this.watches) watch.fail(error);
    this.watches.clear();
  }

  private dispatch(response: WatchResponse): void {
    if (response.created) return this.onCreated(response);
    for (const watch of this.watches) {
      const concerned = watch.id === response.watchId || response.watchId === EVERY_WATCH;
      if (concerned) this.hand(watch, response);
    }
  }

  private onCreated(response: WatchResponse): void {
    const watch = this.creating.shift();
    if (watch === undefined) return;
    watch.created(response);
    if (response.canceled) this.hand(watch, response);
    else if (!this.watches.has(watch)) {
      this.stream?.send({ kind: 'cancel', watchId: response.watchId });
    }
  }

  private hand(watch: Watch, response: WatchResponse): void {
    if (response.canceled) this.watches.delete(watch);
    watch.deliver(response);
  }
}
