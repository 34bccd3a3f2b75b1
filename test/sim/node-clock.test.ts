import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventLoop } from '../../src/sim/event-loop.js';
import { NodeClock } from '../../src/sim/node-clock.js';

const owner = { isAlive: true, perform: (action: () => void) => action() };

function clockAt(startMs: number): { loop: EventLoop; clock: NodeClock } {
  const loop = new EventLoop({
    atRest: () => {},
    failed: (error) => {
      throw error;
    },
  });
  return { loop, clock: new NodeClock(loop, startMs, 0) };
}

describe('the clock of a node', () => {
  it('begins where it is told and runs at its rate', async () => {
    const { loop, clock } = clockAt(500);
    const { monotonicMs } = clock.for(owner);
    assert.equal(monotonicMs(), 500);
    await loop.run(1_000_000);
    assert.equal(monotonicMs(), 1500);
    clock.setRate(1.02);
    await loop.run(2_000_000);
    assert.equal(monotonicMs(), 2520);
    clock.setRate(0.98);
    await loop.run(3_000_000);
    assert.equal(monotonicMs(), 3500);
  });

  it('fires by its own time', async () => {
    for (const rate of [0.98, 1, 1.02]) {
      const { loop, clock } = clockAt(0);
      clock.setRate(rate);
      let firedUs = 0;
      clock.for(owner).after(100, () => (firedUs = loop.nowUs));
      await loop.run(1_000_000);
      assert.equal(firedUs, Math.ceil(100_000 / rate));
    }
  });

  it('is never early when it slows down meanwhile', async () => {
    const { loop, clock } = clockAt(0);
    clock.setRate(1.02);
    let firedMs = 0;
    const view = clock.for(owner);
    view.after(100, () => (firedMs = view.monotonicMs()));
    await loop.run(50_000);
    clock.setRate(0.98);
    await loop.run(1_000_000);
    assert.ok(firedMs >= 100 && firedMs < 100.01, `${firedMs}`);
  });

  it('a cancelled timer does not fire, not even after it was armed again', async () => {
    const { loop, clock } = clockAt(0);
    clock.setRate(1.02);
    const timer = clock.for(owner).after(100, () => assert.fail('fired'));
    clock.setRate(0.98);
    await loop.run(98_500);
    timer.cancel();
    await loop.run(1_000_000);
  });

  it('a jump of the wall clock moves nothing else', async () => {
    const { loop, clock } = clockAt(0);
    const view = clock.for(owner);
    const before = view.wallMs();
    clock.jumpWall(-60_000);
    assert.equal(view.wallMs(), before - 60_000);
    assert.equal(view.monotonicMs(), 0);
    await loop.run(1_000_000);
    assert.equal(view.wallMs(), before - 59_000);
  });

  it('a next turn comes at the same time, behind what is due now', async () => {
    const { loop, clock } = clockAt(0);
    const seen: string[] = [];
    loop.schedule(5, undefined, () => {
      clock.for(owner).nextTurn(() => void seen.push('next turn'));
    });
    loop.schedule(5, undefined, () => void seen.push('due now'));
    await loop.run(5);
    assert.deepEqual(seen, ['due now', 'next turn']);
  });
});
