/**
 * Watchers that come and go, beside writers that keep them busy: from now, from the past, from the first
 * revision; filtered or not; asking for progress; moving to another member; and some compaction.
 */
import { WatchFilter, type RequestOp } from '../../api/index.js';
import type { Chance } from '../chance.js';
import { drawPlan, walk, type Position } from './plan.js';
import { deleteRequest, prefixEnd, putRequest, txnRequest, watchRequest } from './requests.js';
import { Session } from './session.js';
import { Watcher } from './watcher.js';
import type { Timed, Workload, WorkloadClient } from './workload-client.js';

export const WATCH_PREFIX = 'watch/';
export const WATCH_KEYS = ['watch/a', 'watch/b', 'watch/c', 'watch/d'] as const;

export type WatchStep = Timed & { readonly place: number } & WatchAction;

/** `watcher`: one of the client's watchers, counted modulo those it has; nothing happens without any. */
export type WatchAction =
  | {
      readonly op: 'open';
      readonly key: string;
      readonly rangeEnd: string;
      /** Now, the first revision, or so many revisions back. */
      readonly from: 'now' | 'first' | number;
      readonly filters: readonly number[];
      readonly prevKv: boolean;
      readonly progressNotify: boolean;
      readonly fragment: boolean;
      /** Asks for progress with the creation, and again whenever it resumes. */
      readonly eager: boolean;
    }
  | { readonly op: 'move'; readonly watcher: number; readonly places: number }
  | { readonly op: 'progress'; readonly watcher: number }
  | { readonly op: 'close'; readonly watcher: number }
  | { readonly op: 'put'; readonly key: string; readonly value: string }
  /** `thenCompact`: at the very revision of the deletion, whose tombstones watchers may still ask for. */
  | {
      readonly op: 'delete';
      readonly key: string;
      readonly rangeEnd: string;
      readonly thenCompact: boolean;
    }
  /** Several keys in one revision: watchers must get them together. */
  | { readonly op: 'putAll'; readonly keys: readonly string[]; readonly value: string }
  /** So many puts at once, and progress asked for while their events are on their way. */
  | {
      readonly op: 'burst';
      readonly key: string;
      readonly value: string;
      readonly puts: number;
    }
  | { readonly op: 'compact'; readonly back: number };

export const watchWorkload: Workload<WatchStep> = {
  name: 'watch',
  plan: (random, options) =>
    drawPlan<WatchStep>(random, options, (chance, position) => ({
      place: chance.integer(0, 9),
      ...drawAction(chance, position),
    })),
  run: async (client, plan) => {
    const watching = new Watching(client);
    await walk(client, plan, (step) => watching.take(step));
  },
};

const WEIGHTS: readonly [WatchAction['op'], number][] = [
  ['put', 35],
  ['putAll', 15],
  ['delete', 12],
  ['open', 10],
  ['move', 10],
  ['progress', 12],
  ['burst', 8],
  ['close', 3],
  ['compact', 3],
];

function drawAction(chance: Chance, position: Position): WatchAction {
  const weighted = WEIGHTS.flatMap(([name, weight]) => Array<typeof name>(weight).fill(name));
  // Somebody must watch.
  const op = position.step === 0 ? 'open' : chance.pick(weighted);
  const key = chance.pick(WATCH_KEYS);
  const value = `watch${position.client}.${position.step}`;
  switch (op) {
    case 'open':
      return drawOpen(chance, key);
    case 'move':
      return { op, watcher: chance.integer(0, 9), places: chance.integer(0, 2) };
    case 'progress':
    case 'close':
      return { op, watcher: chance.integer(0, 9) };
    case 'put':
      return { op, key, value };
    case 'delete':
      return {
        op,
        key,
        rangeEnd: chance.happens(0.3) ? prefixEnd(WATCH_PREFIX) : '',
        thenCompact: chance.happens(0.15),
      };
    case 'putAll':
      return { op, keys: WATCH_KEYS.slice(0, chance.integer(2, WATCH_KEYS.length)), value };
    case 'burst':
      return { op, key, value, puts: chance.integer(5, 20) };
    case 'compact':
      return { op, back: chance.integer(0, 10) };
  }
}

function drawOpen(chance: Chance, key: string): WatchAction {
  const filters = [[], [], [], [WatchFilter.noPut], [WatchFilter.noDelete]] as const;
  return {
    op: 'open',
    ...(chance.happens(0.4)
      ? { key, rangeEnd: '' }
      : { key: WATCH_PREFIX, rangeEnd: prefixEnd(WATCH_PREFIX) }),
    from: chance.pick(['now', 'first', chance.integer(0, 20)] as const),
    filters: chance.pick(filters),
    prevKv: chance.happens(0.5),
    progressNotify: chance.happens(0.5),
    fragment: chance.happens(0.3),
    eager: chance.happens(0.5),
  };
}

/** A client's watchers stay open when it is done: what they still get is judged, too. */
class Watching {
  readonly #client: WorkloadClient;
  readonly #session: Session;
  readonly #watchers: Watcher[] = [];
  #opened = 0;

  constructor(client: WorkloadClient) {
    this.#client = client;
    this.#session = new Session(client);
  }

  async take(step: WatchStep): Promise<void> {
    switch (step.op) {
      case 'open':
        return void this.#watchers.push(this.#open(step));
      case 'move':
        return this.#watcherOf(step)?.move(step.places);
      case 'progress':
        return this.#watcherOf(step)?.requestProgress();
      case 'close':
        return this.#close(step);
      case 'burst':
        return this.#burst(step);
      default:
        return write(this.#session, step);
    }
  }

  #watcherOf({ watcher }: { watcher: number }): Watcher | undefined {
    return this.#watchers[watcher % this.#watchers.length];
  }

  #close(step: { watcher: number }): void {
    const watcher = this.#watcherOf(step);
    if (watcher === undefined) return;
    watcher.stop();
    this.#watchers.splice(this.#watchers.indexOf(watcher), 1);
  }

  async #burst({ place, key, value, puts }: WatchStep & { op: 'burst' }): Promise<void> {
    const all = Array.from({ length: puts }, (_, i) =>
      this.#session.ask(place, 'put', putRequest(key, `${value}.${i}`)),
    );
    for (let times = 0; times < 3; times++) {
      await this.#client.sleep(2);
      for (const watcher of this.#watchers) watcher.requestProgress();
    }
    await Promise.all(all);
  }

  #open(step: WatchStep & { op: 'open' }): Watcher {
    const { key, rangeEnd, from, filters, prevKv, progressNotify, fragment, eager, place } = step;
    const past = from === 'first' ? 1 : this.#session.revisionBefore(Number(from));
    return new Watcher(this.#client, {
      request: watchRequest(key, {
        rangeEnd,
        startRevision: from === 'now' ? 0 : past,
        filters: [...filters],
        prevKv,
        progressNotify,
        fragment,
      }),
      nextId: () => watcherId(this.#client.id, this.#opened++),
      place,
      eager,
      retryMs: 100,
      onResponse: ({ header }) => this.#session.sees(header?.revision ?? 0),
    });
  }
}

/** A watcher's number that no other client's has. */
export function watcherId(clientId: number, count: number): number {
  return clientId * 100_000 + count;
}

type Write = Extract<WatchAction, { op: 'put' | 'delete' | 'putAll' | 'compact' }>;

async function write(session: Session, step: Write & { place: number }): Promise<void> {
  const { place } = step;
  switch (step.op) {
    case 'put':
      await session.ask(place, 'put', putRequest(step.key, step.value));
      return;
    case 'delete':
      return deleteAll(session, step);
    case 'putAll': {
      const success = step.keys.map((key): RequestOp => {
        return { kind: 'put', request: putRequest(key, step.value) };
      });
      await session.ask(place, 'txn', txnRequest({ success }));
      return;
    }
    case 'compact': {
      const revision = session.revisionBefore(step.back);
      await session.ask(place, 'compact', { revision, physical: false });
      return;
    }
  }
}

async function deleteAll(
  session: Session,
  { place, key, rangeEnd, thenCompact }: Write & { op: 'delete' } & { place: number },
): Promise<void> {
  const deleted = await session.ask(place, 'deleteRange', deleteRequest(key, { rangeEnd }));
  if (!thenCompact || deleted?.header === undefined) return;
  await session.ask(place, 'compact', { revision: deleted.header.revision, physical: false });
}
