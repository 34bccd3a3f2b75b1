import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Log } from '../../src/raft/log.js';
import { EntryType, type Entry } from '../../src/raft/message.js';
import { NO_CONF, MemoryDisk } from './support/memory-disk.js';
import { NO_DATA } from './support/conf-change-data.js';
import { entriesOf } from './support/test-member.js';

/** A log whose first `stable` entries are on disk. */
function logOf(terms: readonly number[], stable = terms.length): Log {
  const disk = new MemoryDisk();
  disk.append(entriesOf(terms.slice(0, stable)));
  const log = new Log(disk, 0, 0);
  log.append(entriesOf(terms.slice(stable), stable + 1));
  return log;
}

const ascendingTerms = fc
  .array(fc.integer({ min: 1, max: 4 }), { maxLength: 12 })
  .map((terms) => terms.toSorted((a, b) => a - b));

test('a slice is what the whole log has there, within the limit but one entry at least', () => {
  const numbers = fc.tuple(fc.nat(12), fc.nat(12), fc.nat(12), fc.nat(12));
  fc.assert(
    fc.property(ascendingTerms, numbers, (terms, [stable, a, b, limit]) => {
      const all = entriesOf(terms);
      const log = logOf(terms, Math.min(stable, terms.length));
      const low = 1 + Math.min(a, terms.length);
      const high = Math.min(low + b, terms.length + 1);
      const expected: Entry[] = [];
      let bytes = 0;
      for (const entry of all.slice(low - 1, high - 1)) {
        bytes += entry.data.length;
        if (expected.length > 0 && bytes > limit) break;
        expected.push(entry);
      }
      assert.deepEqual(log.slice(low, high, limit), expected);
    }),
  );
});

test('after an append the log agrees with the leader, and keeps its tail unless that conflicts (figure 2)', () => {
  fc.assert(
    fc.property(
      ascendingTerms,
      ascendingTerms,
      fc.nat(12),
      fc.nat(12),
      (own, leads, from, count) => {
        const log = logOf(own);
        const index = Math.min(from, leads.length);
        const entries = entriesOf(leads.slice(index, index + count), index + 1);
        const term = leads[index - 1] ?? 0;
        const matches = index === 0 || own[index - 1] === term;
        assert.equal(log.maybeAppend({ index, term }, entries), matches);
        const sent = entries.map((entry) => entry.term);
        const conflicts = sent.some((sentTerm, i) => (own[index + i] ?? sentTerm) !== sentTerm);
        const expected = !matches
          ? own
          : conflicts
            ? [...own.slice(0, index), ...sent]
            : [...own.slice(0, index), ...sent, ...own.slice(index + sent.length)];
        const found = log.slice(1, log.lastIndex + 1, Infinity).map((entry) => entry.term);
        assert.deepEqual(found, expected);
      },
    ),
  );
});

test('the hint is the last place at or before an index with no greater term', () => {
  fc.assert(
    fc.property(ascendingTerms, fc.nat(12), fc.nat(5), (terms, at, term) => {
      const index = Math.min(at, terms.length);
      const expected = terms.slice(0, index).findLastIndex((own) => own <= term) + 1;
      assert.equal(logOf(terms).lastNotAbove(index, term).index, expected);
    }),
  );
});

test('a log is more up to date by last term, then by length (paper, section 5.4.1)', () => {
  const log = logOf([1, 1, 2]);
  const cases = [
    { last: { term: 3, index: 1 }, expected: true },
    { last: { term: 2, index: 3 }, expected: true },
    { last: { term: 2, index: 4 }, expected: true },
    { last: { term: 2, index: 2 }, expected: false },
    { last: { term: 1, index: 9 }, expected: false },
  ];
  for (const { last, expected } of cases) assert.equal(log.isUpToDate(last), expected);
});

test('what is committed is never replaced', () => {
  const log = logOf([1, 1, 1]);
  log.commitTo(2);
  assert.throws(() => log.append(entriesOf([2], 2)), /would replace a committed one/);
});

test('a commit index beyond the log means that it was lost', () => {
  assert.throws(() => logOf([1]).commitTo(2), { name: 'RaftInvariantError' });
});

test('only what is durable here is handed out to apply, page by page, in order', () => {
  const log = logOf([1, 1, 1, 1], 3);
  log.commitTo(4);
  assert.deepEqual(
    log.handOutCommitted(4).map(({ index }) => index),
    [1, 2],
  );
  assert.deepEqual(
    log.handOutCommitted(4).map(({ index }) => index),
    [3],
  );
  assert.equal(log.hasToApply(), false);
  log.unstable.handOut(1);
  log.written(1);
  assert.equal(log.hasToApply(), true);
});

test('what was applied is committed, even if the commit index was lost in a crash', () => {
  const disk = new MemoryDisk();
  disk.append(entriesOf([1, 1, 1]));
  const log = new Log(disk, 1, 3);
  assert.deepEqual([log.committed, log.applied], [3, 3]);
});

test('unapplied configuration changes are found among many entries', () => {
  const disk = new MemoryDisk();
  const change = { type: EntryType.confChange, term: 1, index: 4, data: NO_DATA };
  disk.append([...entriesOf([1, 1, 1]), change, ...entriesOf([1], 5)]);
  const log = new Log(disk, 5, 0);
  assert.equal(log.hasUnappliedConfChange(), true);
  log.appliedTo(4);
  assert.equal(log.hasUnappliedConfChange(), false);
});

test('terms are known from the one before the first kept entry on', () => {
  const disk = new MemoryDisk();
  disk.append(entriesOf([1, 2, 3]));
  disk.compact(2, NO_CONF, 0);
  const log = new Log(disk, 2, 2);
  assert.deepEqual(
    [1, 2, 3, 4].map((index) => log.term(index)),
    [undefined, 2, 3, undefined],
  );
  assert.equal(log.entriesFrom(2, 100), undefined);
});
