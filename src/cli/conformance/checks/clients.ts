/** What well-known clients do, request by request: kube-apiserver, locks, elections, Patroni, Vitess, M3. */
import { SortOrder, SortTarget, type Compare, type RequestOp } from '../../../api/index.js';
import { rangeOf } from '../../../client/index.js';
import type { Check } from '../check.js';
import { pair, putOf, revisionOf, type Probe } from '../probe.js';

function modIs(probe: Probe, name: string, revision: number): Compare {
  return {
    result: 0,
    target: 2,
    key: probe.key(name),
    rangeEnd: '',
    operand: { kind: 'mod', value: revision },
  };
}

function createIs(probe: Probe, name: string, revision: number): Compare {
  return {
    result: 0,
    target: 1,
    key: probe.key(name),
    rangeEnd: '',
    operand: { kind: 'create', value: revision },
  };
}

function put(probe: Probe, name: string, value: string, lease = 0n): RequestOp {
  return { kind: 'put', request: { ...putOf(probe.key(name), value), lease } };
}

function get(probe: Probe, name: string): RequestOp {
  return { kind: 'range', request: rangeOf(probe.key(name)) };
}

function remove(probe: Probe, name: string): RequestOp {
  return { kind: 'deleteRange', request: { key: probe.key(name), rangeEnd: '', prevKv: false } };
}

export const CLIENT_CHECKS: readonly Check[] = [
  {
    name: 'clients/kubernetes-create',
    promise: 'kube-apiserver: create succeeds once; its revision is in the answer of the put',
    run: async (probe) => {
      const create = { compare: [modIs(probe, 'pod', 0)], success: [put(probe, 'pod', '1')] };
      const first = await probe.txn(create);
      const revision = first.responses[0]?.response.header?.revision;
      probe.equal('succeeded', first.succeeded, true);
      probe.equal('revision in the nested header', revision, first.header?.revision);
      const second = await probe.txn(create);
      const { succeeded, responses } = second;
      probe.equal('the second time', { succeeded, responses }, { succeeded: false, responses: [] });
    },
  },
  {
    name: 'clients/kubernetes-update',
    promise: 'kube-apiserver: an update on an old revision fails and brings the object as it is',
    run: async (probe) => {
      const first = revisionOf(await probe.put('pod', '1'));
      const update = {
        compare: [modIs(probe, 'pod', first)],
        success: [put(probe, 'pod', '2')],
        failure: [get(probe, 'pod')],
      };
      const done = await probe.txn(update);
      probe.equal('succeeded', done.succeeded, true);
      const { succeeded, responses } = await probe.txn(update);
      probe.equal('succeeded the second time', succeeded, false);
      const read = responses[0];
      const revision = revisionOf(done);
      probe.equal('the object', read?.kind === 'range' ? read.response.kvs : read, [
        pair(probe.key('pod'), '2', [first, revision, 2]),
      ]);
    },
  },
  {
    name: 'clients/kubernetes-delete',
    promise: 'kube-apiserver: a guarded deletion tells the revision at which it happened',
    run: async (probe) => {
      const created = revisionOf(await probe.put('pod', '1'));
      const watch = await probe.watches();
      await watch.createForAll({ prevKv: true });
      const { header, responses } = await probe.txn({
        compare: [modIs(probe, 'pod', created)],
        success: [remove(probe, 'pod')],
        failure: [get(probe, 'pod')],
      });
      const revision = responses[0]?.response.header?.revision;
      probe.equal('revision in the nested header', revision, header?.revision);
      const [event] = await watch.events(1);
      probe.equal('the event', event, {
        type: 'delete',
        kv: pair(probe.key('pod'), '', [0, revisionOf({ header: header! }), 0]),
        prevKv: pair(probe.key('pod'), '1', [created, created, 1]),
      });
    },
  },
  {
    name: 'clients/kubernetes-pages',
    promise: 'kube-apiserver: a list in pages shows one revision, whatever is written meanwhile',
    run: async (probe) => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await probe.put(name, 'old');
      const first = await probe.list({ limit: 2 });
      const revision = revisionOf(first);
      await probe.put('c', 'new');
      await probe.put('cc', 'new');
      await probe.delete('e');
      const seen = [...first.kvs];
      let more = first.more;
      const counts = [first.count];
      while (more) {
        const key = seen.at(-1)!.key + '\0';
        const page = await probe.range({ key, rangeEnd: probe.prefixEnd, limit: 2, revision });
        seen.push(...page.kvs);
        counts.push(page.count);
        more = page.more;
      }
      probe.equal(
        'keys and values',
        seen.map(({ key, value }) => `${key}=${value}`),
        ['a', 'b', 'c', 'd', 'e'].map((name) => `${probe.key(name)}=old`),
      );
      probe.equal('count of each page, from its key on', counts, [5, 3, 1]);
    },
  },
  {
    name: 'clients/kubernetes-list-then-watch',
    promise: "kube-apiserver: a watch from one after a list's revision misses and repeats nothing",
    run: async (probe) => {
      await probe.put('a', '1');
      const revision = revisionOf(await probe.list());
      await probe.put('a', '2');
      await probe.put('b', '1');
      await probe.delete('a');
      const watch = await probe.watches({ hasleader: 'true' });
      await watch.createForAll({
        startRevision: revision + 1,
        prevKv: true,
        progressNotify: true,
      });
      const events = await watch.events(3);
      const kinds = events.map(({ type, kv, prevKv }) => {
        const what = type === 'put' && kv.createRevision === kv.modRevision ? 'create' : type;
        return `${what} ${kv.key.slice(probe.prefix.length)} before ${prevKv?.value ?? 'nothing'}`;
      });
      const expected = ['put a before 1', 'create b before nothing', 'delete a before 2'];
      probe.equal('events', kinds, expected);
    },
  },
  {
    name: 'clients/kubernetes-bookmark',
    promise: 'kube-apiserver: progress on request reaches the revision of a read within a second',
    run: async (probe) => {
      const watch = await probe.watches({ hasleader: 'true' });
      await watch.createForAll({ prevKv: true, progressNotify: true });
      await probe.range({ key: `${probe.prefix}x` });
      const revision = revisionOf(await probe.get('x'));
      for (let i = 0; i < 10; i++) {
        watch.requestProgress();
        const answer = await watch.tryNext(100);
        if (answer !== undefined && revisionOf(answer) >= revision) return;
      }
      probe.that('progress', false, `an answer with ${revision} or more in 1 s`, 'none');
    },
  },
  {
    name: 'clients/kubernetes-compact-key',
    promise: 'kube-apiserver: of two that take the compaction key at one version, one wins',
    run: async (probe) => {
      const take = (version: number, value: string) =>
        probe.txn({
          compare: [
            {
              result: 0,
              target: 0,
              key: probe.key('compact_rev_key'),
              rangeEnd: '',
              operand: { kind: 'version', value: version },
            },
          ],
          success: [put(probe, 'compact_rev_key', value)],
          failure: [get(probe, 'compact_rev_key')],
        });
      const both = await Promise.all([take(0, 'x'), take(0, 'y')]);
      probe.equal('winners', both.filter(({ succeeded }) => succeeded).length, 1);
      const loser = both.find(({ succeeded }) => !succeeded)?.responses[0];
      const version = loser?.kind === 'range' ? loser.response.kvs[0]?.version : undefined;
      probe.equal('version that the loser reads', version, 1);
    },
  },
  {
    name: 'clients/lock',
    promise: 'locks: the holder is who came first; the next wakes when its key is gone',
    run: async (probe) => {
      const leases = [(await probe.grant()).id, (await probe.grant()).id];
      const owners = [];
      for (const [i, lease] of leases.entries()) {
        const name = `lock/${i}`;
        const first = {
          ...rangeOf(probe.key('lock/')),
          rangeEnd: probe.key('lock0'),
          limit: 1,
          sortOrder: SortOrder.ascend,
          sortTarget: SortTarget.create,
        };
        const { responses } = await probe.txn({
          compare: [createIs(probe, name, 0)],
          success: [put(probe, name, '', lease), { kind: 'range', request: first }],
        });
        const owner = responses[1];
        owners.push(owner?.kind === 'range' ? owner.response.kvs[0]?.key : undefined);
      }
      probe.equal('owner each time', owners, [probe.key('lock/0'), probe.key('lock/0')]);
      const watch = await probe.watches();
      await watch.createFor('lock/0');
      await probe.revoke(leases[0]!);
      const [event] = await watch.events(1);
      probe.equal('what wakes the second', event?.type, 'delete');
    },
  },
  {
    name: 'clients/queue-behind',
    promise:
      'locks: max_create_revision with DESCEND by CREATE finds who waits just before oneself',
    run: async (probe) => {
      const revisions = [];
      for (const name of ['x', 'y', 'z']) revisions.push(revisionOf(await probe.put(name)));
      await probe.put('x', 'renewed');
      const { kvs } = await probe.list({
        sortOrder: SortOrder.descend,
        sortTarget: SortTarget.create,
        maxCreateRevision: revisions[2]! - 1,
        limit: 1,
      });
      probe.equal('the one before', kvs[0]?.key, probe.key('y'));
    },
  },
  {
    name: 'clients/vitess-last-before',
    promise:
      'Vitess: max_mod_revision with DESCEND by MOD and limit 1 finds the last change before',
    run: async (probe) => {
      const revisions = [];
      for (const name of ['x', 'y', 'x', 'z']) revisions.push(revisionOf(await probe.put(name)));
      const { kvs } = await probe.list({
        sortOrder: SortOrder.descend,
        sortTarget: SortTarget.mod,
        maxModRevision: revisions[3]! - 1,
        limit: 1,
      });
      probe.equal('the one before', kvs[0]?.key, probe.key('x'));
    },
  },
  {
    name: 'clients/election',
    promise:
      'elections: a proclamation holds only for who still leads; resigning twice is harmless',
    run: async (probe) => {
      const { id } = await probe.grant();
      await probe.txn({
        compare: [createIs(probe, 'leader', 0)],
        success: [put(probe, 'leader', 'me', id)],
      });
      const created = (await probe.get('leader')).kvs[0]!.createRevision;
      const proclaim = {
        compare: [createIs(probe, 'leader', created)],
        success: [put(probe, 'leader', 'still me', id)],
      };
      probe.equal('proclaimed', (await probe.txn(proclaim)).succeeded, true);
      const resign = {
        compare: [createIs(probe, 'leader', created)],
        success: [remove(probe, 'leader')],
      };
      probe.equal('resigned', (await probe.txn(resign)).succeeded, true);
      probe.equal('resigned again', (await probe.txn(resign)).succeeded, false);
      probe.equal('proclaimed afterwards', (await probe.txn(proclaim)).succeeded, false);
    },
  },
  {
    name: 'clients/patroni-watch',
    promise: "Patroni: a watch from a header's revision itself brings that revision's events again",
    run: async (probe) => {
      await probe.put('leader', 'a');
      const revision = revisionOf(await probe.put('leader', 'b'));
      const watch = await probe.watches();
      await watch.createForAll({ startRevision: revision });
      const [event] = await watch.events(1);
      probe.equal('value of the event', event?.kv.value, 'b');
    },
  },
  {
    name: 'clients/patroni-leader',
    promise: 'Patroni: only the member whose lease holds the leader key may renew it',
    run: async (probe) => {
      const mine = (await probe.grant()).id;
      await probe.put('leader', 'a', { lease: mine });
      const valueIs = (value: string): Compare => ({
        result: 0,
        target: 3,
        key: probe.key('leader'),
        rangeEnd: '',
        operand: { kind: 'value', value },
      });
      const renew = (value: string) =>
        probe.txn({ compare: [valueIs(value)], success: [put(probe, 'leader', value, mine)] });
      probe.equal('renewed by a', (await renew('a')).succeeded, true);
      probe.equal('renewed by b', (await renew('b')).succeeded, false);
    },
  },
  {
    name: 'clients/m3-version-swap',
    promise: 'M3: compare-and-swap on VERSION, with the version before from prev_kv',
    run: async (probe) => {
      await probe.put('a', '1');
      const { prevKv } = await probe.put('a', '2', { prevKv: true });
      const { succeeded } = await probe.txn({
        compare: [
          {
            result: 0,
            target: 0,
            key: probe.key('a'),
            rangeEnd: '',
            operand: { kind: 'version', value: (prevKv?.version ?? 0) + 1 },
          },
        ],
        success: [put(probe, 'a', '3')],
      });
      probe.equal('succeeded', succeeded, true);
    },
  },
  {
    name: 'clients/event-lease',
    promise: 'kube-apiserver: one lease holds many objects, which all vanish with it',
    run: async (probe) => {
      const { id } = await probe.grant();
      for (let i = 0; i < 100; i++) await probe.put(`event${i}`, '', { lease: id });
      probe.equal('keys of the lease', (await probe.timeToLive(id, true)).keys.length, 100);
      await probe.revoke(id);
      probe.equal('keys left', (await probe.list({ countOnly: true })).count, 0);
    },
  },
];
