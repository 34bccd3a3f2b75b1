/** One watch on a stream of its own, recorded. */
import type { WatchCreateRequest, WatchRequest, WatchResponse } from '../../src/api/index.js';
import type { Link, Stream } from '../../src/client/link.js';
import { methods } from '../../src/client/method.js';
import type { WatchRecording } from '../../src/sim/history.js';
import type { OpenWatch, WatchListener } from '../../src/sim/workloads/workload-client.js';

export interface FireWatchOptions {
  /** Of this watch alone. */
  readonly link: Link;
  readonly request: WatchCreateRequest;
  readonly requireLeader: boolean;
  readonly recording: WatchRecording;
  readonly listener: WatchListener;
  readonly over: () => void;
}

/** A member that cannot be reached for so long is given up. */
const CONNECT_TIMEOUT_MS = 2000;

export class FireWatch implements OpenWatch {
  readonly #options: FireWatchOptions;
  #stream: Stream<WatchRequest, WatchResponse> | undefined;
  #wantsProgress = false;
  #isOver = false;

  constructor(options: FireWatchOptions) {
    this.#options = options;
    void this.#run();
  }

  requestProgress(): void {
    if (this.#stream === undefined) this.#wantsProgress = true;
    else this.#stream.send({ kind: 'progress' });
  }

  cancel(): void {
    this.#end('client');
  }

  async #run(): Promise<void> {
    const { link, request, requireLeader } = this.#options;
    const isReady = await link.isReady(Date.now() + CONNECT_TIMEOUT_MS);
    if (!isReady) return this.#end('lost');
    if (this.#isOver) return;
    const stream = link.stream(methods.watch, requireLeader ? { hasleader: 'true' } : {});
    this.#stream = stream;
    stream.send({ kind: 'create', request });
    if (this.#wantsProgress) stream.send({ kind: 'progress' });
    try {
      for await (const response of stream) this.#take(response);
    } catch {
      // Whatever ended the stream, the watch is lost.
    }
    this.#end('lost');
  }

  #take(response: WatchResponse): void {
    if (this.#isOver) return;
    this.#options.recording.arrived(response);
    this.#options.listener.response(response);
    if (response.canceled) this.#end('canceled');
  }

  #end(why: 'client' | 'lost' | 'canceled'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { recording, listener, link, over } = this.#options;
    recording.ended(why);
    this.#stream?.cancel();
    link.close();
    over();
    if (why !== 'client') listener.ended();
  }
}
