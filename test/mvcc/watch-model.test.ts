/**
 * The guarantees of watches, checked over random lives: of watches that begin anywhere and end anywhere,
 * of sinks that fill and drain, of compactions and writes that come in between.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Event, WatchCreateRequest } from '../../src/api/index.js';
import {
  endOfRange,
  type Store,
  type WatchDelivery,
  type WatchStream,
} from '../../src/mvcc/index.js';
import { Model } from './model.js';
import {
  deleteRequest,
  openStore,
  putRequest,
  settle,
  txnRequest,
  watchRequest,
  yieldTurn,
} from './support.js';

const KEYS = ['a', 'a\0', 'b', 'c', '\xff'];
const key = fc.constantFrom(...KEYS);
const rangeEnd = fc.constantFrom('', '\0', 'b', 'c');

const STREAMS = 2;
const stream = fc.nat(STREAMS - 1);
const step = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('put' as const), key }), weight: 6 },
  {
    arbitrary: fc.record({
      kind: fc.constant('txn' as const),
      keys: fc.uniqueArray(key, { maxLength: 4 }),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: fc.constant('delete' as const), key, rangeEnd }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant('watch' as const),
      stream,
      key,
      rangeEnd,
      back: fc.integer({ min: -3, max: 12 }),
      fresh: fc.boolean(),
      prevKv: fc.boolean(),
      fragment: fc.boolean(),
      filters: fc.constantFrom<number[]>([], [], [0], [1]),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({ kind: fc.constant('cancel' as const), stream, id: fc.nat(4) }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('room' as const),
      stream,
      room: fc.constantFrom(0, 1, 2, 3, Infinity),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ kind: fc.constant('progress' as const), stream, tick: fc.boolean() }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: fc.constant('compact' as const), back: fc.nat(8) }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('yield' as const), turns: fc.nat(5) }), weight: 3 },
);

/** What a watch was given, and what it may expect. */
interface Life {
  request: WatchCreateRequest;
  first: number;
  events: { revision: number; header: number; event: Event; piece: number }[];
  ended: 'no' | 'cancelled' | 'compacted';
  compactRevision: number;
}

/** One client: checks what can be checked at the moment of delivery. */
class Client {
  readonly lives = new Map<bigint, Life>();
  readonly past: Life[] = [];
  /** Requests that wait for their answer, in order. */
  readonly asked: WatchCreateRequest[] = [];
  readonly stream: WatchStream;
  /** Deliveries until the sink says that it is full. */
  room = Infinity;
  #piece = 0;
  #open: { id: bigint; revision: number } | undefined;

  constructor(
    readonly store: Store,
    readonly model: Model,
  ) {
    this.stream = store.watch.openStream({ deliver: (delivery) => this.deliver(delivery) });
  }

  deliver(delivery: WatchDelivery): boolean {
    // Nothing may come between the fragments of a response.
    if (this.#open !== undefined) {
      assert.equal(delivery.kind, 'events');
      assert.deepEqual({ id: delivery.watchId, revision: delivery.revision }, this.#open);
    }
    switch (delivery.kind) {
      case 'created':
        this.#created(delivery.watchId, delivery.revision);
        break;
      case 'events':
        this.#events(delivery);
        break;
      case 'progress':
        this.#progress(delivery.watchId, delivery.revision);
        break;
      case 'canceled':
        this.#canceled(delivery);
        break;
      case 'refused':
        assert.fail('no request here is to be refused');
    }
    return --this.room > 0;
  }

  #created(id: bigint, revision: number): void {
    assert.ok(!this.lives.has(id), 'an id is given twice');
    const request = this.asked.shift()!;
    assert.equal(revision, this.model.revision);
    const first = request.startRevision === 0 ? revision + 1 : Number(request.startRevision);
    this.lives.set(id, { request, first, events: [], ended: 'no', compactRevision: 0 });
  }

  #events({ watchId, revision, batch, fragment }: WatchDelivery & { kind: 'events' }): void {
    const life = this.lives.get(watchId)!;
    assert.equal(life.ended, 'no');
    assert.ok(batch.events.length > 0);
    if (this.#open === undefined) this.#piece++;
    if (fragment) assert.ok(life.request.fragment);
    this.#open = fragment ? { id: watchId, revision } : undefined;
    for (const event of batch.events) {
      assert.ok(event.kv.modRevision <= revision);
      life.events.push({
        revision: event.kv.modRevision,
        header: revision,
        event,
        piece: this.#piece,
      });
    }
  }

  /** Bookmarkable: everything at or below `revision` has been delivered. */
  #progress(watchId: bigint, revision: number): void {
    assert.equal(revision, this.model.revision);
    const promised = watchId === -1n ? [...this.lives.values()] : [this.lives.get(watchId)!];
    for (const life of promised) {
      assert.equal(life.ended, 'no');
      assert.ok(life.request.startRevision <= revision);
      assert.deepEqual(
        revisionsOf(life),
        expectedEvents(this.model, life).map((e) => e.kv.modRevision),
      );
    }
  }

  #canceled({ watchId, revision, compactRevision }: WatchDelivery & { kind: 'canceled' }): void {
    const life = this.lives.get(watchId)!;
    if (compactRevision === 0) {
      life.ended = life.ended === 'no' ? 'cancelled' : life.ended;
      this.lives.delete(watchId);
      this.past.push(life);
      assert.equal(revision, this.model.revision);
    } else {
      assert.equal(life.ended, 'no');
      assert.equal(revision, 0);
      assert.equal(compactRevision, this.model.compactRevision);
      life.ended = 'compacted';
      life.compactRevision = compactRevision;
    }
  }
}

function revisionsOf(life: Life): number[] {
  return life.events.map(({ revision }) => revision);
}

/** All events that the watch should see, to the end of history. */
function expectedEvents(model: Model, { request, first }: Life): Event[] {
  const end = endOfRange(request.key, request.rangeEnd);
  return model.events
    .slice(first)
    .flat()
    .filter(({ kv }) => request.key <= kv.key && kv.key < end)
    .filter(({ type }) => !request.filters.includes(type === 'put' ? 0 : 1));
}

/** Ordered, unique, reliable, atomic, and for an ended watch: a prefix of that, cut between revisions. */
function checkLife(model: Model, life: Life): void {
  const expected = expectedEvents(model, life);
  const seen = life.events.map(({ event }) => ({ type: event.type, kv: event.kv }));
  assert.deepEqual(seen, expected.slice(0, seen.length));
  const missed = expected.slice(seen.length);
  if (life.ended === 'no') assert.deepEqual(missed, []);
  if (life.ended === 'compacted') {
    // Only what compaction took may be missing at the point where it was cut off.
    const read = seen.length === 0 ? life.first - 1 : seen.at(-1)!.kv.modRevision;
    assert.ok(read + 1 < life.compactRevision || life.first < life.compactRevision);
  }
  const last = seen.at(-1)?.kv.modRevision;
  assert.ok(last === undefined || missed.every(({ kv }) => kv.modRevision > last));
  for (const [i, { revision, piece, event }] of life.events.entries()) {
    if (life.events[i - 1]?.revision === revision) assert.equal(piece, life.events[i - 1]!.piece);
    checkPrevious(model, life, event);
  }
}

function checkPrevious(model: Model, { request }: Life, event: Event): void {
  if (!request.prevKv || event.prevKv !== undefined) {
    assert.deepEqual(event.prevKv, request.prevKv ? model.previous(event, -1) : undefined);
  } else {
    // Absent: there was none, or compaction may have taken it before the event was read.
    assert.ok(
      model.previous(event, -1) === undefined || event.kv.modRevision - 1 < model.compactRevision,
    );
  }
}

test('watches are ordered, unique, reliable, atomic, resumable and bookmarkable', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60, size: 'max' }),
      fc.constantFrom(0, 600, 1_000_000),
      fc.constantFrom(100, 250, 100_000),
      async (steps, watchWindowBytes, fragmentBytes) => {
        const failures: unknown[] = [];
        const { store } = await openStore({
          watchWindowBytes,
          fragmentBytes,
          onFailure: (error) => failures.push(error),
        });
        const model = new Model();
        const clients = Array.from({ length: STREAMS }, () => new Client(store, model));
        for (const one of steps) {
          switch (one.kind) {
            case 'put':
              model.write((write) => write.put(one.key, 'v'));
              store.put(putRequest({ key: one.key, value: 'v' }));
              break;
            case 'txn':
              model.write((write) => one.keys.forEach((k) => write.put(k, 'w')));
              store.txn(
                txnRequest({
                  success: one.keys.map((k) => ({
                    kind: 'put',
                    request: putRequest({ key: k, value: 'w' }),
                  })),
                }),
              );
              break;
            case 'delete':
              model.write((write) => write.deleteRange(one.key, endOfRange(one.key, one.rangeEnd)));
              store.deleteRange(deleteRequest({ key: one.key, rangeEnd: one.rangeEnd }));
              break;
            case 'watch': {
              if (one.rangeEnd !== '' && one.rangeEnd !== '\0' && one.key >= one.rangeEnd) break;
              const startRevision = one.fresh ? 0 : Math.max(0, model.revision - one.back);
              const request = watchRequest({ ...one, startRevision, progressNotify: true });
              clients[one.stream]!.asked.push(request);
              clients[one.stream]!.stream.create(request);
              break;
            }
            case 'cancel':
              clients[one.stream]!.stream.cancel(BigInt(one.id));
              break;
            case 'room':
              clients[one.stream]!.room = one.room;
              if (one.room > 0) clients[one.stream]!.stream.resume();
              break;
            case 'progress':
              if (one.tick) clients[one.stream]!.stream.progressTick();
              else clients[one.stream]!.stream.requestProgress();
              break;
            case 'compact':
              if (model.revision - one.back <= model.compactRevision) break;
              model.compactRevision = model.revision - one.back;
              await settleIf(one.back % 2 === 0, store.compact(model.compactRevision).finished);
              break;
            case 'yield':
              for (let i = 0; i < one.turns; i++) await yieldTurn();
              break;
          }
        }
        for (const client of clients) {
          client.room = Infinity;
          client.stream.resume();
        }
        await settle(20);
        assert.deepEqual(failures, []);
        for (const { lives, past, asked } of clients) {
          assert.deepEqual(asked, []);
          for (const life of [...lives.values(), ...past]) checkLife(model, life);
        }
        checkCounts(store, clients);
        for (const { stream } of clients) stream.close();
        const { streams, watchers } = store.watch.counts();
        assert.deepEqual({ streams, watchers }, { streams: 0, watchers: 0 });
        await store.close();
      },
    ),
    { numRuns: 400 },
  );
});

async function settleIf(wait: boolean, work: Promise<void>): Promise<void> {
  if (wait) await work;
}

function checkCounts(store: Store, clients: readonly Client[]): void {
  const lives = clients.flatMap(({ lives }) => [...lives.values()]);
  const { watchers, slow } = store.watch.counts();
  assert.equal(watchers, lives.length);
  assert.equal(slow, lives.filter(({ ended }) => ended === 'compacted').length);
}
