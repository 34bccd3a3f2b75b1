/** Both linearizability checkers, the serializable reads, and the end of a run. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { History, Operation } from '../../../src/sim/history.js';
import { checkLinearizableByRevision } from '../../../src/sim/checkers/linearizable-by-revision.js';
import { checkLinearizableBySearch } from '../../../src/sim/checkers/linearizable-by-search.js';
import { checkNoLostWrite, type FinalState } from '../../../src/sim/checkers/no-lost-write.js';
import { checkSerializableReads } from '../../../src/sim/checkers/serializable-reads.js';
import { historyOfEvents } from '../../../src/sim/checkers/true-history.js';
import {
  deleteRequest,
  modRevisionIs,
  putRequest,
  rangeRequest,
  txnRequest,
} from '../../../src/sim/workloads/requests.js';
import { storyPlan, tell } from './random-history.js';
import { Story, header, promises, spoilAnswer } from './story.js';

const EVERYTHING = { from: '', to: '\u0100' };

function byRevision(story: Story, history: History = story.history): string[] {
  return promises(checkLinearizableByRevision(history, story.truth));
}

function bySearch(story: Story, history: History = story.history): string[] {
  const { violations, undecided } = checkLinearizableBySearch(history);
  assert.deepEqual(undecided, []);
  return promises(violations);
}

function finalState(story: Story, member = 1n): FinalState {
  const { revision, timeline } = story.machine;
  return { member, revision, pairs: timeline.pairsAt(revision, EVERYTHING) };
}

/** An acknowledged answer that the cluster never gave. */
function answer(story: Story, id: number, response: object): void {
  story.end(id, { kind: 'ok', response });
}

test('what a right cluster answers breaks no promise, under any interleaving', () => {
  fc.assert(
    fc.property(storyPlan, (plan) => {
      const story = tell(plan);
      assert.deepEqual(checkLinearizableByRevision(story.history, story.truth), []);
      const fromWatch = historyOfEvents(
        Array.from({ length: story.machine.revision }, (_, i) =>
          story.machine.timeline.eventsOf(i + 1),
        ).flat(),
      );
      assert.deepEqual(checkLinearizableByRevision(story.history, fromWatch), []);
      assert.deepEqual(checkLinearizableBySearch(story.history).violations, []);
      assert.deepEqual(checkSerializableReads(story.history, story.truth), []);
      assert.deepEqual(checkNoLostWrite(story.history, [finalState(story)]), []);
    }),
    { numRuns: 150 },
  );
});

/** Changes one thing in an answer such that no right cluster can have given it; false if it cannot. */
type Corruption = (response: any, operation: Operation) => boolean;
const corruptions: Record<string, Corruption> = {
  'a value': (response) => spoilFirstPair(response, (pair) => (pair.value += '!')),
  'a version': (response) => spoilFirstPair(response, (pair) => pair.version++),
  'a modRevision': (response) => spoilFirstPair(response, (pair) => pair.modRevision++),
  'a lease': (response) => spoilFirstPair(response, (pair) => (pair.lease = 9n)),
  'a pair left out': (response) => {
    if (!(response.kvs?.length > 0)) return false;
    response.kvs.pop();
    return true;
  },
  'a wrong count': (response) => {
    if (response.count === undefined) return false;
    response.count++;
    return true;
  },
  'a wrong number of deletions': (response) => {
    if (response.deleted === undefined) return false;
    response.deleted += 100;
    return true;
  },
  'the other branch': (response) => {
    if (response.succeeded === undefined) return false;
    response.succeeded = !response.succeeded;
    return true;
  },
  'a revision that is not reached yet': (response) => {
    response.header.revision += 1000;
    return true;
  },
  'the revision before its write': (response, { kind }) => {
    if (kind !== 'put') return false;
    response.header.revision--;
    return true;
  },
};

function spoilFirstPair(response: any, spoil: (pair: any) => void): boolean {
  const pair = response.kvs?.[0] ?? response.prevKvs?.[0] ?? response.prevKv;
  if (pair === undefined) return false;
  spoil(pair);
  return true;
}

test('one corrupted answer anywhere in a right history is caught', () => {
  let spoilt = 0;
  fc.assert(
    fc.property(
      storyPlan,
      fc.constantFrom(...Object.keys(corruptions)),
      fc.nat(),
      (plan, name, pick) => {
        const story = tell(plan);
        const able = story.history.operations.filter(
          (operation) =>
            operation.outcome.kind === 'ok' &&
            corruptions[name]!(structuredClone(operation.outcome.response), operation),
        );
        fc.pre(able.length > 0);
        const victim = able[pick % able.length]!;
        const history = spoilAnswer(story.history, victim.id, (response) =>
          corruptions[name]!(response, victim),
        );
        const violations = [
          ...checkLinearizableByRevision(history, story.truth),
          ...checkSerializableReads(history, story.truth),
        ];
        assert.ok(violations.length > 0, `${name} of operation ${victim.id} passed`);
        spoilt++;
      },
    ),
    { numRuns: 200 },
  );
  assert.ok(spoilt >= 150);
});

describe('by revision', () => {
  test('write-answer: a write that did something else than asked', () => {
    const story = new Story();
    const put = story.begin('put', putRequest('a', 'asked'));
    story.happen({ kind: 'put', request: putRequest('a', 'done') });
    answer(story, put, { header: header(2) });
    assert.ok(byRevision(story).includes('write-answer'));
  });

  test('write-answer: acknowledged and never done', () => {
    const story = new Story();
    answer(story, story.begin('put', putRequest('a', 'x')), { header: header(1) });
    assert.deepEqual(byRevision(story), ['write-answer']);
  });

  test('read-answer: half of a transaction shows', () => {
    const story = new Story();
    const both = txnRequest({
      success: [
        { kind: 'put', request: putRequest('a', '1') },
        { kind: 'put', request: putRequest('b', '1') },
      ],
    });
    story.do('txn', both);
    const read = story.read('a', { rangeEnd: 'c' });
    const history = spoilAnswer(story.history, read, (response) => {
      response.kvs.pop();
      response.count = 1;
    });
    assert.deepEqual(byRevision(story, history), ['read-answer']);
  });

  test('real-time-order: a read misses a write that was acknowledged before it began', () => {
    const story = new Story();
    story.put('a', '1');
    const stale = story.begin('range', rangeRequest('a'));
    answer(story, stale, { header: header(1), kvs: [], more: false, count: 0 });
    assert.deepEqual(byRevision(story), ['real-time-order']);
  });

  test('real-time-order: a write that changes nothing is answered from the past', () => {
    const story = new Story();
    story.put('b', '1');
    const stale = story.begin('deleteRange', deleteRequest('a'));
    answer(story, stale, { header: header(1), deleted: 0, prevKvs: [] });
    assert.deepEqual(byRevision(story), ['real-time-order']);
  });

  test('real-time-order: a write before what had been seen when it was sent', () => {
    const story = new Story();
    story.happen({ kind: 'put', request: putRequest('a', '1') });
    story.happen({ kind: 'put', request: putRequest('b', '1') });
    story.read('a');
    answer(story, story.begin('put', putRequest('a', '1')), { header: header(2) });
    assert.ok(byRevision(story).includes('real-time-order'));
  });

  test('real-time-order: a watch event counts as seen', () => {
    const story = new Story();
    const put = story.begin('put', putRequest('a', '1'));
    story.execute(put);
    story.watch('a', { startRevision: 2 }).created().events(2);
    const stale = story.begin('range', rangeRequest('a'));
    answer(story, stale, { header: header(1), kvs: [], more: false, count: 0 });
    story.end(put);
    assert.deepEqual(byRevision(story), ['real-time-order']);
  });

  test('real-time-order: a grant is answered at an old revision', () => {
    const story = new Story();
    story.put('a', '1');
    const grant = story.begin('leaseGrant', { id: 7n, ttl: 5 });
    answer(story, grant, { header: header(1), id: 7n, ttl: 5, error: '' });
    assert.deepEqual(byRevision(story), ['real-time-order']);
  });

  test('write-once: two writers own one revision', () => {
    const story = new Story();
    story.put('a', '1');
    const other = story.begin('put', putRequest('a', '1'));
    answer(story, other, { header: header(2) });
    assert.ok(byRevision(story).includes('write-once'));
  });

  test('write-from-nowhere: a request applied twice', () => {
    const story = new Story();
    story.put('a', '1');
    story.happen({ kind: 'put', request: putRequest('a', '1') });
    assert.deepEqual(byRevision(story), ['write-from-nowhere']);
  });

  test('write-from-nowhere: a request of unknown outcome applied twice', () => {
    const story = new Story();
    story.lose(story.begin('put', putRequest('a', '1')));
    story.happen({ kind: 'put', request: putRequest('a', '1') });
    assert.deepEqual(byRevision(story), []);
    story.happen({ kind: 'put', request: putRequest('a', '1') });
    assert.deepEqual(byRevision(story), ['write-from-nowhere']);
  });

  test('write-from-nowhere: a refused request that had an effect', () => {
    const story = new Story();
    const put = story.begin('put', putRequest('a', '1'));
    story.execute(put);
    story.end(put, { kind: 'refused', error: 'noLeader', message: '' });
    assert.deepEqual(byRevision(story), ['write-from-nowhere']);
  });

  test('write-from-nowhere: an effect before its request was sent', () => {
    const story = new Story();
    story.happen({ kind: 'put', request: putRequest('a', '1') });
    story.read('a');
    story.lose(story.begin('put', putRequest('a', '1')));
    assert.deepEqual(byRevision(story), ['write-from-nowhere']);
  });

  test('a write of unknown outcome may happen long after', () => {
    const story = new Story();
    story.lose(story.begin('put', putRequest('a', 'late')));
    story.put('a', '1');
    story.happen({ kind: 'put', request: putRequest('a', 'late') });
    story.read('a');
    assert.deepEqual(byRevision(story), []);
    assert.deepEqual(bySearch(story), []);
  });

  test('requests of unknown outcome are matched with revisions as a whole', () => {
    const story = new Story();
    story.put('a', '1');
    story.put('b', '1');
    // Either could be the first deletion; only the wide one can be the second.
    story.lose(story.begin('deleteRange', deleteRequest('a', { rangeEnd: 'c' })));
    story.lose(story.begin('deleteRange', deleteRequest('a')));
    story.happen({ kind: 'deleteRange', request: deleteRequest('a') });
    story.happen({ kind: 'deleteRange', request: deleteRequest('b') });
    assert.deepEqual(byRevision(story), []);
  });

  test('a lease that runs out explains its deletions, with and without the log', () => {
    const story = new Story();
    story.do('leaseGrant', { id: 7n, ttl: 5 });
    story.put('a', '1', { lease: 7n });
    story.put('b', '1', { lease: 7n });
    story.happen({ kind: 'leaseRevoke', request: { id: 7n } });
    assert.deepEqual(byRevision(story), []);
    const truth = { timeline: story.machine.timeline };
    assert.deepEqual(checkLinearizableByRevision(story.history, truth), []);
    story.put('a', '2');
    story.happen({ kind: 'deleteRange', request: deleteRequest('a') });
    assert.deepEqual(byRevision(story), ['write-from-nowhere']);
    assert.deepEqual(promises(checkLinearizableByRevision(story.history, truth)), [
      'write-from-nowhere',
    ]);
  });

  test('write-from-nowhere: the keys of a lease go one after the other', () => {
    const story = new Story();
    story.do('leaseGrant', { id: 7n, ttl: 5 });
    story.put('a', '1', { lease: 7n });
    story.put('b', '1', { lease: 7n });
    story.happen({ kind: 'deleteRange', request: deleteRequest('a') });
    story.happen({ kind: 'leaseRevoke', request: { id: 7n } });
    assert.deepEqual(byRevision(story), ['write-from-nowhere']);
    const truth = { timeline: story.machine.timeline };
    const violations = checkLinearizableByRevision(story.history, truth);
    assert.match(violations[0]!.explanation, /^revision 4 /);
    assert.equal(violations.length, 1);
  });

  test('revision-refused: as compacted though nobody has compacted', () => {
    const story = new Story();
    story.put('a', '1');
    const read = story.begin('range', rangeRequest('a', { revision: 1 }));
    story.end(read, { kind: 'refused', error: 'compacted', message: '' });
    assert.deepEqual(byRevision(story), ['revision-refused']);
  });

  test('revision-refused: as future though it had been seen', () => {
    const story = new Story();
    story.put('a', '1');
    const read = story.begin('range', rangeRequest('a', { revision: 2 }));
    story.end(read, { kind: 'refused', error: 'futureRev', message: '' });
    assert.deepEqual(byRevision(story), ['revision-refused']);
  });

  test('revision-refused: served though compacted before', () => {
    const story = new Story();
    story.put('a', '1');
    story.put('a', '2');
    story.compact(3);
    const read = story.begin('range', rangeRequest('a', { revision: 2 }));
    const kvs = story.machine.timeline.pairsAt(2, EVERYTHING);
    answer(story, read, { header: header(3), kvs, more: false, count: 1 });
    assert.deepEqual(byRevision(story), ['revision-refused']);
  });

  test('a right refusal is none', () => {
    const story = new Story();
    story.put('a', '1');
    story.put('a', '2');
    story.read('a', { revision: 9 });
    story.compact(3);
    story.read('a', { revision: 2 });
    const kinds = story.history.operations.map(({ outcome }) => outcome.kind);
    assert.deepEqual(kinds, ['ok', 'ok', 'refused', 'ok', 'refused']);
    assert.deepEqual(byRevision(story), []);
  });
});

describe('by search', () => {
  test('a stale read', () => {
    const story = new Story();
    story.put('a', '1');
    const stale = story.begin('range', rangeRequest('a'));
    answer(story, stale, { header: header(2), kvs: [], more: false, count: 0 });
    assert.deepEqual(bySearch(story), ['linearizable-key']);
  });

  test('reads that go back from a write of unknown outcome', () => {
    const story = new Story();
    story.put('a', '1');
    const old = story.read('a');
    story.lose(story.begin('put', putRequest('a', '2')));
    story.happen({ kind: 'put', request: putRequest('a', '2') });
    story.read('a');
    assert.deepEqual(bySearch(story), []);
    const again = story.begin('range', rangeRequest('a'));
    const { outcome } = story.history.operations[old]!;
    answer(story, again, outcome.kind === 'ok' ? outcome.response : {});
    assert.deepEqual(bySearch(story), ['linearizable-key']);
  });

  test('two swaps that both expected the same', () => {
    const story = new Story();
    story.put('a', '1');
    const swap = (value: string) =>
      txnRequest({
        compare: [modRevisionIs('a', 2)],
        success: [{ kind: 'put', request: putRequest('a', value) }],
      });
    const first = story.begin('txn', swap('2'));
    const second = story.begin('txn', swap('3'));
    const response = (revision: number) => ({
      header: header(revision),
      succeeded: true,
      responses: [{ kind: 'put', response: { header: header(revision) } }],
    });
    answer(story, first, response(3));
    answer(story, second, response(4));
    assert.deepEqual(bySearch(story), ['linearizable-key']);
  });

  test('a deletion that found nothing, of a key that was there all the time', () => {
    const story = new Story();
    story.put('a', '1');
    answer(story, story.begin('deleteRange', deleteRequest('a')), {
      header: header(2),
      deleted: 0,
      prevKvs: [],
    });
    assert.deepEqual(bySearch(story), ['linearizable-key']);
  });

  test('a range over several keys is held against each', () => {
    const story = new Story();
    story.put('a', '1');
    story.put('b', '1');
    const read = story.read('a', { rangeEnd: '\0' });
    const history = spoilAnswer(story.history, read, (response) => response.kvs.pop());
    assert.deepEqual(bySearch(story, history), ['linearizable-key']);
  });

  test('a previous pair that was not', () => {
    const story = new Story();
    story.put('a', '1');
    const put = story.put('a', '2', { prevKv: true });
    const history = spoilAnswer(story.history, put, (response) => (response.prevKv.value = '0'));
    assert.deepEqual(bySearch(story, history), ['linearizable-key']);
  });

  test('a key that goes away without a lease or a deletion', () => {
    const story = new Story();
    story.do('leaseGrant', { id: 7n, ttl: 5 });
    story.put('a', '1', { lease: 7n });
    story.put('b', '1');
    const gone = { header: header(3), kvs: [], more: false, count: 0 };
    answer(story, story.begin('range', rangeRequest('a')), gone);
    assert.deepEqual(bySearch(story), []);
    answer(story, story.begin('range', rangeRequest('b')), gone);
    assert.deepEqual(bySearch(story), ['linearizable-key']);
  });

  test('the report is the shortest failing key and the longest prefix that fits', () => {
    const story = new Story();
    for (let i = 0; i < 5; i++) story.put('long', String(i));
    const put = story.put('short', '1');
    const gone = { header: header(7), kvs: [], more: false, count: 0 };
    const onLong = story.begin('range', rangeRequest('long'));
    const onShort = story.begin('range', rangeRequest('short'));
    answer(story, onLong, gone);
    answer(story, onShort, gone);
    const { violations } = checkLinearizableBySearch(story.history);
    assert.equal(violations.length, 1);
    assert.deepEqual(violations[0]!.operations, [put, onShort]);
    assert.match(violations[0]!.explanation, /"short" 1 answers fit .* "1" of version 1/);
  });

  test('gives up on a key with too many possibilities, and says so', () => {
    const story = new Story();
    const ids = Array.from({ length: 14 }, (_, i) => story.begin('put', putRequest('a', `${i}`)));
    ids.forEach((id) => story.lose(id));
    const kv = { key: 'a', createRevision: 2, modRevision: 9, version: 99, value: '0', lease: 0n };
    const read = story.begin('range', rangeRequest('a'));
    answer(story, read, { header: header(9), kvs: [kv], more: false, count: 1 });
    const result = checkLinearizableBySearch(story.history, { maxSteps: 50 });
    assert.deepEqual(result, { violations: [], undecided: ['a'] });
  });

  test('one corrupted pair in a read of one key at the end of a right history is caught', () => {
    fc.assert(
      fc.property(storyPlan, fc.constantFrom('a', 'b', 'c'), (plan, key) => {
        const story = tell(plan);
        const read = story.read(key);
        const history = spoilAnswer(story.history, read, (response) => {
          if (response.kvs.length > 0) response.kvs[0].value += '!';
          else {
            const kv = { key, createRevision: 2, modRevision: 2, version: 1, value: '', lease: 0n };
            response.kvs.push(kv);
          }
        });
        const { violations, undecided } = checkLinearizableBySearch(history);
        assert.ok(violations.length === 1 || undecided.length > 0);
      }),
      { numRuns: 100 },
    );
  });
});

describe('serializable reads', () => {
  test('serializable-answer: a state that never was', () => {
    const story = new Story();
    story.put('a', '1');
    const read = story.read('a', { serializable: true });
    const spoil = (response: any) => (response.kvs[0].value = '2');
    const history = spoilAnswer(story.history, read, spoil);
    assert.deepEqual(promises(checkSerializableReads(history, story.truth)), [
      'serializable-answer',
    ]);
  });

  test('old is right, older than before is not; another process may be', () => {
    const story = new Story();
    story.put('a', '1');
    story.read('a', { serializable: true });
    const old = (incarnation: number) => {
      const id = story.begin('range', rangeRequest('a', { serializable: true }));
      const response = { header: header(1), kvs: [], more: false, count: 0 };
      story.recorder.complete<'range'>(id, { kind: 'ok', response }, incarnation);
    };
    old(1);
    assert.deepEqual(byRevision(story), []);
    assert.deepEqual(checkSerializableReads(story.history, story.truth), []);
    old(0);
    assert.deepEqual(promises(checkSerializableReads(story.history, story.truth)), [
      'serializable-monotonic',
    ]);
  });
});

describe('the end of a run', () => {
  const lacking = (state: FinalState, key: string): FinalState => ({
    ...state,
    pairs: state.pairs.filter((pair) => pair.key !== key),
  });

  test('no-lost-write: an acknowledged put is gone', () => {
    const story = new Story();
    story.put('a', '1');
    const state = lacking(finalState(story), 'a');
    assert.deepEqual(promises(checkNoLostWrite(story.history, [state])), ['no-lost-write']);
  });

  test('no-lost-write: an older value is back', () => {
    const story = new Story();
    story.put('a', '1');
    const old = finalState(story);
    story.put('a', '2');
    const state = { ...old, revision: 3 };
    assert.deepEqual(promises(checkNoLostWrite(story.history, [state])), ['no-lost-write']);
  });

  test('no-lost-write: of a transaction as well', () => {
    const story = new Story();
    story.do('txn', txnRequest({ success: [{ kind: 'put', request: putRequest('a', '1') }] }));
    const state = lacking(finalState(story), 'a');
    assert.deepEqual(promises(checkNoLostWrite(story.history, [state])), ['no-lost-write']);
  });

  test('a deletion, a lease or an unknown outcome may have taken it', () => {
    const unknown = new Story();
    unknown.put('a', '1');
    unknown.lose(unknown.begin('deleteRange', deleteRequest('a')));
    const leased = new Story();
    leased.do('leaseGrant', { id: 7n, ttl: 5 });
    leased.put('a', '1', { lease: 7n });
    for (const story of [unknown, leased]) {
      const state = lacking(finalState(story), 'a');
      assert.deepEqual(checkNoLostWrite(story.history, [state]), []);
    }
    const before = new Story();
    before.delete('a');
    before.put('a', '1');
    const state = lacking(finalState(before), 'a');
    assert.deepEqual(promises(checkNoLostWrite(before.history, [state])), ['no-lost-write']);
  });

  test('nothing-invented: a value that only a refused put had', () => {
    const story = new Story();
    const put = story.begin('put', putRequest('a', '1'));
    story.execute(put);
    story.end(put, { kind: 'refused', error: 'noLeader', message: '' });
    assert.deepEqual(promises(checkNoLostWrite(story.history, [finalState(story)])), [
      'nothing-invented',
    ]);
  });

  test('equal-members', () => {
    const story = new Story();
    story.put('a', '1');
    story.delete('a');
    const state = finalState(story);
    const kv = { key: 'a', createRevision: 2, modRevision: 2, version: 1, value: '1', lease: 0n };
    const other = { member: 2n, revision: 3, pairs: [kv] };
    assert.ok(promises(checkNoLostWrite(story.history, [state, other])).includes('equal-members'));
    assert.deepEqual(checkNoLostWrite(story.history, [state, { ...state, member: 2n }]), []);
  });
});
