/** DeleteRange. */
import type { Check } from '../check.js';
import { pair, revisionOf } from '../probe.js';

export const DELETE_CHECKS: readonly Check[] = [
  {
    name: 'delete/one-key',
    promise: 'a deleted key is gone, and the answer counts it',
    run: async (probe) => {
      await probe.put('a', '1');
      const { deleted } = await probe.delete('a');
      probe.equal('deleted', deleted, 1);
      probe.equal('count afterwards', (await probe.get('a')).count, 0);
    },
  },
  {
    name: 'delete/missing-key',
    promise: 'deleting what is not there is no error, no change and no new revision',
    alone: true,
    run: (probe) =>
      probe.undisturbed(async () => {
        const before = revisionOf(await probe.put('b', '1'));
        const { deleted, header } = await probe.delete('a');
        probe.equal('deleted', deleted, 0);
        probe.equal('revision', header?.revision, before);
      }),
  },
  {
    name: 'delete/range',
    promise: 'a range is deleted at one revision, and no key outside it',
    run: async (probe) => {
      for (const name of ['a', 'b', 'c', 'd']) await probe.put(name, name);
      const { deleted, header } = await probe.delete('b', { rangeEnd: probe.key('d') });
      probe.equal('deleted', deleted, 2);
      const before = await probe.list({ revision: (header?.revision ?? 0) - 1, countOnly: true });
      probe.equal('count just before', before.count, 4);
      const { kvs } = await probe.list();
      probe.equal(
        'keys left',
        kvs.map(({ key }) => key),
        [probe.key('a'), probe.key('d')],
      );
    },
  },
  {
    name: 'delete/prev-kvs',
    promise: 'prev_kv brings every pair that was deleted, in key order',
    run: async (probe) => {
      const b = revisionOf(await probe.put('b', '2'));
      const a = revisionOf(await probe.put('a', '1'));
      const { prevKvs } = await probe.delete('', { rangeEnd: probe.prefixEnd, prevKv: true });
      probe.equal('prev_kvs', prevKvs, [
        pair(probe.key('a'), '1', [a, a, 1]),
        pair(probe.key('b'), '2', [b, b, 1]),
      ]);
    },
  },
  {
    name: 'delete/prev-kvs-unasked',
    promise: 'prev_kvs stays empty when it was not asked for',
    run: async (probe) => {
      await probe.put('a', '1');
      const { prevKvs } = await probe.delete('a');
      probe.equal('prev_kvs', prevKvs, []);
    },
  },
  {
    name: 'delete/inverted',
    promise: 'an inverted range deletes nothing',
    run: async (probe) => {
      await probe.put('a', '1');
      await probe.put('b', '1');
      const { deleted } = await probe.delete('b', { rangeEnd: probe.key('a') });
      probe.equal('deleted', deleted, 0);
      probe.equal('count afterwards', (await probe.list()).count, 2);
    },
  },
  {
    name: 'delete/twice',
    promise: 'the second of two deletions of one key deletes nothing',
    run: async (probe) => {
      await probe.put('a', '1');
      await probe.delete('a');
      const { deleted } = await probe.delete('a');
      probe.equal('deleted', deleted, 0);
    },
  },
];
