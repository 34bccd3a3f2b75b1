import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ExpiryQueue } from '../../src/lease/expiry-queue.js';

describe('ExpiryQueue', () => {
  it('is empty at first', () => {
    const queue = new ExpiryQueue();
    assert.equal(queue.first(), undefined);
    assert.equal(queue.size, 0);
    queue.delete(1n);
  });

  it('has the earliest first, as a sorted list would', () => {
    const step = fc.record({
      id: fc.bigInt({ min: 0n, max: 12n }),
      dueMs: fc.option(fc.integer({ min: 0, max: 50 })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = new ExpiryQueue();
        const model = new Map<bigint, number>();
        for (const { id, dueMs } of steps) {
          if (dueMs === null) {
            queue.delete(id);
            model.delete(id);
          } else {
            queue.set(id, dueMs);
            model.set(id, dueMs);
          }
          assert.equal(queue.size, model.size);
          assert.equal(queue.has(id), model.has(id));
          assert.equal(queue.first()?.dueMs, minimum(model));
        }
        drain(queue, model);
      }),
    );
  });
});

function drain(queue: ExpiryQueue, model: Map<bigint, number>): void {
  for (let first = queue.first(); first !== undefined; first = queue.first()) {
    assert.equal(first.dueMs, minimum(model));
    assert.equal(model.get(first.id), first.dueMs);
    queue.delete(first.id);
    model.delete(first.id);
  }
  assert.equal(model.size, 0);
}

function minimum(model: Map<bigint, number>): number | undefined {
  return model.size === 0 ? undefined : Math.min(...model.values());
}
