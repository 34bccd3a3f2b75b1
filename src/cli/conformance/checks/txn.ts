/** Txn: branches, atomicity, nesting, and what is refused before anything happens. */
import { type Compare, type RequestOp, type TxnRequest } from '../../../api/index.js';
import { rangeOf } from '../../../client/index.js';
import type { Check } from '../check.js';
import { outcomeOf, putOf, revisionOf, type Probe } from '../probe.js';
import { randomLeaseId } from '../random-name.js';

const ops = {
  put: (probe: Probe, name: string, value = ''): RequestOp => ({
    kind: 'put',
    request: putOf(probe.key(name), value),
  }),
  get: (probe: Probe, name: string): RequestOp => ({
    kind: 'range',
    request: rangeOf(probe.key(name)),
  }),
  delete: (probe: Probe, name: string, end = ''): RequestOp => ({
    kind: 'deleteRange',
    request: {
      key: probe.key(name),
      rangeEnd: end === '' ? '' : probe.key(end),
      prevKv: false,
    },
  }),
  txn: (fields: Partial<TxnRequest>): RequestOp => ({
    kind: 'txn',
    request: { compare: [], success: [], failure: [], ...fields },
  }),
};

/** Holds as long as the key does not exist. */
function missing(probe: Probe, name: string): Compare {
  return {
    result: 0,
    target: 1,
    key: probe.key(name),
    rangeEnd: '',
    operand: { kind: 'create', value: 0 },
  };
}

async function countOf(probe: Probe): Promise<number> {
  return (await probe.list({ countOnly: true })).count;
}

export const TXN_CHECKS: readonly Check[] = [
  {
    name: 'txn/branches',
    promise: 'success runs when every compare holds, failure when one does not',
    run: async (probe) => {
      const request = {
        compare: [missing(probe, 'a')],
        success: [ops.put(probe, 'a', 'new')],
        failure: [ops.put(probe, 'b', 'old')],
      };
      const first = await probe.txn(request);
      probe.equal('succeeded', first.succeeded, true);
      const second = await probe.txn(request);
      probe.equal('succeeded the second time', second.succeeded, false);
      const { kvs } = await probe.list();
      probe.equal(
        'values',
        kvs.map(({ value }) => value),
        ['new', 'old'],
      );
    },
  },
  {
    name: 'txn/no-compares',
    promise: 'a transaction without compares succeeds',
    run: async (probe) => {
      const { succeeded } = await probe.txn({ success: [ops.put(probe, 'a')] });
      probe.equal('succeeded', succeeded, true);
    },
  },
  {
    name: 'txn/empty',
    promise: 'a transaction without anything succeeds',
    run: async (probe) => {
      const { succeeded, responses } = await probe.txn({});
      probe.equal('answer', { succeeded, responses }, { succeeded: true, responses: [] });
    },
  },
  {
    name: 'txn/one-revision',
    promise: 'all writes of a transaction share one revision, the one of the answer',
    run: async (probe) => {
      const revision = revisionOf(
        await probe.txn({ success: [ops.put(probe, 'a'), ops.put(probe, 'b')] }),
      );
      const { kvs } = await probe.list();
      probe.equal(
        'mod_revision of both',
        kvs.map(({ modRevision }) => modRevision),
        [revision, revision],
      );
    },
  },
  {
    name: 'txn/nested-header-revision',
    promise: 'the answers inside carry a header with the revision of the transaction',
    run: async (probe) => {
      await probe.put('b', '1');
      const { header, responses } = await probe.txn({
        success: [ops.put(probe, 'a'), ops.get(probe, 'a'), ops.delete(probe, 'b')],
      });
      const revisions = responses.map((op) => op.response.header?.revision);
      const revision = header?.revision;
      probe.equal('their revisions', revisions, [revision, revision, revision]);
    },
  },
  {
    name: 'txn/reads-its-writes',
    promise: 'a range sees what the same transaction has put and deleted before it',
    run: async (probe) => {
      await probe.put('b', 'old');
      const { responses } = await probe.txn({
        success: [
          ops.get(probe, 'a'),
          ops.put(probe, 'a', 'new'),
          ops.delete(probe, 'b'),
          ops.get(probe, 'a'),
          ops.get(probe, 'b'),
        ],
      });
      const seen = responses.flatMap((op) =>
        op.kind === 'range' ? [op.response.kvs.map(({ value }) => value)] : [],
      );
      probe.equal('what the three ranges saw', seen, [[], ['new'], []]);
    },
  },
  {
    name: 'txn/compares-see-before',
    promise: 'compares look at the state before the transaction, nested ones too',
    run: async (probe) => {
      const { responses } = await probe.txn({
        success: [
          ops.put(probe, 'a', '1'),
          ops.txn({
            compare: [missing(probe, 'a')],
            success: [ops.put(probe, 'b', 'before')],
            failure: [ops.put(probe, 'b', 'after')],
          }),
        ],
      });
      const nested = responses[1];
      probe.equal(
        'succeeded of the nested one',
        nested?.kind === 'txn' && nested.response.succeeded,
        true,
      );
    },
  },
  {
    name: 'txn/read-only-keeps-revision',
    promise: 'a transaction that only reads moves no revision',
    alone: true,
    run: (probe) =>
      probe.undisturbed(async () => {
        const before = revisionOf(await probe.put('a', '1'));
        const after = revisionOf(await probe.txn({ success: [ops.get(probe, 'a')] }));
        probe.equal('revision', after, before);
      }),
  },
  {
    name: 'txn/no-change-keeps-revision',
    promise: 'a transaction whose deletions find nothing moves no revision',
    alone: true,
    run: (probe) =>
      probe.undisturbed(async () => {
        const before = revisionOf(await probe.put('a', '1'));
        const after = revisionOf(await probe.txn({ success: [ops.delete(probe, 'b')] }));
        probe.equal('revision', after, before);
      }),
  },
  {
    name: 'txn/prev-kvs',
    promise: 'put and delete answer with the pairs before when asked, inside a transaction too',
    run: async (probe) => {
      await probe.put('a', '1');
      await probe.put('b', '2');
      const put = { ...putOf(probe.key('a'), '3'), prevKv: true };
      const deletion = { key: probe.key('b'), rangeEnd: '', prevKv: true };
      const { responses } = await probe.txn({
        success: [
          { kind: 'put', request: put },
          { kind: 'deleteRange', request: deletion },
        ],
      });
      const seen = responses.map((op) => {
        if (op.kind === 'put') return op.response.prevKv?.value;
        return op.kind === 'deleteRange' ? op.response.prevKvs[0]?.value : undefined;
      });
      probe.equal('values before', seen, ['1', '2']);
    },
  },
  {
    name: 'txn/put-twice',
    promise: 'two puts of one key are refused',
    run: async (probe) => {
      const txn = probe.txn({ success: [ops.put(probe, 'a', '1'), ops.put(probe, 'a', '2')] });
      await probe.refused('Txn', txn, 'duplicateKey');
      probe.equal('keys afterwards', await countOf(probe), 0);
    },
  },
  {
    name: 'txn/put-in-deleted-range',
    promise: 'a put inside a range that the same list deletes is refused in either order',
    run: async (probe) => {
      const put = ops.put(probe, 'b');
      const deletion = ops.delete(probe, 'a', 'c');
      await probe.refused('put, delete', probe.txn({ success: [put, deletion] }), 'duplicateKey');
      await probe.refused('delete, put', probe.txn({ success: [deletion, put] }), 'duplicateKey');
    },
  },
  {
    name: 'txn/put-beside-deleted-range',
    promise: 'a put at the end of a deleted range is not in it',
    run: async (probe) => {
      await probe.put('a', '1');
      const { succeeded } = await probe.txn({
        success: [ops.delete(probe, 'a', 'c'), ops.put(probe, 'c')],
      });
      probe.equal('succeeded', succeeded, true);
      const { kvs } = await probe.list();
      probe.equal(
        'keys',
        kvs.map(({ key }) => key),
        [probe.key('c')],
      );
    },
  },
  {
    name: 'txn/delete-twice',
    promise: 'overlapping deletions are accepted, and count what each still finds',
    run: async (probe) => {
      await probe.put('a', '1');
      const { responses } = await probe.txn({
        success: [ops.delete(probe, 'a'), ops.delete(probe, 'a', 'b')],
      });
      const deleted = responses.map((op) => op.kind === 'deleteRange' && op.response.deleted);
      probe.equal('deleted', deleted, [1, 0]);
    },
  },
  {
    name: 'txn/duplicates-in-both-branches',
    promise: 'a key may be put in both branches of a nested transaction, only one of which runs',
    run: async (probe) => {
      const nested = ops.txn({
        compare: [missing(probe, 'a')],
        success: [ops.put(probe, 'a', 'then')],
        failure: [ops.put(probe, 'a', 'else')],
      });
      await probe.txn({ success: [nested] });
      probe.equal('value', (await probe.get('a')).kvs[0]?.value, 'then');
    },
  },
  {
    name: 'txn/duplicates-across-nesting',
    promise: 'a key put in a nested transaction may not be put beside it',
    run: async (probe) => {
      const nested = ops.txn({ success: [ops.put(probe, 'a', '1')] });
      const txn = probe.txn({ success: [nested, ops.put(probe, 'a', '2')] });
      await probe.refused('Txn', txn, 'duplicateKey');
      const twice = probe.txn({ success: [nested, nested] });
      await probe.refused('the same nested one twice', twice, 'duplicateKey');
    },
  },
  {
    name: 'txn/duplicates-in-the-other-branch',
    promise: 'the branch that does not run is checked as well',
    run: async (probe) => {
      const twice = [ops.put(probe, 'a'), ops.put(probe, 'a')];
      await probe.refused('Txn', probe.txn({ failure: twice }), 'duplicateKey');
      const noKey: RequestOp = { kind: 'put', request: putOf('') };
      await probe.refused('an empty key', probe.txn({ failure: [noKey] }), 'emptyKey');
    },
  },
  {
    name: 'txn/all-or-nothing',
    promise: 'when one operation is refused, none is done',
    run: async (probe) => {
      const lost = { ...putOf(probe.key('b')), lease: randomLeaseId() };
      const lease = probe.txn({
        success: [ops.put(probe, 'a'), { kind: 'put', request: lost }],
      });
      await probe.refused('an unknown lease', lease, 'leaseNotFound');
      probe.equal('keys afterwards', await countOf(probe), 0);
      const absent = { ...putOf(probe.key('b')), ignoreValue: true };
      const ignore = probe.txn({
        success: [ops.put(probe, 'a'), { kind: 'put', request: absent }],
      });
      await probe.refused('ignore_value of a missing key', ignore, 'keyNotFound');
      probe.equal('keys after that', await countOf(probe), 0);
    },
  },
  {
    name: 'txn/future-range',
    promise: 'a range at a future revision refuses the whole transaction',
    run: async (probe) => {
      const future = { ...rangeOf(probe.key('a')), revision: 2 ** 50 };
      const txn = probe.txn({ success: [ops.put(probe, 'a'), { kind: 'range', request: future }] });
      await probe.refused('Txn', txn, 'futureRev');
      probe.equal('keys afterwards', await countOf(probe), 0);
    },
  },
  {
    name: 'txn/range-at-a-revision',
    promise: 'a range at an old revision inside a writing transaction sees that revision',
    run: async (probe) => {
      const revision = revisionOf(await probe.put('a', 'old'));
      await probe.put('a', 'new');
      const old = { ...rangeOf(probe.key('a')), revision };
      const { responses } = await probe.txn({
        success: [ops.put(probe, 'b'), { kind: 'range', request: old }],
      });
      const range = responses[1];
      probe.equal('value', range?.kind === 'range' && range.response.kvs[0]?.value, 'old');
    },
  },
  {
    name: 'txn/empty-operation',
    promise: 'an operation with nothing in it is refused with "key not found"',
    run: async (probe) => {
      await probe.refused('Txn', probe.txn({ success: [{ kind: 'none' }] }), 'keyNotFound');
    },
  },
  {
    name: 'txn/empty-compare-key',
    promise: 'a compare without a key is refused',
    run: async (probe) => {
      const compare = { ...missing(probe, ''), key: '' };
      await probe.refused('Txn', probe.txn({ compare: [compare] }), 'emptyKey');
    },
  },
  {
    name: 'txn/128-operations',
    promise: 'a transaction may have 128 operations in a list (the default of --max-txn-ops)',
    run: async (probe) => {
      const puts = Array.from({ length: 128 }, (_, i) => ops.put(probe, `k${i}`));
      const { responses } = await probe.txn({ success: puts });
      probe.equal('answers', responses.length, 128);
      probe.equal('keys', await countOf(probe), 128);
    },
  },
  {
    name: 'txn/too-many-operations',
    promise: 'more operations than the server allows are refused',
    run: async (probe) => {
      const puts = Array.from({ length: 129 }, (_, i) => ops.put(probe, `k${i}`));
      const txn = probe.txn({ success: puts });
      if (!((await outcomeOf(txn)) instanceof Error)) {
        probe.notApplicable('the server accepts more than 128: its --max-txn-ops is raised');
      }
      await probe.refused('Txn with 129', txn, 'tooManyOps');
    },
  },
  {
    name: 'txn/nested-operations-count',
    promise: 'nested transactions share the limit: what the parent uses, the child has less',
    run: async (probe) => {
      const inner = Array.from({ length: 100 }, (_, i) => ops.get(probe, `i${i}`));
      const outer = Array.from({ length: 50 }, (_, i) => ops.get(probe, `o${i}`));
      const txn = probe.txn({ success: [...outer, ops.txn({ success: inner })] });
      if (!((await outcomeOf(txn)) instanceof Error)) {
        probe.notApplicable('the server accepts 51 and 100: its --max-txn-ops is raised');
      }
      await probe.refused('Txn with 51 and 100 in one of them', txn, 'tooManyOps');
    },
  },
  {
    name: 'txn/deeply-nested',
    promise: 'transactions nest, and their answers have the same shape',
    run: async (probe) => {
      const inner = ops.txn({ success: [ops.put(probe, 'c'), ops.get(probe, 'c')] });
      const middle = ops.txn({ success: [ops.put(probe, 'b'), inner] });
      const { header, responses } = await probe.txn({ success: [ops.put(probe, 'a'), middle] });
      const second = responses[1];
      const third = second?.kind === 'txn' ? second.response.responses[1] : undefined;
      const last = third?.kind === 'txn' ? third.response.responses[1] : undefined;
      const revision = last?.kind === 'range' ? last.response.kvs[0]?.modRevision : undefined;
      probe.equal('mod_revision of the key read innermost', revision, header?.revision);
    },
  },
  {
    name: 'txn/counter',
    promise: 'ten concurrent compare-and-swap increments lose none',
    run: async (probe) => {
      await probe.put('n', '0');
      await Promise.all(Array.from({ length: 10 }, () => increment(probe)));
      probe.equal('counter', (await probe.get('n')).kvs[0]?.value, '10');
    },
  },
];

async function increment(probe: Probe): Promise<void> {
  for (;;) {
    const kv = (await probe.get('n')).kvs[0]!;
    const { succeeded } = await probe.txn({
      compare: [
        {
          result: 0,
          target: 2,
          key: kv.key,
          rangeEnd: '',
          operand: { kind: 'mod', value: kv.modRevision },
        },
      ],
      success: [ops.put(probe, 'n', String(Number(kv.value) + 1))],
    });
    if (succeeded) return;
  }
}
