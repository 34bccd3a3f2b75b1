/** A watch stream of a store in this process, whose reader may stop taking answers. */
import type { WatchRequest } from '../../../src/api/index.js';
import { LOCAL_CALL } from '../../../src/embed/local-call.js';
import type { Kvorum } from '../../../src/embed/index.js';
import type { StreamReader } from '../../../src/server/index.js';
import { WatchTape } from './watch-tape.js';

export class LocalWatch extends WatchTape {
  readonly #reader: StreamReader<WatchRequest>;
  #reading = true;
  #drained = () => {};

  constructor(store: Kvorum) {
    super();
    this.#reader = store.services.watch.open(
      {
        respond: (head, batch) => {
          this.responses.push({ ...head, events: [...(batch?.events ?? [])] });
          return this.#reading;
        },
        onDrain: (action) => (this.#drained = action),
        end: (error) => (this.ended = error ?? 'ok'),
      },
      LOCAL_CALL,
    );
  }

  protected override send(request: WatchRequest): void {
    void this.#reader.message(request);
  }

  override close(): void {
    this.#reader.cancel();
  }

  /** From the next answer on the stream counts as full. */
  stopReading(): void {
    this.#reading = false;
  }

  readOn(): void {
    this.#reading = true;
    this.#drained();
  }
}
