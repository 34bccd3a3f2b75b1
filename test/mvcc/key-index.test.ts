/** The drawing in key-index.ts, and any other life of a key against a plain list of its records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyIndex, NOWHERE } from '../../src/mvcc/key-index.js';

interface Record {
  main: number;
  sub: number;
  tombstone: boolean;
}

/** put@2 put@4 del@6 | put@8 del@9 | put@12 */
function drawn(): KeyIndex {
  const index = KeyIndex.created('k', 2, 0, 0n);
  index.put(4, 0, 0n);
  index.delete(6, 0);
  index.put(8, 0, 0n);
  index.delete(9, 0);
  index.put(12, 0, 0n);
  return index;
}

function recordsOf(index: KeyIndex): Record[] {
  return Array.from({ length: index.length }, (_, at) => ({
    main: index.mainAt(at),
    sub: index.subAt(at),
    tombstone: index.markAt(at) % 2 === 1,
  }));
}

function draw(index: KeyIndex): string {
  return recordsOf(index)
    .map(({ main, tombstone }) => `${tombstone ? 'del' : 'put'}@${main}`)
    .join(' ');
}

test('past is a flat row, and there is none for a key written once', () => {
  assert.equal(KeyIndex.created('k', 2, 0, 0n).past, undefined);
  assert.deepEqual(drawn().past, [2, 0, 4, 0, 6, 1, 8, 0, 9, 1]);
});

test('reading at a revision finds the newest record at or below it', () => {
  const index = drawn();
  const found = Array.from({ length: 12 }, (_, i) => {
    const at = index.livePosition(i + 1);
    return at === NOWHERE ? '-' : String(index.mainAt(at));
  });
  assert.equal(found.join(' '), '- 2 2 4 4 - - 8 - - - 12');
});

test('generations count versions and creation anew', () => {
  const index = drawn();
  assert.deepEqual([index.createRevision, index.version, index.alive], [12, 1, true]);
  index.put(13, 4, 7n);
  assert.deepEqual([index.createRevision, index.version, index.sub, index.lease], [12, 2, 4, 7n]);
  index.delete(14, 0);
  assert.deepEqual(
    [index.createRevision, index.version, index.alive, index.lease],
    [0, 0, false, 0n],
  );
});

for (const [revision, left] of [
  [1, 'put@2 put@4 del@6 put@8 del@9 put@12'],
  [2, 'put@2 put@4 del@6 put@8 del@9 put@12'],
  [5, 'put@4 del@6 put@8 del@9 put@12'],
  [6, 'del@6 put@8 del@9 put@12'],
  [7, 'put@8 del@9 put@12'],
  [9, 'del@9 put@12'],
  [11, 'put@12'],
  [20, 'put@12'],
] as const) {
  test(`compact(${revision}) leaves ${left}`, () => {
    const index = drawn();
    assert.equal(index.compact(revision), false);
    assert.equal(draw(index), left);
    assert.equal(index.compact(revision), false);
    assert.equal(draw(index), left, 'doing it again changes nothing');
  });
}

test('a dead key goes with a compaction past its tombstone, not at it', () => {
  const index = KeyIndex.created('k', 2, 0, 0n);
  index.delete(3, 0);
  assert.equal(index.compact(3), false);
  assert.equal(draw(index), 'del@3');
  assert.equal(index.compact(4), true);
});

test('the keep-set entry: the first generation that ends at or after the revision', () => {
  const index = drawn();
  const keep = (revision: number, withTombstone: boolean) => {
    const at = index.keepPosition(revision, withTombstone);
    return at === NOWHERE ? '-' : String(index.mainAt(at));
  };
  const row = (withTombstone: boolean) =>
    Array.from({ length: 12 }, (_, i) => keep(i + 1, withTombstone)).join(' ');
  assert.equal(row(false), '- 2 2 4 4 - - 8 - - - 12');
  assert.equal(row(true), '- 2 2 4 4 6 - 8 9 - - 12');
});

test('a delete and a put of one revision: readers find the put, the keep-set the tombstone', () => {
  const index = KeyIndex.created('k', 2, 0, 0n);
  index.delete(3, 0);
  index.put(3, 1, 0n);
  assert.equal(index.subAt(index.livePosition(3)), 1);
  assert.equal(index.keepPosition(3, false), NOWHERE);
  assert.equal(index.subAt(index.keepPosition(3, true)), 0);
  assert.equal(index.compact(3), false);
  assert.deepEqual(recordsOf(index), [{ main: 3, sub: 1, tombstone: false }]);
  assert.ok(index.has(3, 1) && !index.has(3, 0));
});

test('going back in time is a broken invariant', () => {
  assert.throws(() => drawn().put(12, 0, 0n), { name: 'InvariantError' });
  assert.throws(() => drawn().put(11, 0, 0n), { name: 'InvariantError' });
  const dead = KeyIndex.created('k', 2, 0, 0n);
  dead.delete(3, 0);
  assert.throws(() => dead.delete(4, 0), { name: 'InvariantError' });
});

test('any life equals the plain list of its records', () => {
  const moves = fc.array(fc.record({ step: fc.nat(2), act: fc.nat(3), compactBack: fc.nat(5) }), {
    maxLength: 40,
    size: 'max',
  });
  fc.assert(
    fc.property(moves, (steps) => {
      let index = KeyIndex.created('k', 2, 0, 0n);
      let list: Record[] = [{ main: 2, sub: 0, tombstone: false }];
      let main = 2;
      let sub = 0;
      for (const { step, act, compactBack } of steps) {
        main += step;
        sub = step === 0 ? sub + 1 : 0;
        if (act === 0) {
          const revision = main - compactBack;
          list = compacted(list, revision);
          assert.equal(index.compact(revision), list.length === 0);
          if (list.length > 0) {
            assert.deepEqual(recordsOf(index), list);
            continue;
          }
          index = KeyIndex.created('k', main, sub, 0n);
          list = [{ main, sub, tombstone: false }];
          continue;
        }
        const tombstone = act === 1 && index.alive;
        if (tombstone) index.delete(main, sub);
        else index.put(main, sub, 0n);
        list.push({ main, sub, tombstone });
        assert.deepEqual(recordsOf(index), list);
        for (let at = 0; at <= main; at++) {
          const found = list.findLast((record) => record.main <= at);
          const position = index.livePosition(at);
          assert.equal(position !== NOWHERE, found !== undefined && !found.tombstone);
          if (position !== NOWHERE) assert.equal(index.mainAt(position), found!.main);
        }
      }
    }),
    { numRuns: 200 },
  );
});

function compacted(list: Record[], revision: number): Record[] {
  const newest = list.findLastIndex((record) => record.main <= revision);
  if (newest < 0) return list;
  const { main, tombstone } = list[newest]!;
  return list.slice(tombstone && main !== revision ? newest + 1 : newest);
}
