import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Entry } from '../../src/raft/message.js';
import { Unstable } from '../../src/raft/unstable.js';
import { NO_CONF } from './support/memory-disk.js';
import { entriesOf } from './support/test-member.js';

/**
 * The slow twin: a log, a disk, and the queue of writes between them. Durable is the longest prefix that
 * the log and the disk share, whatever writes still follow: the disk after each crash point has it.
 */
class SlowTwin {
  log: Entry[] = [];
  handedOut: Entry[][] = [];
  #writtenFrom = 1;

  append(entries: Entry[]): void {
    const first = entries[0]!.index;
    this.log.length = first - 1;
    this.log.push(...entries);
    this.#writtenFrom = Math.min(this.#writtenFrom, first);
  }

  handOut(): Entry[] {
    const entries = this.log.slice(this.#writtenFrom - 1);
    this.#writtenFrom = this.log.length + 1;
    this.handedOut.push(entries);
    return entries;
  }

  /** What every crash from now on leaves of the log: after `done` writes or any number more. */
  durable(done: number): number {
    let durable = Infinity;
    const disk: Entry[] = [];
    for (const [i, entries] of [[], ...this.handedOut].entries()) {
      if (entries.length > 0) {
        disk.length = entries[0]!.index - 1;
        disk.push(...entries);
      }
      if (i < done) continue;
      let common = 0;
      while (common < disk.length && disk[common] === this.log[common]) common++;
      durable = Math.min(durable, common);
    }
    return durable;
  }
}

const step = fc.oneof(
  fc.record({ cut: fc.nat(4), append: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ handOut: fc.constant(true) }),
  fc.record({ done: fc.integer({ min: 1, max: 2 }) }),
);

test('what counts as durable is what every crash leaves, with writes under way and cuts between', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const unstable = new Unstable(1);
      const twin = new SlowTwin();
      let term = 1;
      let done = 0;
      for (const one of steps) {
        if ('append' in one) {
          const first = Math.max(1, unstable.lastIndex + 1 - one.cut);
          if (one.cut > 0) term++;
          const entries = entriesOf(Array<number>(one.append).fill(term), first);
          unstable.append(entries);
          twin.append(entries);
        } else if ('handOut' in one) {
          const { entries } = unstable.handOut(twin.handedOut.length + 1);
          assert.deepEqual(entries, twin.handOut());
        } else {
          done = Math.min(done + one.done, twin.handedOut.length);
          unstable.written(done);
        }
        assert.ok(unstable.durableIndex <= twin.durable(done), 'counts what a crash can take');
        assert.equal(unstable.lastIndex, twin.log.length);
        const seen = unstable.slice(unstable.offset, unstable.lastIndex + 1);
        assert.deepEqual(seen, twin.log.slice(unstable.offset - 1));
      }
      unstable.handOut(twin.handedOut.length + 1);
      unstable.written(twin.handedOut.length + 1);
      assert.equal(unstable.durableIndex, twin.log.length, 'in the end all is durable');
    }),
    { numRuns: 300 },
  );
});

test('a write does not vouch for entries that were cut and came back (the ABA problem)', () => {
  const unstable = new Unstable(5);
  unstable.append(entriesOf([2, 2, 2], 5));
  unstable.handOut(1);
  unstable.append(entriesOf([3], 6));
  unstable.handOut(2);
  unstable.append(entriesOf([2, 2], 6));
  unstable.handOut(3);
  unstable.written(1);
  assert.equal(unstable.durableIndex, 5);
  unstable.written(2);
  assert.equal(unstable.durableIndex, 5);
  unstable.written(3);
  assert.equal(unstable.durableIndex, 7);
});

function snapshotAt(
  index: number,
): { metadata: object; data: Uint8Array } & Parameters<Unstable['restore']>[0] {
  return { metadata: { index, term: 3, confState: NO_CONF }, data: new Uint8Array(0) };
}

test('nothing is durable while a snapshot is being installed; entries follow it', () => {
  const unstable = new Unstable(5);
  unstable.append(entriesOf([2, 2], 5));
  unstable.handOut(1);
  unstable.restore(snapshotAt(20));
  unstable.append(entriesOf([3], 21));
  assert.equal(unstable.written(1), undefined);
  assert.equal(unstable.durableIndex, 0);
  const { snapshot, entries } = unstable.handOut(2);
  assert.equal(snapshot?.metadata.index, 20);
  assert.deepEqual(entries, entriesOf([3], 21));
  assert.equal(unstable.written(2)?.metadata.index, 20);
  assert.equal(unstable.durableIndex, 21);
});

test('a snapshot that is overtaken by a newer one does not count as installed', () => {
  const unstable = new Unstable(1);
  unstable.restore(snapshotAt(20));
  unstable.handOut(1);
  unstable.restore(snapshotAt(30));
  unstable.handOut(2);
  assert.equal(unstable.written(1), undefined);
  assert.equal(unstable.durableIndex, 0);
  assert.equal(unstable.written(2)?.metadata.index, 30);
});

test('entries must not leave a gap', () => {
  const unstable = new Unstable(5);
  assert.throws(() => unstable.append(entriesOf([1], 6)), { name: 'RaftInvariantError' });
});
