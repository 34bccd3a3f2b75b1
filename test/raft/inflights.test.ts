import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Inflights } from '../../src/raft/inflights.js';

const action = fc.oneof(
  fc.record({ add: fc.nat(10) }),
  fc.record({ freeTo: fc.nat(3) }),
  fc.record({ clear: fc.constant(true) }),
);

test('the window is a queue of messages bounded in number and bytes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.nat(30),
      fc.array(action, { maxLength: 60 }),
      (maxMessages, maxBytes, actions) => {
        const window = new Inflights(maxMessages, maxBytes);
        let model: { index: number; size: number }[] = [];
        let last = 0;
        for (const one of actions) {
          if ('add' in one) {
            if (window.isFull()) continue;
            last++;
            window.add(last, one.add);
            model.push({ index: last, size: one.add });
          } else if ('freeTo' in one) {
            const to = (model[0]?.index ?? 0) + one.freeTo - 1;
            window.freeTo(to);
            model = model.filter(({ index }) => index > to);
          } else {
            window.clear();
            model = [];
          }
          const bytes = model.reduce((sum, { size }) => sum + size, 0);
          assert.equal(window.count, model.length);
          assert.equal(window.bytes, bytes);
          const full = model.length >= maxMessages || (maxBytes > 0 && bytes >= maxBytes);
          assert.equal(window.isFull(), full);
        }
      },
    ),
  );
});
