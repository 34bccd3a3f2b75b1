/** Events on their way to watchers, put together once for all that get the same. */
import type { Event, KeyValue } from '../api/index.js';
import type { Watcher } from './watcher.js';
import type { Change } from './write-txn.js';

/** Upper bound of what an event's and a pair's fields take beside keys and values. */
const EVENT_OVERHEAD_BYTES = 16;
const PAIR_OVERHEAD_BYTES = 64;

/** Never less than the encoded size of `event` within a response. */
export function eventSizeBytes({ kv, prevKv }: Event): number {
  return EVENT_OVERHEAD_BYTES + pairSize(kv) + (prevKv === undefined ? 0 : pairSize(prevKv));
}

function pairSize({ key, value }: KeyValue): number {
  return PAIR_OVERHEAD_BYTES + key.length + value.length;
}

/** The events of one response. Shared between watchers: nothing in it may be changed. */
export class EventBatch {
  readonly events: readonly Event[];
  /** For the service: the encoding of `events`, made for the first watcher and used for all. */
  encoded: Uint8Array | undefined;
  #pieces: EventBatch[] | undefined;

  constructor(events: readonly Event[]) {
    this.events = events;
  }

  /** The batch cut into pieces of at most `limitBytes`, but at least one event each. */
  pieces(limitBytes: number): readonly EventBatch[] {
    this.#pieces ??= this.#cut(limitBytes);
    return this.#pieces;
  }

  #cut(limitBytes: number): EventBatch[] {
    const pieces: EventBatch[] = [];
    let start = 0;
    let bytes = 0;
    this.events.forEach((event, i) => {
      const size = eventSizeBytes(event);
      if (i > start && bytes + size > limitBytes) {
        pieces.push(new EventBatch(this.events.slice(start, i)));
        start = i;
        bytes = 0;
      }
      bytes += size;
    });
    if (start === 0) return [this];
    pieces.push(new EventBatch(this.events.slice(start)));
    return pieces;
  }
}

/** A row of events; watchers that were given the same ones stand at the same node. */
interface Row {
  readonly before: Row | undefined;
  readonly event: Event | undefined;
  batch: EventBatch | undefined;
}

/** The pair before an event, for watchers that ask for it. */
export type PreviousOf = (change: Change) => KeyValue | undefined;

/**
 * Gathers, event by event, what each watcher is to get. Rows are shared as long as they are equal, so
 * that a thousand watchers of one prefix get one batch.
 */
export class BatchBuilder {
  readonly #rows = new Map<Watcher, Row>();
  readonly #previousOf: PreviousOf;
  readonly #plainStart = emptyRow();
  readonly #previousStart = emptyRow();
  /** Rows that the current change continues, and their continuations. */
  #continued = new Map<Row, Row>();
  #change: Change | undefined;
  #withPrevious: Event | undefined;
  /** How many (watcher, event) pairs were added. */
  additions = 0;
  /** Size of the changes added, each counted once, with the pair before if one is wanted. No watcher gets more. */
  bytes = 0;

  constructor(previousOf: PreviousOf) {
    this.#previousOf = previousOf;
  }

  /** Appends `change` to what `watcher` gets. Changes come in order, each for all its watchers. */
  add(watcher: Watcher, change: Change): void {
    if (this.#change !== change) {
      this.#change = change;
      this.#withPrevious = undefined;
      this.bytes += eventSizeBytes(change.event);
      if (this.#continued.size > 0) this.#continued = new Map();
    }
    const start = watcher.prevKv ? this.#previousStart : this.#plainStart;
    const row = this.#rows.get(watcher) ?? start;
    this.#rows.set(watcher, this.#continuation(row, watcher.prevKv, change));
    this.additions++;
  }

  /** Watchers with their batches, in the order in which they got their first event. */
  *batches(): IterableIterator<[Watcher, EventBatch]> {
    for (const [watcher, row] of this.#rows) yield [watcher, batchOf(row)];
  }

  /** `watcher` has been given its batch. */
  taken(watcher: Watcher): void {
    this.#rows.delete(watcher);
  }

  /** Is there a batch for `watcher` that it has not been given? */
  isUntaken(watcher: Watcher): boolean {
    return this.#rows.has(watcher);
  }

  #continuation(row: Row, prevKv: boolean, change: Change): Row {
    const known = this.#continued.get(row);
    if (known !== undefined) return known;
    const event = prevKv ? this.#eventWithPrevious(change) : change.event;
    const made: Row = { before: row, event, batch: undefined };
    this.#continued.set(row, made);
    return made;
  }

  #eventWithPrevious(change: Change): Event {
    if (this.#withPrevious === undefined) {
      const prevKv = this.#previousOf(change);
      this.#withPrevious = prevKv === undefined ? change.event : { ...change.event, prevKv };
      if (prevKv !== undefined) this.bytes += pairSize(prevKv);
    }
    return this.#withPrevious;
  }
}

function emptyRow(): Row {
  return { before: undefined, event: undefined, batch: undefined };
}

function batchOf(row: Row): EventBatch {
  row.batch ??= new EventBatch(eventsOf(row));
  return row.batch;
}

function eventsOf(row: Row): Event[] {
  const events: Event[] = [];
  for (let at = row; at.event !== undefined; at = at.before!) events.push(at.event);
  return events.reverse();
}
