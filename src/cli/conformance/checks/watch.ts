/** Watch: what the stream answers to requests, and which events a watch gets. */
import { WatchFilter, type Event, type RequestOp, type WatchResponse } from '../../../api/index.js';
import type { Check } from '../check.js';
import { ODDITIES } from '../oddities.js';
import { pair, putOf, revisionOf, type Probe } from '../probe.js';

function summary(probe: Probe, events: readonly Event[]): string[] {
  return events.map(
    ({ type, kv }) => `${type} ${kv.key.slice(probe.prefix.length)}@${kv.modRevision}`,
  );
}

async function putTimes(probe: Probe, name: string, times: number): Promise<number[]> {
  const revisions = [];
  for (let i = 0; i < times; i++) revisions.push(revisionOf(await probe.put(name, String(i))));
  return revisions;
}

function refusalOf({ created, canceled, watchId, cancelReason }: WatchResponse) {
  return { created, canceled, watchId, cancelReason };
}

export const WATCH_CHECKS: readonly Check[] = [
  {
    name: 'watch/created-first',
    promise: 'the first answer says created, with watch_id 0 and the current revision',
    run: async (probe) => {
      const before = revisionOf(await probe.put('a'));
      const watch = await probe.watches();
      const { watchId, canceled, events, header } = await watch.createFor('a');
      probe.equal(
        'answer',
        { watchId, canceled, events },
        { watchId: 0n, canceled: false, events: [] },
      );
      const revision = header?.revision ?? 0;
      probe.that('header.revision', revision >= before, `${before} or more`, revision);
    },
  },
  {
    name: 'watch/put-event',
    promise: 'a put arrives as a PUT with the whole pair, under the revision of the put',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('a');
      const revision = revisionOf(await probe.put('a', '1'));
      const { header, events } = await watch.next('the event');
      const kv = pair(probe.key('a'), '1', [revision, revision, 1]);
      probe.equal('events', events, [{ type: 'put', kv }]);
      probe.equal('header.revision', header?.revision, revision);
    },
  },
  {
    name: 'watch/delete-event',
    promise: 'a deletion arrives as a DELETE with key and mod_revision only',
    run: async (probe) => {
      await probe.put('a', '1');
      const watch = await probe.watches();
      await watch.createFor('a');
      const revision = revisionOf(await probe.delete('a'));
      const events = await watch.events(1);
      const kv = pair(probe.key('a'), '', [0, revision, 0]);
      probe.equal('events', events, [{ type: 'delete', kv }]);
    },
  },
  {
    name: 'watch/prev-kv',
    promise: 'prev_kv comes with changes and deletions when asked for, not with creations',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('a', { prevKv: true });
      const first = revisionOf(await probe.put('a', '1'));
      const second = revisionOf(await probe.put('a', '2'));
      await probe.delete('a');
      const events = await watch.events(3);
      probe.equal(
        'prev_kv of creation, change and deletion',
        events.map(({ prevKv }) => prevKv),
        [
          undefined,
          pair(probe.key('a'), '1', [first, first, 1]),
          pair(probe.key('a'), '2', [first, second, 2]),
        ],
      );
    },
  },
  {
    name: 'watch/prev-kv-of-history',
    promise: 'prev_kv comes with events of the past, too',
    run: async (probe) => {
      const [first, second] = await putTimes(probe, 'a', 2);
      const watch = await probe.watches();
      await watch.createFor('a', { prevKv: true, startRevision: second! });
      const [event] = await watch.events(1);
      probe.equal('prev_kv', event?.prevKv, pair(probe.key('a'), '0', [first!, first!, 1]));
    },
  },
  {
    name: 'watch/prev-kv-unasked',
    promise: 'prev_kv does not come unasked',
    run: async (probe) => {
      await probe.put('a', '1');
      const watch = await probe.watches();
      await watch.createFor('a');
      await probe.put('a', '2');
      const [event] = await watch.events(1);
      probe.equal('prev_kv', event?.prevKv, undefined);
    },
  },
  {
    name: 'watch/only-its-key',
    promise: 'a watch of one key hears of no other',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('b');
      for (const name of ['a', 'b\0', 'bb', 'c']) await probe.put(name);
      const revision = revisionOf(await probe.put('b'));
      const events = await watch.events(1);
      probe.equal('events', summary(probe, events), [`put b@${revision}`]);
    },
  },
  {
    name: 'watch/range',
    promise: 'a watch of a range hears of all its keys and not of its end',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('b', { rangeEnd: probe.key('d') });
      const revisions = [];
      for (const name of ['a', 'b', 'c', 'd', 'bz']) {
        revisions.push(revisionOf(await probe.put(name)));
      }
      const events = await watch.events(3);
      const [, b, c, , bz] = revisions;
      probe.equal('events', summary(probe, events), [`put b@${b}`, `put c@${c}`, `put bz@${bz}`]);
    },
  },
  {
    name: 'watch/from-key',
    promise: 'range_end "\\0" watches every key from the first on',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('b', { rangeEnd: '\0' });
      await probe.put('a');
      const revision = revisionOf(await probe.put('c'));
      for (;;) {
        const [event] = (await watch.next('the event')).events;
        if (event === undefined || !event.kv.key.startsWith(probe.prefix)) continue;
        probe.equal('the first event of ours', summary(probe, [event]), [`put c@${revision}`]);
        return;
      }
    },
  },
  {
    name: 'watch/history',
    promise: 'a watch from a past revision gets every event from there on, once, in order',
    run: async (probe) => {
      const revisions = await putTimes(probe, 'a', 5);
      const watch = await probe.watches();
      await watch.createFor('a', { startRevision: revisions[1]! });
      const later = revisionOf(await probe.put('a'));
      const events = await watch.events(5);
      const expected = [...revisions.slice(1), later].map((revision) => `put a@${revision}`);
      probe.equal('events', summary(probe, events), expected);
      await watch.quiet('after all events');
    },
  },
  {
    name: 'watch/long-history',
    promise: 'more than a thousand old revisions come without a gap',
    timeoutMs: 20_000,
    run: async (probe) => {
      const revisions: number[] = [];
      for (let i = 0; i < 11; i++) {
        const puts = Array.from({ length: 100 }, () => probe.put('a'));
        revisions.push(...(await Promise.all(puts)).map(revisionOf));
      }
      revisions.sort((a, b) => a - b);
      probe.startOver();
      probe.note('1100 times Put {key: "P/a"}');
      const watch = await probe.watches();
      await watch.createFor('a', { startRevision: revisions[0]! });
      const events = await watch.events(revisions.length, 0n, 10_000);
      const got = events.map(({ kv }) => kv.modRevision);
      const gap = got.findIndex((revision, i) => revision !== revisions[i]);
      probe.equal('index of the first wrong event', gap, -1);
    },
  },
  {
    name: 'watch/history-meets-live',
    promise: 'nothing is lost or repeated where a watch from the past meets writes that go on',
    timeoutMs: 20_000,
    run: async (probe) => {
      for (let round = 0; round < 5; round++) {
        probe.startOver();
        const [first] = await putTimes(probe, 'a', 3);
        let going = true;
        const writer = (async () => {
          let last = 0;
          while (going) last = revisionOf(await probe.put('a'));
          return last;
        })();
        const watch = await probe.watches();
        await watch.createFor('a', { startRevision: first! });
        await probe.pause(50);
        going = false;
        const last = await writer;
        await checkUnbroken(probe, watch, last);
        watch.close();
      }
    },
  },
  {
    name: 'watch/start-now',
    promise: 'a watch from the revision of a put gets that put',
    run: async (probe) => {
      const revision = revisionOf(await probe.put('a'));
      const watch = await probe.watches();
      await watch.createFor('a', { startRevision: revision });
      probe.equal('events', summary(probe, await watch.events(1)), [`put a@${revision}`]);
    },
  },
  {
    name: 'watch/start-later',
    promise: 'a watch from a future revision shows nothing older',
    run: async (probe) => {
      const revision = revisionOf(await probe.put('a'));
      const watch = await probe.watches();
      const start = revision + 4;
      await watch.createFor('a', { startRevision: start });
      const revisions = await putTimes(probe, 'a', 6);
      const due = revisions.filter((each) => each >= start);
      const events = await watch.events(due.length);
      probe.equal(
        'events',
        summary(probe, events),
        due.map((each) => `put a@${each}`),
      );
    },
  },
  {
    name: 'watch/resume',
    promise: 'a watch from one after the last event seen goes on without gap or repetition',
    run: async (probe) => {
      const first = await probe.watches();
      await first.createFor('a');
      await putTimes(probe, 'a', 3);
      const seen = await first.events(3);
      first.close();
      const later = await putTimes(probe, 'a', 3);
      const second = await probe.watches();
      await second.createFor('a', { startRevision: seen.at(-1)!.kv.modRevision + 1 });
      const events = await second.events(3);
      probe.equal(
        'events',
        summary(probe, events),
        later.map((revision) => `put a@${revision}`),
      );
    },
  },
  {
    name: 'watch/filters',
    promise: 'NOPUT and NODELETE leave out what they say, and nothing is sent instead',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('a', { filters: [WatchFilter.noPut] });
      await watch.createFor('a', { filters: [WatchFilter.noDelete] });
      const put = revisionOf(await probe.put('a'));
      const deletion = revisionOf(await probe.delete('a'));
      const answers = [await watch.next('an event'), await watch.next('another event')];
      const got = answers.map(({ watchId, events }) => [watchId, ...summary(probe, events)]);
      const expected = [
        [1n, `put a@${put}`],
        [0n, `delete a@${deletion}`],
      ];
      probe.equal('watch_id and events', got, expected);
      await watch.quiet('after them');
    },
  },
  {
    name: 'watch/transaction-in-one-answer',
    promise: 'all events of one revision come in one answer, in the order of the operations',
    run: async (probe) => {
      await probe.put('c');
      const watch = await probe.watches();
      await watch.createForAll();
      const ops: RequestOp[] = ['b', 'a', 'd'].map((name) => ({
        kind: 'put',
        request: putOf(probe.key(name)),
      }));
      const deletion = { key: probe.key('c'), rangeEnd: '', prevKv: false };
      ops.splice(1, 0, { kind: 'deleteRange', request: deletion });
      const r = revisionOf(await probe.txn({ success: ops }));
      const { events } = await watch.next('the events');
      const expected = [`put b@${r}`, `delete c@${r}`, `put a@${r}`, `put d@${r}`];
      probe.equal('events of the answer', summary(probe, events), expected);
    },
  },
  {
    name: 'watch/revision-not-split',
    promise: 'history never splits the events of one revision over answers',
    run: async (probe) => {
      const start = revisionOf(await probe.put('z'));
      for (let i = 0; i < 20; i++) {
        const success = Array.from({ length: 100 }, (_, k): RequestOp => {
          return { kind: 'put', request: putOf(probe.key(`k${k}`)) };
        });
        await probe.txn({ success });
      }
      probe.startOver();
      probe.note('20 times Txn with 100 puts');
      const watch = await probe.watches();
      await watch.createForAll({ startRevision: start });
      let count = 0;
      let last = 0;
      while (count < 2001) {
        const { events } = await watch.next(`event ${count + 1}`);
        const first = events[0]?.kv.modRevision ?? 0;
        probe.that('first revision of an answer', first > last, `above ${last}`, first);
        last = events.at(-1)?.kv.modRevision ?? last;
        count += events.length;
      }
      probe.equal('events', count, 2001);
    },
  },
  {
    name: 'watch/chosen-id',
    promise: 'a chosen watch_id is used, also above 2^53 and below 0; unchosen ones avoid it',
    run: async (probe) => {
      const watch = await probe.watches();
      const ids = [1n, 2n ** 62n + 1n, -7n, 0n, 0n];
      const got = [];
      for (const watchId of ids) got.push((await watch.createFor('a', { watchId })).watchId);
      probe.equal('watch ids', got, [1n, 2n ** 62n + 1n, -7n, 0n, 2n]);
      await probe.put('a');
      const served = new Set<bigint>();
      while (served.size < 5) served.add((await watch.next('an event of each')).watchId);
    },
  },
  {
    name: 'watch/duplicate-id',
    promise: 'a watch_id in use is refused: created and canceled, watch_id -1, with a reason',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('a', { watchId: 5n });
      probe.equal('answer', refusalOf(await watch.createFor('b', { watchId: 5n })), {
        created: true,
        canceled: true,
        watchId: -1n,
        cancelReason: 'mvcc: duplicate watch ID provided on the WatchStream',
      });
      await probe.put('a');
      await watch.events(1, 5n);
    },
  },
  {
    name: 'watch/empty-range',
    promise: 'a range that ends at or before its first key is refused',
    run: async (probe) => {
      const watch = await probe.watches();
      const refused = await watch.createFor('b', { rangeEnd: probe.key('a') });
      probe.equal('answer', refusalOf(refused), {
        created: true,
        canceled: true,
        watchId: -1n,
        cancelReason: 'mvcc: watcher range is empty',
      });
    },
  },
  {
    name: 'watch/negative-start',
    promise: 'a negative start_revision is refused as compacted',
    run: async (probe) => {
      await probe.put('a');
      const watch = await probe.watches();
      const got = refusalOf(await watch.createFor('a', { startRevision: -1 }));
      const expected = {
        created: true,
        canceled: true,
        watchId: -1n,
        cancelReason: 'etcdserver: mvcc: required revision has been compacted',
      };
      probe.equal('answer', got, expected, {
        oddity: ODDITIES.negativeStart,
        got: { created: true, canceled: false, watchId: 0n, cancelReason: '' },
      });
    },
  },
  {
    name: 'watch/many-in-order',
    promise: 'two hundred create requests at once are answered in their order',
    run: async (probe) => {
      const watch = await probe.watches();
      for (let i = 0; i < 200; i++) watch.sendCreate({ key: probe.key(`k${i}`) });
      const ids = [];
      for (let i = 0; i < 200; i++) ids.push((await watch.next(`answer ${i + 1}`)).watchId);
      probe.startOver();
      probe.note('Watch#1 200 times create {key: "P/k0" to "P/k199"} without waiting');
      probe.equal('ids in order', ids, [...Array(200).keys()].map(BigInt));
      for (const i of [0, 99, 199]) {
        await probe.put(`k${i}`);
        const { watchId } = await watch.next('the event');
        probe.equal(`watch_id of the event of k${i}`, watchId, BigInt(i));
      }
    },
  },
  {
    name: 'watch/cancel',
    promise: 'a cancel is answered with canceled, and no event follows',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('a');
      watch.cancel(0n);
      const { canceled, watchId, compactRevision } = await watch.next('the answer to the cancel');
      probe.equal(
        'answer',
        { canceled, watchId, compactRevision },
        { canceled: true, watchId: 0n, compactRevision: 0 },
      );
      await probe.put('a');
      await watch.quiet('after the cancel');
    },
  },
  {
    name: 'watch/cancel-one-of-two',
    promise: 'a cancel ends one watch of the stream and no other; its id can be used again',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('a', { watchId: 3n });
      await watch.createFor('a', { watchId: 4n });
      watch.cancel(3n);
      await watch.next('the answer to the cancel');
      await probe.put('a');
      await watch.events(1, 4n);
      const again = await watch.createFor('b', { watchId: 3n });
      probe.equal('the id taken again', [again.canceled, again.watchId], [false, 3n]);
    },
  },
  {
    name: 'watch/cancel-unknown',
    promise: 'a cancel of an unknown watch_id, and an empty request, are passed over',
    run: async (probe) => {
      const watch = await probe.watches();
      watch.cancel(42n);
      watch.sendNothing();
      const { watchId } = await watch.createFor('a');
      probe.equal('watch_id of the first answer', watchId, 0n);
    },
  },
  {
    name: 'watch/half-close',
    promise: 'the stream goes on when the client says that no more requests will come',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('a');
      watch.halfClose();
      await probe.pause(100);
      await probe.put('a');
      await watch.events(1);
    },
  },
  {
    name: 'watch/two-on-one-key',
    promise: 'each of two watches of one key gets the event',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('a');
      await watch.createForAll();
      await probe.put('a');
      const ids = [(await watch.next('an event')).watchId, (await watch.next('another')).watchId];
      probe.equal('watch ids', new Set(ids), new Set([0n, 1n]));
    },
  },
  {
    name: 'watch/require-leader',
    promise: 'a stream with metadata hasleader: true works where there is a leader',
    run: async (probe) => {
      const watch = await probe.watches({ hasleader: 'true' });
      await watch.createFor('a');
      await probe.put('a');
      await watch.events(1);
    },
  },
  {
    name: 'watch/thousand',
    promise: 'a thousand watches of one key on one stream all get its event',
    timeoutMs: 20_000,
    run: async (probe) => {
      const watch = await probe.watches();
      for (let i = 0; i < 1000; i++) watch.sendCreate({ key: probe.key('a') });
      for (let i = 0; i < 1000; i++) await watch.next(`answer ${i + 1} to the create requests`);
      probe.startOver();
      probe.note('Watch#1 1000 times create {key: "P/a"}');
      await probe.put('a');
      const served = new Set<bigint>();
      while (served.size < 1000) served.add((await watch.next('an event of each')).watchId);
    },
  },
];

/** Every revision of key `a` from the first event to `last` came once: versions rise by one. */
async function checkUnbroken(
  probe: Probe,
  watch: { next(what: string): Promise<WatchResponse> },
  last: number,
): Promise<void> {
  let before: Event | undefined;
  while ((before?.kv.modRevision ?? 0) < last) {
    const { events } = await watch.next(`the event of revision ${last}`);
    for (const event of events) {
      if (before !== undefined) {
        probe.equal('version of the next event', event.kv.version, before.kv.version + 1);
      }
      before = event;
    }
  }
}
