/** Put: what a write stores, answers and refuses. */
import { isEtcdError } from '../../../api/index.js';
import type { Check } from '../check.js';
import { outcomeOf, pair, putOf, revisionOf } from '../probe.js';
import { randomLeaseId } from '../random-name.js';

const ALL_BYTES = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));

export const PUT_CHECKS: readonly Check[] = [
  {
    name: 'put/stores-the-pair',
    promise: 'a new key has version 1, create_revision and mod_revision of its put, no lease',
    run: async (probe) => {
      const revision = revisionOf(await probe.put('a', '1'));
      const { kvs } = await probe.get('a');
      probe.equal('the pair', kvs, [pair(probe.key('a'), '1', [revision, revision, 1])]);
    },
  },
  {
    name: 'put/overwrites',
    promise: 'a second put keeps create_revision, raises version and sets mod_revision',
    run: async (probe) => {
      const first = revisionOf(await probe.put('a', '1'));
      const second = revisionOf(await probe.put('a', '2'));
      const { kvs } = await probe.get('a');
      probe.equal('the pair', kvs, [pair(probe.key('a'), '2', [first, second, 2])]);
    },
  },
  {
    name: 'put/recreates',
    promise: 'a key put again after its deletion begins at version 1 with a new create_revision',
    run: async (probe) => {
      await probe.put('a', '1');
      await probe.delete('a');
      const revision = revisionOf(await probe.put('a', '2'));
      const { kvs } = await probe.get('a');
      probe.equal('the pair', kvs, [pair(probe.key('a'), '2', [revision, revision, 1])]);
    },
  },
  {
    name: 'put/one-revision-each',
    promise: 'each put moves the revision of the store by exactly one',
    alone: true,
    run: (probe) =>
      probe.undisturbed(async () => {
        const first = revisionOf(await probe.put('a', '1'));
        const second = revisionOf(await probe.put('b', '1'));
        probe.equal('revision of the second put', second, first + 1);
      }),
  },
  {
    name: 'put/same-value',
    promise: 'a put of the value that is there already is a change like any other',
    run: async (probe) => {
      const first = revisionOf(await probe.put('a', '1'));
      const second = revisionOf(await probe.put('a', '1'));
      probe.that('revision', second > first, `above ${first}`, second);
      const { kvs } = await probe.get('a');
      probe.equal('version', kvs[0]?.version, 2);
    },
  },
  {
    name: 'put/header',
    promise: 'every answer has cluster_id, member_id, revision and raft_term',
    run: async (probe) => {
      const { header } = await probe.put('a', '1');
      const read = (await probe.get('a')).header;
      const filled = [header, read].every(
        (each) =>
          each !== undefined &&
          each.clusterId !== 0n &&
          each.memberId !== 0n &&
          each.revision > 0 &&
          each.raftTerm > 0,
      );
      probe.that('headers of Put and Range', filled, 'all four fields', [header, read]);
      probe.equal('cluster_id of Range', read?.clusterId, header?.clusterId);
      probe.equal('member_id of Range', read?.memberId, header?.memberId);
    },
  },
  {
    name: 'put/prev-kv',
    promise: 'prev_kv brings the pair before the write, and only when it is asked for',
    run: async (probe) => {
      const fresh = await probe.put('a', '1', { prevKv: true });
      probe.equal('prev_kv of a new key', fresh.prevKv, undefined);
      const revision = revisionOf(fresh);
      const asked = await probe.put('a', '2', { prevKv: true });
      const before = pair(probe.key('a'), '1', [revision, revision, 1]);
      probe.equal('prev_kv', asked.prevKv, before);
      const unasked = await probe.put('a', '3');
      probe.equal('prev_kv that was not asked for', unasked.prevKv, undefined);
    },
  },
  {
    name: 'put/empty-value',
    promise: 'an empty value is a value',
    run: async (probe) => {
      await probe.put('a', '');
      const { kvs, count } = await probe.get('a');
      probe.equal('count and value', [count, kvs[0]?.value], [1, '']);
    },
  },
  {
    name: 'put/every-byte',
    promise: 'keys and values are bytes: all 256 of them come back as they were',
    run: async (probe) => {
      await probe.put(ALL_BYTES, ALL_BYTES);
      const { kvs } = await probe.get(ALL_BYTES);
      probe.equal('key', kvs[0]?.key, probe.key(ALL_BYTES));
      probe.equal('value', kvs[0]?.value, ALL_BYTES);
    },
  },
  {
    name: 'put/empty-key',
    promise: 'an empty key is refused by every request of KV',
    run: async (probe) => {
      const put = { kind: 'put', request: putOf('') } as const;
      await probe.refused('Put', probe.put('', '', { key: '' }), 'emptyKey');
      await probe.refused('Range', probe.range({}), 'emptyKey');
      await probe.refused('DeleteRange', probe.delete('', { key: '' }), 'emptyKey');
      await probe.refused('Txn', probe.txn({ success: [put] }), 'emptyKey');
    },
  },
  {
    name: 'put/ignore-value',
    promise: 'ignore_value keeps the value and counts as a change',
    run: async (probe) => {
      await probe.put('a', '1');
      await probe.put('a', '', { ignoreValue: true });
      const { kvs } = await probe.get('a');
      probe.equal('value and version', [kvs[0]?.value, kvs[0]?.version], ['1', 2]);
    },
  },
  {
    name: 'put/ignore-value-refusals',
    promise: 'ignore_value is refused with a value, and for a key that is not there',
    run: async (probe) => {
      await probe.put('a', '1');
      const both = probe.put('a', '2', { ignoreValue: true });
      await probe.refused('a value with ignore_value', both, 'valueProvided');
      const missing = probe.put('b', '', { ignoreValue: true });
      await probe.refused('a missing key', missing, 'keyNotFound');
      probe.equal('keys afterwards', (await probe.list({ countOnly: true })).count, 1);
    },
  },
  {
    name: 'put/ignore-lease',
    promise: 'ignore_lease keeps the lease',
    run: async (probe) => {
      const { id } = await probe.grant();
      await probe.put('a', '1', { lease: id });
      await probe.put('a', '2', { ignoreLease: true });
      const { kvs } = await probe.get('a');
      probe.equal('value and lease', [kvs[0]?.value, kvs[0]?.lease], ['2', id]);
    },
  },
  {
    name: 'put/ignore-lease-refusals',
    promise: 'ignore_lease is refused with a lease, and for a key that is not there',
    run: async (probe) => {
      const { id } = await probe.grant();
      await probe.put('a', '1');
      const both = probe.put('a', '2', { ignoreLease: true, lease: id });
      await probe.refused('a lease with ignore_lease', both, 'leaseProvided');
      const missing = probe.put('b', '1', { ignoreLease: true });
      await probe.refused('a missing key', missing, 'keyNotFound');
    },
  },
  {
    name: 'put/unknown-lease',
    promise: 'a put with a lease that does not exist is refused and writes nothing',
    run: async (probe) => {
      const put = probe.put('a', '1', { lease: randomLeaseId() });
      await probe.refused('Put', put, 'leaseNotFound');
      probe.equal('keys afterwards', (await probe.list({ countOnly: true })).count, 0);
    },
  },
  {
    name: 'put/lease-before-value',
    promise: 'an unknown lease is noticed before the missing key of ignore_value',
    run: async (probe) => {
      const put = probe.put('a', '', { lease: randomLeaseId(), ignoreValue: true });
      await probe.refused('Put', put, 'leaseNotFound');
    },
  },
  {
    name: 'put/concurrent',
    promise:
      'fifty puts of one key at once get fifty revisions, and the last of them is what is read',
    run: async (probe) => {
      const puts = Array.from({ length: 50 }, async (_, i) => {
        const revision = revisionOf(await probe.put('a', String(i)));
        return { revision, value: String(i) };
      });
      const done = await Promise.all(puts);
      const revisions = new Set(done.map(({ revision }) => revision));
      probe.equal('different revisions', revisions.size, 50);
      const last = done.reduce((a, b) => (a.revision > b.revision ? a : b));
      const { kvs } = await probe.get('a');
      probe.equal(
        'value, mod_revision and version',
        [kvs[0]?.value, kvs[0]?.modRevision, kvs[0]?.version],
        [last.value, last.revision, 50],
      );
    },
  },
  {
    name: 'put/read-your-write',
    promise: 'a linearizable read after an acknowledged put sees it, twenty times',
    run: async (probe) => {
      for (let i = 0; i < 20; i++) {
        probe.startOver();
        const value = String(i);
        const put = await outcomeOf(probe.put('a', value));
        if (isEtcdError(put)) throw put;
        const { kvs } = await probe.get('a');
        probe.equal('value', kvs[0]?.value, value);
      }
    },
  },
];
