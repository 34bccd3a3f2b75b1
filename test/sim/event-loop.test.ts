import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventLoop } from '../../src/sim/event-loop.js';

function looped(hooks: { atRest?: () => void; failed?: (error: unknown) => void } = {}): EventLoop {
  return new EventLoop({
    atRest: hooks.atRest ?? (() => {}),
    failed:
      hooks.failed ??
      ((error) => {
        throw error;
      }),
  });
}

describe('the event loop', () => {
  it('runs events by time, then in the order of scheduling', async () => {
    const loop = looped();
    const seen: string[] = [];
    const note = (text: string) => () => void seen.push(`${text} ${loop.nowUs}`);
    loop.schedule(20, undefined, note('c'));
    loop.schedule(10, undefined, note('a'));
    loop.schedule(10, undefined, note('b'));
    loop.schedule(10.2, undefined, note('rounded up'));
    await loop.run(100);
    assert.deepEqual(seen, ['a 10', 'b 10', 'rounded up 11', 'c 20']);
    assert.equal(loop.nowUs, 100);
  });

  it('lets every promise job run before the next event, however long the chain', async () => {
    const loop = looped();
    const seen: string[] = [];
    loop.schedule(1, undefined, () => {
      void (async () => {
        for (let i = 0; i < 1000; i++) await Promise.resolve();
        seen.push('the chain ended');
      })();
    });
    loop.schedule(1, undefined, () => void seen.push('the next event'));
    await loop.run(10);
    assert.deepEqual(seen, ['the chain ended', 'the next event']);
  });

  it('asks at rest: after the promise jobs of each event', async () => {
    let jobs = 0;
    const seen: number[] = [];
    const loop = looped({ atRest: () => void seen.push(jobs) });
    for (let i = 0; i < 3; i++) {
      loop.schedule(i, undefined, () => void Promise.resolve().then(() => jobs++));
    }
    await loop.run(10);
    assert.deepEqual(seen, [0, 1, 2, 3]);
  });

  it('ends when it is told to, between two events', async () => {
    const loop = looped();
    let count = 0;
    for (let i = 0; i < 5; i++) loop.schedule(i, undefined, () => void count++);
    await loop.run(100, () => count === 2);
    assert.equal(count, 2);
    assert.equal(loop.nowUs, 1);
    await loop.run(100);
    assert.equal(count, 5);
  });

  it('does not run what was cancelled or whose owner is gone', async () => {
    const loop = looped();
    const seen: string[] = [];
    const owner = { isAlive: true, perform: (action: () => void) => action() };
    loop.schedule(5, undefined, () => void seen.push('cancelled')).cancel();
    loop.schedule(5, owner, () => void seen.push('of the dead'));
    loop.schedule(1, owner, () => void seen.push('of the living'));
    loop.schedule(2, undefined, () => (owner.isAlive = false));
    await loop.run(10);
    assert.deepEqual(seen, ['of the living']);
  });

  it('rejects with what a check at rest throws', async () => {
    const loop = looped({
      atRest: () => {
        if (loop.nowUs === 3) throw new Error('broken');
      },
    });
    loop.schedule(3, undefined, () => {});
    await assert.rejects(loop.run(10), /broken/);
    assert.equal(loop.nowUs, 3);
  });

  it('tells what an event threw, and goes on', async () => {
    const errors: unknown[] = [];
    const loop = looped({ failed: (error) => void errors.push(error) });
    let reached = false;
    loop.schedule(1, undefined, () => {
      throw new Error('thrown');
    });
    loop.schedule(2, undefined, () => (reached = true));
    await loop.run(10);
    assert.equal(errors.length, 1);
    assert.ok(reached);
  });

  it('keeps its order over many random times', async () => {
    const loop = looped();
    const times: number[] = [];
    let x = 1;
    for (let i = 0; i < 2000; i++) {
      x = (x * 48271) % 2147483647;
      loop.schedule(x % 500, undefined, () => void times.push(loop.nowUs));
    }
    await loop.run(1000);
    assert.equal(times.length, 2000);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  });
});
