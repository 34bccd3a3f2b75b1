/**
 * Compaction, above all its boundary. Every check compacts at revisions that it has just written; all
 * older ones are lost to all users of the server, so these run only when asked for.
 */
import type { RequestOp } from '../../../api/index.js';
import { rangeOf } from '../../../client/index.js';
import type { Check } from '../check.js';
import { ODDITIES } from '../oddities.js';
import { pair, putOf, revisionOf, type Probe } from '../probe.js';
import type { WatchProbe } from '../watch-probe.js';

/** How often a race is run. */
const RACES = 60;

async function putTimes(probe: Probe, name: string, times: number): Promise<number[]> {
  const revisions = [];
  for (let i = 0; i < times; i++) revisions.push(revisionOf(await probe.put(name, String(i))));
  return revisions;
}

/** What a watch that started below the compacted revision must answer. */
async function compactedAnswer(probe: Probe, watch: WatchProbe): Promise<number> {
  const { canceled, compactRevision, created, events } = await watch.next('canceled as compacted');
  probe.equal(
    'answer',
    { canceled, created, events },
    { canceled: true, created: false, events: [] },
  );
  return compactRevision;
}

function compactionCheck(check: Omit<Check, 'compacts'>): Check {
  return { ...check, compacts: true };
}

export const COMPACTION_CHECKS: readonly Check[] = [
  compactionCheck({
    name: 'compaction/boundary',
    promise: 'the compacted revision can be read, the one before cannot',
    run: async (probe) => {
      const [first, second] = await putTimes(probe, 'a', 3);
      await probe.compact(second!);
      const at = await probe.get('a', { revision: second! });
      probe.equal('value at the compacted revision', at.kvs[0]?.value, '1');
      await probe.refused('Range before it', probe.get('a', { revision: first! }), 'compacted');
    },
  }),
  compactionCheck({
    name: 'compaction/refusals',
    promise: 'compacting in the future, or at or below the compacted revision, is refused',
    run: async (probe) => {
      const [first, second] = await putTimes(probe, 'a', 2);
      const future = probe.compact(second! + 1_000_000_000);
      await probe.refused('Compact in the future', future, 'futureRev');
      await probe.compact(second!);
      await probe.refused('Compact again', probe.compact(second!), 'compacted');
      await probe.refused('Compact below', probe.compact(first!), 'compacted');
      await probe.refused('Compact at 0', probe.compact(0), 'compacted');
      await probe.refused('Compact at -1', probe.compact(-1), 'compacted');
    },
  }),
  compactionCheck({
    name: 'compaction/current',
    promise: 'compacting at the current revision leaves every key as it is',
    run: async (probe) => {
      const [first, second] = await putTimes(probe, 'a', 2);
      await probe.put('b');
      const revision = revisionOf(await probe.delete('b'));
      await probe.compact(revision, true);
      const { kvs } = await probe.list();
      probe.equal('pairs', kvs, [pair(probe.key('a'), '1', [first!, second!, 2])]);
    },
  }),
  compactionCheck({
    name: 'compaction/keeps-revision',
    promise: 'compaction moves no revision, and its answer carries the current one',
    run: (probe) =>
      probe.undisturbed(async () => {
        const revision = revisionOf(await probe.put('a'));
        const answer = revisionOf(await probe.compact(revision));
        probe.equal('header.revision of Compact', answer, revision);
        probe.equal('revision afterwards', revisionOf(await probe.get('a')), revision);
      }),
  }),
  compactionCheck({
    name: 'compaction/physical',
    promise: 'physical answers when the space is free; what is left reads the same',
    run: async (probe) => {
      const revisions = await putTimes(probe, 'a', 50);
      await probe.compact(revisions[40]!, true);
      const got = [];
      for (const revision of revisions.slice(40)) {
        got.push((await probe.get('a', { revision })).kvs[0]?.value);
      }
      probe.equal(
        'values from the compacted revision on',
        got,
        [...Array(10).keys()].map((i) => String(40 + i)),
      );
    },
  }),
  compactionCheck({
    name: 'compaction/txn-range',
    promise: 'a range at a compacted revision refuses the whole transaction',
    run: async (probe) => {
      const [first, second] = await putTimes(probe, 'a', 2);
      await probe.compact(second!);
      const old: RequestOp = {
        kind: 'range',
        request: { ...rangeOf(probe.key('a')), revision: first! },
      };
      const write: RequestOp = { kind: 'put', request: putOf(probe.key('b')) };
      const writing = probe.txn({ success: [write, old] });
      await probe.refused('a writing transaction', writing, 'compacted');
      await probe.refused('a reading one', probe.txn({ success: [old] }), 'compacted');
      probe.equal('count of the key it would have put', (await probe.get('b')).count, 0);
    },
  }),
  compactionCheck({
    name: 'compaction/pages',
    promise:
      'the next page of a list at a compacted revision is refused, so that clients list anew',
    run: async (probe) => {
      for (const name of ['a', 'b', 'c']) await probe.put(name);
      const first = await probe.list({ limit: 2 });
      const revision = revisionOf(first);
      const later = revisionOf(await probe.put('a'));
      await probe.compact(later);
      const next = probe.list({ key: probe.key('b\0'), limit: 2, revision });
      await probe.refused('Range', next, 'compacted');
    },
  }),
  compactionCheck({
    name: 'compaction/hash-kv',
    promise: 'HashKV below the compacted revision is refused, at it and above answered',
    run: async (probe) => {
      const [first, second, third] = await putTimes(probe, 'a', 3);
      await probe.compact(second!, true);
      const hash = (revision: number) =>
        probe.call('HashKV', { revision }, () =>
          probe.client.maintenance.hashKv({ revision }, probe.timed()),
        );
      await probe.refused('HashKV below', hash(first!), 'compacted');
      await hash(third!);
      const { compactRevision } = await hash(0);
      probe.equal('compact_revision', compactRevision, second);
    },
  }),
  compactionCheck({
    name: 'compaction/watch-below',
    promise: 'a watch from below is created, then canceled with compact_revision',
    run: async (probe) => {
      const [first, second] = await putTimes(probe, 'a', 3);
      await probe.compact(second!);
      const watch = await probe.watches();
      const { canceled } = await watch.createFor('a', { startRevision: first! });
      probe.equal('canceled in the first answer', canceled, false);
      probe.equal('compact_revision', await compactedAnswer(probe, watch), second);
    },
  }),
  compactionCheck({
    name: 'compaction/watch-at',
    promise: 'a watch from the compacted revision itself gets every event from there on',
    run: async (probe) => {
      const revisions = await putTimes(probe, 'a', 4);
      await probe.compact(revisions[1]!, true);
      const watch = await probe.watches();
      await watch.createFor('a', { startRevision: revisions[1]! });
      const events = await watch.events(3);
      probe.equal(
        'revisions',
        events.map(({ kv }) => kv.modRevision),
        revisions.slice(1),
      );
    },
  }),
  compactionCheck({
    name: 'compaction/tombstone',
    promise: 'a deletion at the very revision that was compacted reaches a watch from there',
    run: async (probe) => {
      await probe.put('a');
      const revision = revisionOf(await probe.delete('a'));
      await probe.compact(revision, true);
      await probe.put('a', 'after');
      const watch = await probe.watches();
      await watch.createFor('a', { startRevision: revision });
      const { events } = await watch.next('the events');
      probe.equal('type of the first event', events[0]?.type, 'delete', {
        oddity: ODDITIES.tombstoneAtCompaction,
        got: 'put',
      });
    },
  }),
  compactionCheck({
    name: 'compaction/tombstone-race',
    promise: 'also when watch and compaction race, sixty times',
    timeoutMs: 20_000,
    run: async (probe) => {
      for (let i = 0; i < RACES; i++) {
        probe.startOver();
        await probe.put('a');
        const revision = revisionOf(await probe.delete('a'));
        const watch = await probe.watches();
        const compacted = probe.compact(revision);
        watch.sendCreate({ key: probe.key('a'), startRevision: revision });
        await compacted;
        await probe.put('a', 'after');
        await watch.next('created');
        const { events } = await watch.next('the events');
        probe.equal('type of the first event', events[0]?.type, 'delete', {
          oddity: ODDITIES.tombstoneRace,
          got: 'put',
        });
        watch.close();
      }
    },
  }),
  compactionCheck({
    name: 'compaction/watch-race',
    promise:
      'a watch created while its start is compacted gets all events or canceled, never a gap',
    timeoutMs: 20_000,
    run: async (probe) => {
      for (let i = 0; i < RACES; i++) {
        probe.startOver();
        const revisions = await putTimes(probe, 'a', 4);
        const watch = await probe.watches();
        const compacted = probe.compact(revisions[2]!);
        watch.sendCreate({ key: probe.key('a'), startRevision: revisions[0]! });
        await compacted;
        await watch.next('created');
        const answer = await watch.next('events or canceled');
        if (answer.canceled) {
          probe.equal('compact_revision', answer.compactRevision, revisions[2]);
        } else {
          const got = answer.events.map(({ kv }) => kv.modRevision);
          probe.equal('revisions', got, revisions.slice(0, got.length));
        }
        watch.close();
      }
    },
  }),
  compactionCheck({
    name: 'compaction/live-watch',
    promise: 'a watch that has caught up does not notice a compaction',
    run: async (probe) => {
      const watch = await probe.watches();
      await watch.createFor('a');
      const [revision] = await putTimes(probe, 'a', 1);
      await watch.events(1);
      await probe.compact(revision!);
      const later = revisionOf(await probe.put('a'));
      const [event] = await watch.events(1);
      probe.equal('mod_revision of the next event', event?.kv.modRevision, later);
    },
  }),
  compactionCheck({
    name: 'compaction/prev-kv',
    promise: 'prev_kv that was compacted away is left out, the event comes',
    run: async (probe) => {
      const [, second] = await putTimes(probe, 'a', 2);
      await probe.compact(second!, true);
      const watch = await probe.watches();
      await watch.createFor('a', { startRevision: second!, prevKv: true });
      const [event] = await watch.events(1);
      probe.equal('value and prev_kv', [event?.kv.value, event?.prevKv], ['1', undefined]);
    },
  }),
  compactionCheck({
    name: 'compaction/hundreds-of-watches',
    promise: 'each of three hundred watches below the compacted revision on one stream is canceled',
    timeoutMs: 20_000,
    run: async (probe) => {
      const [first, second] = await putTimes(probe, 'a', 2);
      await probe.compact(second!);
      const watch = await probe.watches();
      for (let i = 0; i < 300; i++) {
        watch.sendCreate({ key: probe.key('a'), startRevision: first!, prevKv: true });
      }
      probe.startOver();
      probe.note(`Compact {revision: ${second}}`);
      probe.note(`Watch#1 300 times create {key: "P/a", start_revision: ${first}, prev_kv: true}`);
      const canceled = new Set<bigint>();
      let created = 0;
      while (canceled.size < 300) {
        const answer = await watch.tryNext(probe.answerMs);
        probe.that('answers', answer !== undefined, '300 of them canceled', canceled.size, {
          oddity: ODDITIES.compactedAnswersLost,
          got: () => canceled.size > 0,
        });
        if (answer!.created) created++;
        if (answer!.canceled) canceled.add(answer!.watchId);
      }
      probe.equal('created answers', created, 300);
    },
  }),
  compactionCheck({
    name: 'compaction/slow-prev-kv',
    promise:
      'each of two hundred prev_kv watches on one busy stream gets all events, or canceled as compacted',
    timeoutMs: 20_000,
    run: async (probe) => {
      const watch = await probe.watches();
      for (let i = 0; i < 200; i++) watch.sendCreate({ key: probe.key('a'), prevKv: true });
      for (let i = 0; i < 200; i++) await watch.next(`created ${i + 1}`);
      const revisions = await putTimes(probe, 'a', 20);
      await probe.compact(revisions[19]!);
      probe.startOver();
      probe.note('Watch#1 200 times create {key: "P/a", prev_kv: true}');
      probe.note('20 times Put {key: "P/a"}');
      probe.note(`Compact {revision: ${revisions[19]}}`);
      const seen = new Map<bigint, number[]>();
      for (let open = 200; open > 0;) {
        const { watchId, events, canceled } = await watch.next(
          `an end of the last ${open} watches`,
        );
        const got = seen.get(watchId) ?? [];
        got.push(...events.map(({ kv }) => kv.modRevision));
        seen.set(watchId, got);
        probe.equal('revisions of a watch', got, revisions.slice(0, got.length));
        if (canceled || got.length === revisions.length) open--;
      }
    },
  }),
  compactionCheck({
    name: 'compaction/members-agree',
    promise: 'a range in a transaction at a compacted revision is refused by every member alike',
    endpoints: 2,
    run: async (probe) => {
      const [first, second] = await putTimes(probe, 'a', 2);
      await probe.compact(second!);
      for (const client of probe.clients) {
        await probe.range({ key: probe.key('a') }, client);
        const request = {
          compare: [],
          success: [
            {
              kind: 'range' as const,
              request: { ...rangeOf(probe.key('a')), revision: first! },
            },
          ],
          failure: [],
        };
        const txn = probe.call('Txn', request, () => client.kv.txn(request, probe.timed()));
        await probe.refused('Txn', txn, 'compacted');
      }
    },
  }),
];
