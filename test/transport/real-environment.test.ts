import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { realClock, realRandom } from '../../src/transport/index.js';
import { sleep } from './support/waiting.js';

describe('the real clock', () => {
  it('never fires early', async () => {
    const delaysMs = [0, 0.3, 1, 1.9, 5, 12.5];
    const early = await Promise.all(
      delaysMs.map(
        (delayMs) =>
          new Promise<boolean>((resolve) => {
            const begunMs = realClock.monotonicMs();
            realClock.after(delayMs, () => resolve(realClock.monotonicMs() - begunMs < delayMs));
          }),
      ),
    );
    assert.deepEqual(
      early,
      delaysMs.map(() => false),
    );
  });

  it('fires once, unless it is cancelled; cancelling is always harmless', async () => {
    let fired = 0;
    const kept = realClock.after(5, () => fired++);
    const cancelled = realClock.after(5, () => fired++);
    cancelled.cancel();
    cancelled.cancel();
    await sleep(30);
    kept.cancel();
    assert.equal(fired, 1);
  });

  it('takes delays that setTimeout would not', async () => {
    let fired = false;
    const timer = realClock.after(2 ** 40, () => (fired = true));
    await sleep(20);
    assert.equal(fired, false);
    timer.cancel();
  });

  it('gives way to the next turn', async () => {
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      realClock.nextTurn(() => {
        order.push('next turn');
        resolve();
      });
      queueMicrotask(() => order.push('microtask'));
      order.push('now');
    });
    assert.deepEqual(order, ['now', 'microtask', 'next turn']);
  });

  it('shows the time of day', () => {
    assert.ok(Math.abs(realClock.wallMs() - Date.now()) < 1_000);
  });
});

describe('real chance', () => {
  it('covers 32 bits', () => {
    let ones = 0;
    let zeros = 0;
    for (let i = 0; i < 1_000; i++) {
      const drawn = realRandom.uint32();
      assert.ok(Number.isInteger(drawn) && drawn >= 0 && drawn < 2 ** 32);
      ones |= drawn;
      zeros |= ~drawn;
    }
    assert.equal(ones >>> 0, 0xffffffff);
    assert.equal(zeros >>> 0, 0xffffffff);
  });
});
