/** What src/storage/raft-log.ts promises, for any implementation. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ConfState, Entry, HardState, SnapshotMetadata } from '../../src/raft/index.js';
import type { LogIdentity, RaftLog } from '../../src/storage/index.js';

/** One log and what can happen to it. */
export interface RaftLogHarness {
  readonly log: RaftLog;
  /** The same log in a new process, after this one closed it or was killed; undefined: not kept. */
  readonly reopen?: (how: 'close' | 'kill') => Promise<RaftLogHarness>;
  close(): Promise<void>;
}

export function entry(index: number, term: number, data = `${index}@${term}`): Entry {
  return { index, term, type: 0, data: Buffer.from(data) };
}

export function entriesFrom(first: number, count: number, term: number): Entry[] {
  return Array.from({ length: count }, (_, i) => entry(first + i, term));
}

export function confState(...voters: bigint[]): ConfState {
  return { voters, learners: [], votersOutgoing: [], learnersNext: [], autoLeave: false };
}

export function raftLogContract(
  name: string,
  make: () => Promise<RaftLogHarness>,
  numRuns: number,
): void {
  describe(`${name} keeps the raft log contract`, () => {
    const withLog = async (check: (log: RaftLog) => Promise<void>) => {
      const harness = await make();
      try {
        await check(harness.log);
      } finally {
        await harness.close();
      }
    };

    it('begins empty', () =>
      withLog(async (log) => {
        assert.equal(log.firstIndex(), 1);
        assert.equal(log.lastIndex(), 0);
        assert.equal(log.term(0), 0);
        assert.equal(log.term(1), undefined);
        assert.equal(log.identity(), undefined);
        assert.deepEqual(log.initialState(), {
          hardState: { term: 0, vote: 0n, commit: 0 },
          confState: confState(),
        });
        assert.equal(log.snapshot().metadata.index, 0);
      }));

    it('gives entries by size: at least one, then while they fit', () =>
      withLog(async (log) => {
        await log.append({ entries: entriesFrom(1, 5, 1), sync: true });
        const indexes = (low: number, high: number, maxBytes: number) =>
          log.entries(low, high, maxBytes).map(({ index }) => index);
        assert.deepEqual(indexes(1, 6, Infinity), [1, 2, 3, 4, 5]);
        assert.deepEqual(indexes(2, 4, Infinity), [2, 3]);
        assert.deepEqual(indexes(2, 2, Infinity), []);
        assert.deepEqual(indexes(1, 6, 0), [1]);
        assert.deepEqual(indexes(1, 6, 6), [1, 2]);
        assert.deepEqual(indexes(1, 6, 8), [1, 2]);
        assert.deepEqual(indexes(1, 6, 9), [1, 2, 3]);
        assert.throws(() => log.entries(1, 7, Infinity));
        assert.throws(() => log.entries(0, 2, Infinity));
      }));

    it('replaces what stands at and behind a new entry', () =>
      withLog(async (log) => {
        await log.append({ entries: entriesFrom(1, 6, 1), sync: true });
        await log.append({ entries: entriesFrom(4, 1, 2), sync: true });
        assert.equal(log.lastIndex(), 4);
        assert.deepEqual(terms(log), [1, 1, 1, 2]);
        assert.deepEqual(log.entries(4, 5, Infinity), [entry(4, 2)]);
      }));

    it('refuses a gap and what is compacted, and goes on', () =>
      withLog(async (log) => {
        await log.append({ entries: entriesFrom(1, 3, 1), sync: true });
        await log.compact(2);
        await assert.rejects(log.append({ entries: entriesFrom(5, 1, 1), sync: true }));
        await assert.rejects(log.append({ entries: entriesFrom(2, 1, 1), sync: true }));
        await log.append({ entries: entriesFrom(4, 1, 1), sync: true });
        assert.equal(log.lastIndex(), 4);
      }));

    it('takes calls in order while earlier ones are being written', () =>
      withLog(async (log) => {
        const order: number[] = [];
        const calls = [
          log.append({ entries: entriesFrom(1, 4, 1), sync: true }),
          log.append({ entries: entriesFrom(3, 4, 2), sync: false }),
          log.append({ entries: [], hardState: { term: 3, vote: 7n, commit: 2 }, sync: true }),
          log.append({ entries: entriesFrom(5, 1, 3), sync: true }),
        ];
        await Promise.all(calls.map((call, i) => call.then(() => order.push(i))));
        assert.deepEqual(order, [0, 1, 2, 3]);
        assert.deepEqual(terms(log), [1, 1, 2, 2, 3]);
        assert.deepEqual(log.initialState().hardState, { term: 3, vote: 7n, commit: 2 });
      }));

    it('compacts, keeps the term before the first entry, and ignores what is compacted already', () =>
      withLog(async (log) => {
        await log.append({
          entries: [...entriesFrom(1, 2, 1), ...entriesFrom(3, 3, 2)],
          sync: true,
        });
        await log.compact(3);
        await log.compact(2);
        assert.equal(log.firstIndex(), 4);
        assert.equal(log.term(3), 2);
        assert.equal(log.term(2), undefined);
        await log.compact(5);
        assert.equal(log.firstIndex(), 6);
        assert.equal(log.lastIndex(), 5);
        await log.append({ entries: entriesFrom(6, 1, 2), sync: true });
        assert.equal(log.lastIndex(), 6);
        await assert.rejects(log.compact(9));
      }));

    it('is empty behind an installed snapshot', () =>
      withLog(async (log) => {
        await log.append({ entries: entriesFrom(1, 5, 1), sync: true });
        const metadata = { index: 9, term: 4, confState: confState(1n, 2n) };
        await log.install(metadata, { term: 5, vote: 2n, commit: 9 });
        assert.equal(log.firstIndex(), 10);
        assert.equal(log.lastIndex(), 9);
        assert.equal(log.term(9), 4);
        assert.deepEqual(log.snapshot().metadata, metadata);
        assert.deepEqual(log.initialState(), {
          hardState: { term: 5, vote: 2n, commit: 9 },
          confState: confState(1n, 2n),
        });
        await log.append({ entries: entriesFrom(10, 1, 5), sync: true });
        assert.deepEqual(log.entries(10, 11, Infinity), [entry(10, 5)]);
      }));

    it('forgets entries behind an installed snapshot too', () =>
      withLog(async (log) => {
        await log.append({ entries: entriesFrom(1, 8, 1), sync: true });
        const metadata = { index: 4, term: 2, confState: confState(1n) };
        await log.install(metadata, { term: 2, vote: 0n, commit: 4 });
        assert.equal(log.lastIndex(), 4);
        assert.equal(log.term(5), undefined);
      }));

    it('behaves as an array does, whatever happens in between', () =>
      fc.assert(
        fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 40 }), async (steps) => {
          const run = new ModelRun(await make());
          try {
            for (const step of steps) {
              await run.take(step);
              run.check();
            }
          } finally {
            await run.close();
          }
        }),
        { numRuns },
      ));
  });
}

type Step =
  | { kind: 'append'; back: number; count: number; newTerm: boolean; sync: boolean; wait: boolean }
  | { kind: 'hardState'; vote: bigint; sync: boolean }
  | { kind: 'compact'; keep: number }
  | { kind: 'install'; ahead: number }
  | { kind: 'confState'; voters: bigint[] }
  | { kind: 'identity' }
  | { kind: 'reopen'; how: 'close' | 'kill' };

const uint64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      back: fc.integer({ min: 0, max: 4 }),
      count: fc.integer({ min: 1, max: 5 }),
      newTerm: fc.boolean(),
      sync: fc.boolean(),
      wait: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('hardState' as const),
      vote: uint64,
      sync: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('compact' as const),
      keep: fc.integer({ min: 0, max: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('install' as const),
      ahead: fc.integer({ min: -2, max: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('confState' as const),
      voters: fc.array(uint64, { maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'identity' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reopen' as const),
      how: fc.constantFrom('close' as const, 'kill' as const),
    }),
  },
);

/** A log and, beside it, plain values that say what it must hold. */
class ModelRun {
  #harness: RaftLogHarness;
  #start = { index: 0, term: 0 };
  #entries: Entry[] = [];
  #hardState: HardState = { term: 0, vote: 0n, commit: 0 };
  #metadata: SnapshotMetadata = { index: 0, term: 0, confState: confState() };
  #identity: LogIdentity | undefined;
  #term = 1;
  #running: Promise<void>[] = [];

  constructor(harness: RaftLogHarness) {
    this.#harness = harness;
  }

  get #last(): number {
    return this.#start.index + this.#entries.length;
  }

  async take(step: Step): Promise<void> {
    const { log } = this.#harness;
    if (step.kind !== 'append') await this.#settle();
    switch (step.kind) {
      case 'append':
        return this.#append(step);
      case 'hardState':
        this.#hardState = { term: this.#term, vote: step.vote, commit: this.#last };
        return log.append({ entries: [], hardState: this.#hardState, sync: step.sync });
      case 'compact':
        return this.#compact(step.keep);
      case 'install':
        return this.#install(step.ahead);
      case 'confState':
        this.#metadata = { index: this.#last, term: 1, confState: confState(...step.voters) };
        return log.saveConfState(this.#metadata);
      case 'identity':
        this.#identity = { memberId: 0xffff_ffff_ffff_fffen, clusterId: 1n };
        return log.setIdentity(this.#identity);
      case 'reopen':
        if (this.#harness.reopen !== undefined)
          this.#harness = await this.#harness.reopen(step.how);
        return undefined;
    }
  }

  check(): void {
    if (this.#running.length > 0) return;
    const { log } = this.#harness;
    assert.equal(log.firstIndex(), this.#start.index + 1);
    assert.equal(log.lastIndex(), this.#last);
    assert.equal(log.term(this.#start.index), this.#start.term);
    assert.equal(log.term(this.#start.index - 1), undefined);
    assert.equal(log.term(this.#last + 1), undefined);
    for (const { index, term } of this.#entries) assert.equal(log.term(index), term);
    assert.deepEqual(
      plain(log.entries(log.firstIndex(), this.#last + 1, Infinity)),
      plain(this.#entries),
    );
    assert.deepEqual(log.initialState(), {
      hardState: this.#hardState,
      confState: this.#metadata.confState,
    });
    assert.deepEqual(log.snapshot().metadata, this.#metadata);
    assert.deepEqual(log.identity(), this.#identity);
  }

  async close(): Promise<void> {
    await this.#settle();
    this.check();
    await this.#harness.close();
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#running);
    this.#running = [];
  }

  async #append(step: Step & { kind: 'append' }): Promise<void> {
    // What is committed is never replaced.
    const floor = Math.max(this.#start.index, this.#hardState.commit);
    const first = Math.max(floor, this.#last - step.back) + 1;
    if (step.newTerm || first <= this.#last) this.#term++;
    const entries = entriesFrom(first, step.count, this.#term);
    this.#entries.splice(first - this.#start.index - 1, Infinity, ...entries);
    this.#running.push(this.#harness.log.append({ entries, sync: step.sync }));
    if (step.wait) await this.#settle();
  }

  async #compact(keep: number): Promise<void> {
    const index = this.#last - keep;
    if (index <= this.#start.index) return;
    const { term } = this.#entries[index - this.#start.index - 1]!;
    this.#entries = this.#entries.slice(index - this.#start.index);
    this.#start = { index, term };
    await this.#harness.log.compact(index);
  }

  async #install(ahead: number): Promise<void> {
    const index = Math.max(this.#last + ahead, this.#start.index, this.#hardState.commit);
    this.#metadata = { index, term: this.#term, confState: confState(3n, 4n) };
    this.#hardState = { term: this.#term, vote: 0n, commit: index };
    this.#start = { index, term: this.#term };
    this.#entries = [];
    await this.#harness.log.install(this.#metadata, this.#hardState);
  }
}

function terms(log: RaftLog): number[] {
  return log.entries(log.firstIndex(), log.lastIndex() + 1, Infinity).map(({ term }) => term);
}

function plain(entries: readonly Entry[]): unknown[] {
  return entries.map(({ index, term, type, data }) => [
    index,
    term,
    type,
    Buffer.from(data).toString(),
  ]);
}
