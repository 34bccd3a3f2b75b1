import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InternalOp } from '../../src/api/index.js';
import { etcdError } from '../../src/api/index.js';
import { type AutoCompaction, AutoCompactor } from '../../src/server/auto-compactor.js';
import { ManualClock } from './manual-clock.js';

const MINUTE_MS = 60_000;

class Bench {
  readonly clock = new ManualClock();
  readonly asked: string[] = [];
  revision = 1;
  leads = true;
  grows = true;
  failure: Error | undefined;
  readonly compactor: AutoCompactor;

  constructor(policy: AutoCompaction) {
    this.compactor = new AutoCompactor({
      policy,
      clock: this.clock,
      logger: () => {},
      isLeader: () => this.leads,
      currentRevision: () => this.revision,
      propose: async (op: InternalOp) => {
        assert.equal(op.kind, 'compaction');
        const minute = this.clock.monotonicMs() / MINUTE_MS;
        this.asked.push(`${minute}: ${op.kind === 'compaction' ? op.request.revision : ''}`);
        if (this.failure) throw this.failure;
      },
    });
    this.compactor.start();
  }

  /** A minute at a time, each of which brings a revision. */
  async pass(minutes: number): Promise<void> {
    for (let i = 0; i < minutes; i++) {
      this.clock.advance(MINUTE_MS);
      if (this.grows) this.revision++;
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
  }
}

describe('periodic compaction', () => {
  it('keeps a period: after ten minutes and each further ten, at a revision that is at least so old', async () => {
    const bench = new Bench({ mode: 'periodic', periodMs: 10 * MINUTE_MS });
    await bench.pass(9);
    assert.deepEqual(bench.asked, []);
    await bench.pass(21);
    assert.deepEqual(bench.asked, ['10: 1', '20: 9', '30: 19']);
  });

  it('of a day: the first after a day, then every hour', async () => {
    const bench = new Bench({ mode: 'periodic', periodMs: 24 * 60 * MINUTE_MS });
    await bench.pass(26 * 60);
    const minutes = bench.asked.map((line) => Number(line.split(':')[0]));
    assert.deepEqual(minutes, [1440, 1500, 1560]);
  });

  it('is the leader’s; one who becomes it later knows the revisions of the time before', async () => {
    const bench = new Bench({ mode: 'periodic', periodMs: 10 * MINUTE_MS });
    bench.leads = false;
    await bench.pass(24);
    assert.deepEqual(bench.asked, []);
    bench.leads = true;
    await bench.pass(1);
    assert.deepEqual(bench.asked, ['25: 14']);
  });

  it('tries again after a failure, and not after "compacted"; never twice at a revision', async () => {
    const bench = new Bench({ mode: 'periodic', periodMs: 10 * MINUTE_MS });
    bench.failure = etcdError('timeout');
    await bench.pass(11);
    assert.equal(bench.asked.length, 2);
    bench.failure = etcdError('compacted');
    await bench.pass(2);
    assert.equal(bench.asked.length, 3);

    const quiet = new Bench({ mode: 'periodic', periodMs: 10 * MINUTE_MS });
    quiet.grows = false;
    await quiet.pass(60);
    assert.deepEqual(quiet.asked, ['10: 1']);
  });

  it('ends with its member', async () => {
    const bench = new Bench({ mode: 'periodic', periodMs: 10 * MINUTE_MS });
    bench.compactor.stop();
    await bench.pass(30);
    assert.deepEqual(bench.asked, []);
  });
});

describe('compaction by revision', () => {
  it('keeps so many, looked at every five minutes', async () => {
    const bench = new Bench({ mode: 'revision', revisions: 8 });
    await bench.pass(16);
    assert.deepEqual(bench.asked, ['10: 2', '15: 7']);
    bench.leads = false;
    await bench.pass(10);
    assert.equal(bench.asked.length, 2);
  });
});
