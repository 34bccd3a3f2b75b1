/** Range: which keys are found, in which order, as of when. */
import { SortOrder, SortTarget, type KeyValue } from '../../../api/index.js';
import type { Check } from '../check.js';
import { ODDITIES } from '../oddities.js';
import { revisionOf, type Probe } from '../probe.js';

function namesOf(probe: Probe, kvs: readonly KeyValue[]): string[] {
  return kvs.map(({ key }) => key.slice(probe.prefix.length));
}

/** Puts each of `names`, in this order, and returns the revisions. */
async function putAll(probe: Probe, names: readonly string[]): Promise<number[]> {
  const revisions = [];
  for (const name of names) revisions.push(revisionOf(await probe.put(name, name)));
  return revisions;
}

/**
 * Keys whose orders differ: by key a b c d; created c a d b; changed d a b c; versions d1 b1… see below;
 * values in the order b d a c.
 */
async function putForSorting(probe: Probe): Promise<Record<string, string[]>> {
  const values: Record<string, string> = { b: '1', d: '2', a: '3', c: '4' };
  for (const name of ['c', 'a', 'd', 'b']) await probe.put(name, values[name]);
  for (const name of ['c', 'c', 'a', 'b', 'b', 'b', 'c']) await probe.put(name, values[name]);
  return {
    key: ['a', 'b', 'c', 'd'],
    create: ['c', 'a', 'd', 'b'],
    mod: ['d', 'a', 'b', 'c'],
    value: ['b', 'd', 'a', 'c'],
  };
}

export const RANGE_CHECKS: readonly Check[] = [
  {
    name: 'range/missing-key',
    promise: 'a key that is not there is an empty answer with a header, not an error',
    run: async (probe) => {
      const { header, kvs, more, count } = await probe.get('a');
      probe.equal('kvs, more and count', { kvs, more, count }, { kvs: [], more: false, count: 0 });
      probe.that('header.revision', (header?.revision ?? 0) > 0, 'above 0', header);
    },
  },
  {
    name: 'range/half-open',
    promise: 'a range holds its first key and not its end',
    run: async (probe) => {
      await putAll(probe, ['a', 'b', 'c']);
      const { kvs } = await probe.get('a', { rangeEnd: probe.key('c') });
      probe.equal('keys', namesOf(probe, kvs), ['a', 'b']);
    },
  },
  {
    name: 'range/inverted',
    promise: 'a range that ends at or before its first key is empty, not an error',
    run: async (probe) => {
      await putAll(probe, ['a', 'b']);
      const inverted = await probe.get('b', { rangeEnd: probe.key('a') });
      probe.equal('count of an inverted range', inverted.count, 0);
      const empty = await probe.get('a', { rangeEnd: probe.key('a') });
      probe.equal('count of [a, a)', empty.count, 0);
    },
  },
  {
    name: 'range/byte-order',
    promise: 'keys come in the order of their bytes, shorter before longer',
    run: async (probe) => {
      const names = ['\xff', 'a\x00', '\x00', 'a', 'Z', '\xc3\xa9', 'aa', '\x7f', '\x80'];
      await putAll(probe, names);
      const { kvs } = await probe.list();
      const sorted = ['\x00', 'Z', 'a', 'a\x00', 'aa', '\x7f', '\x80', '\xc3\xa9', '\xff'];
      probe.equal('keys', namesOf(probe, kvs), sorted);
    },
  },
  {
    name: 'range/prefix-of-0xff',
    promise: 'the end of a prefix that ends in 0xff is found by the byte before it',
    run: async (probe) => {
      await putAll(probe, ['a\xff', 'a\xffb', 'a\xff\xff', 'b']);
      const { kvs } = await probe.get('a\xff', { rangeEnd: probe.key('b') });
      probe.equal('keys', namesOf(probe, kvs), ['a\xff', 'a\xffb', 'a\xff\xff']);
    },
  },
  {
    name: 'range/from-key',
    promise: 'range_end "\\0" means every key from the first on',
    run: async (probe) => {
      await putAll(probe, ['a', 'b', 'c']);
      const { kvs, more, count } = await probe.get('b', { rangeEnd: '\0', limit: 2 });
      probe.equal('the first two keys', namesOf(probe, kvs), ['b', 'c']);
      probe.that('count', count >= 2, '2 or more', count);
      probe.equal('more', more, count > 2);
    },
  },
  {
    name: 'range/limit',
    promise: 'limit cuts the keys and sets more; count stays that of the whole range',
    run: async (probe) => {
      await putAll(probe, ['a', 'b', 'c']);
      const two = await probe.list({ limit: 2 });
      probe.equal('keys', namesOf(probe, two.kvs), ['a', 'b']);
      probe.equal('more and count', [two.more, two.count], [true, 3]);
    },
  },
  {
    name: 'range/limit-exactly',
    promise: 'a limit of just as many keys, or of more, leaves more unset',
    run: async (probe) => {
      await putAll(probe, ['a', 'b']);
      for (const limit of [2, 3]) {
        const { kvs, more, count } = await probe.list({ limit });
        probe.equal('keys, more, count', [kvs.length, more, count], [2, false, 2]);
      }
    },
  },
  {
    name: 'range/negative-limit',
    promise: 'a limit below zero is none',
    run: async (probe) => {
      await putAll(probe, ['a', 'b']);
      const { kvs, more } = await probe.list({ limit: -1 });
      probe.equal('keys and more', [kvs.length, more], [2, false]);
    },
  },
  {
    name: 'range/count-only',
    promise: 'count_only brings the count, no keys, and no more, whatever the limit',
    run: async (probe) => {
      await putAll(probe, ['a', 'b', 'c']);
      const { kvs, more, count } = await probe.list({ countOnly: true, limit: 1 });
      probe.equal('answer', { kvs, more, count }, { kvs: [], more: false, count: 3 });
    },
  },
  {
    name: 'range/keys-only',
    promise: 'keys_only blanks the value and nothing else',
    run: async (probe) => {
      const { id } = await probe.grant();
      await probe.put('a', '1', { lease: id });
      const [full] = (await probe.get('a')).kvs;
      const { kvs } = await probe.get('a', { keysOnly: true });
      const blank = full && { ...full, value: '' };
      probe.equal('the pair', kvs, [blank], {
        oddity: ODDITIES.keysOnlyWithoutLease,
        got: [blank && { ...blank, lease: 0n }],
      });
    },
  },
  {
    name: 'range/at-a-revision',
    promise: 'a read at an old revision sees the keys as they were then',
    run: async (probe) => {
      const [first] = await putAll(probe, ['a']);
      await probe.put('a', 'later');
      await probe.put('b', 'later');
      const { kvs, count } = await probe.list({ revision: first! });
      probe.equal('value and count', [kvs[0]?.value, count], ['a', 1]);
    },
  },
  {
    name: 'range/before-and-after-deletion',
    promise: 'a deleted key is there just before the revision of its deletion, and not at it',
    run: async (probe) => {
      await probe.put('a', '1');
      const deleted = revisionOf(await probe.delete('a'));
      const before = await probe.get('a', { revision: deleted - 1 });
      probe.equal('count before', before.count, 1);
      const at = await probe.get('a', { revision: deleted });
      probe.equal('count at', at.count, 0);
    },
  },
  {
    name: 'range/header-is-current',
    promise: 'header.revision is the current revision, whatever revision was read',
    run: async (probe) => {
      const [first, second] = await putAll(probe, ['a', 'b']);
      const read = revisionOf(await probe.get('a', { revision: first! }));
      probe.that('header.revision', read >= second!, `${second} or more`, read);
    },
  },
  {
    name: 'range/future-revision',
    promise: 'a revision that has not happened yet is refused',
    run: async (probe) => {
      const [revision] = await putAll(probe, ['a']);
      const far = revision! + 1_000_000_000;
      await probe.refused('Range', probe.get('a', { revision: far }), 'futureRev');
      const huge = probe.get('a', { revision: 2n ** 63n - 1n });
      await probe.refused('Range at 2^63 - 1', huge, 'futureRev');
    },
  },
  {
    name: 'range/negative-revision',
    promise: 'a revision below zero is the current one',
    run: async (probe) => {
      await putAll(probe, ['a']);
      const { kvs } = await probe.get('a', { revision: -1 });
      probe.equal('value', kvs[0]?.value, 'a');
    },
  },
  ...(['key', 'create', 'mod', 'value'] as const).map((target): Check => ({
    name: `range/sort-by-${target}`,
    promise: `ASCEND and DESCEND by ${target.toUpperCase()} order the keys`,
    run: async (probe) => {
      const expected = (await putForSorting(probe))[target]!;
      const sortTarget = SortTarget[target];
      const up = await probe.list({ sortOrder: SortOrder.ascend, sortTarget });
      probe.equal('ascending', namesOf(probe, up.kvs), expected);
      const down = await probe.list({ sortOrder: SortOrder.descend, sortTarget });
      probe.equal('descending', namesOf(probe, down.kvs), expected.toReversed());
    },
  })),
  {
    name: 'range/sort-by-version',
    promise: 'ASCEND and DESCEND by VERSION order the keys',
    run: async (probe) => {
      await putAll(probe, ['c', 'a', 'b', 'a', 'b', 'a']);
      const sortTarget = SortTarget.version;
      const up = await probe.list({ sortOrder: SortOrder.ascend, sortTarget });
      probe.equal('ascending', namesOf(probe, up.kvs), ['c', 'b', 'a']);
      const down = await probe.list({ sortOrder: SortOrder.descend, sortTarget });
      probe.equal('descending', namesOf(probe, down.kvs), ['a', 'b', 'c']);
    },
  },
  {
    name: 'range/sort-before-limit',
    promise: 'with a sort order, limit cuts the sorted keys',
    run: async (probe) => {
      const { mod } = await putForSorting(probe);
      const { kvs, more, count } = await probe.list({
        sortOrder: SortOrder.descend,
        sortTarget: SortTarget.mod,
        limit: 2,
      });
      probe.equal('keys', namesOf(probe, kvs), mod!.toReversed().slice(0, 2));
      probe.equal('more and count', [more, count], [true, 4]);
    },
  },
  {
    name: 'range/sort-by-value-of-blank',
    promise: 'keys_only still sorts by the values that it blanks',
    run: async (probe) => {
      const { value } = await putForSorting(probe);
      const { kvs } = await probe.list({
        sortOrder: SortOrder.ascend,
        sortTarget: SortTarget.value,
        keysOnly: true,
      });
      probe.equal('keys', namesOf(probe, kvs), value);
    },
  },
  {
    name: 'range/unknown-sort-order',
    promise: 'a sort_order that does not exist is refused',
    run: async (probe) => {
      await putAll(probe, ['a', 'b']);
      const list = probe.list({ sortOrder: 9 });
      await probe.refused('Range', list, 'invalidSortOption', {
        oddity: ODDITIES.unknownSortOrder,
        got: (got: { count?: number }) => got.count === 2,
      });
    },
  },
  {
    name: 'range/mod-revision-filters',
    promise: 'min_mod_revision and max_mod_revision are inclusive bounds of what is returned',
    run: async (probe) => {
      const [, b, c] = await putAll(probe, ['a', 'b', 'c', 'd']);
      const { kvs } = await probe.list({ minModRevision: b!, maxModRevision: c! });
      probe.equal('keys', namesOf(probe, kvs), ['b', 'c']);
    },
  },
  {
    name: 'range/create-revision-filters',
    promise: 'min_create_revision and max_create_revision look at the creation, not at changes',
    run: async (probe) => {
      const [, b, c] = await putAll(probe, ['a', 'b', 'c', 'd', 'b', 'a']);
      const { kvs } = await probe.list({ minCreateRevision: b!, maxCreateRevision: c! });
      probe.equal('keys', namesOf(probe, kvs), ['b', 'c']);
    },
  },
  {
    name: 'range/count-before-filters',
    promise: 'count is that of the range before filters',
    run: async (probe) => {
      const [a] = await putAll(probe, ['a', 'b', 'c']);
      const { kvs, count } = await probe.list({ maxModRevision: a! });
      probe.equal('keys and count', [namesOf(probe, kvs), count], [['a'], 3]);
    },
  },
  {
    name: 'range/filters-before-limit',
    promise: 'filters come before limit',
    run: async (probe) => {
      const revisions = await putAll(probe, ['a', 'b', 'c', 'd']);
      const { kvs, more } = await probe.list({ minModRevision: revisions[1]!, limit: 2 });
      probe.equal('keys and more', [namesOf(probe, kvs), more], [['b', 'c'], true]);
    },
  },
  {
    name: 'range/serializable',
    promise: 'a serializable read answers like any other where nothing changes',
    run: async (probe) => {
      await putAll(probe, ['a', 'b']);
      await probe.get('a'); // linearizable: from here on this member has both
      const { kvs, count } = await probe.list({ serializable: true });
      probe.equal('keys and count', [namesOf(probe, kvs), count], [['a', 'b'], 2]);
    },
  },
  {
    name: 'range/snapshot-of-one-moment',
    promise: 'two keys that are always written together are always read together',
    run: async (probe) => {
      const put = (value: string) =>
        probe.txn({
          success: ['a', 'b'].map((name) => ({
            kind: 'put',
            request: {
              key: probe.key(name),
              value,
              lease: 0n,
              prevKv: false,
              ignoreValue: false,
              ignoreLease: false,
            },
          })),
        });
      await put('0');
      const writer = (async () => {
        for (let i = 1; i <= 20; i++) await put(String(i));
      })();
      for (let i = 0; i < 20; i++) {
        const { kvs } = await probe.list();
        probe.equal('both values', kvs[0]?.value, kvs[1]?.value);
      }
      await writer;
    },
  },
];
