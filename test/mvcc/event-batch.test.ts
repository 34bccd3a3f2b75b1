import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Event, KeyValue } from '../../src/api/index.js';
import { encodeRecord, eventSizeBytes } from '../../src/mvcc/index.js';
import { EventBatch } from '../../src/mvcc/event-batch.js';

const text = fc.string({ unit: 'binary-ascii', maxLength: 300 });
const pair: fc.Arbitrary<KeyValue> = fc.record({
  key: text,
  createRevision: fc.maxSafeNat(),
  modRevision: fc.maxSafeNat(),
  version: fc.maxSafeNat(),
  value: text,
  lease: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
});
const event: fc.Arbitrary<Event> = fc.record(
  { type: fc.constantFrom('put' as const, 'delete' as const), kv: pair, prevKv: pair },
  { requiredKeys: ['type', 'kv'] },
);

/** As a field of a response: tags and lengths of at most 6 bytes around each message. */
function encodedSize({ kv, prevKv }: Event): number {
  const previous = prevKv === undefined ? 0 : 6 + encodeRecord(prevKv).length;
  return 6 + 2 + 6 + encodeRecord(kv).length + previous;
}

test('the size of an event is never estimated too low', () => {
  fc.assert(fc.property(event, (one) => assert.ok(eventSizeBytes(one) >= encodedSize(one))));
});

test('pieces hold all events in order, within the limit or alone', () => {
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 3000 }),
      (events, limit) => {
        const pieces = new EventBatch(events).pieces(limit);
        assert.deepEqual(
          pieces.flatMap((piece) => piece.events),
          events,
        );
        for (const piece of pieces) {
          const size = piece.events.reduce((sum, one) => sum + eventSizeBytes(one), 0);
          assert.ok(piece.events.length === 1 || size <= limit);
        }
      },
    ),
  );
});

test('a batch that fits is its own only piece, cut once', () => {
  const batch = new EventBatch([]);
  assert.deepEqual(batch.pieces(10), [batch]);
  assert.equal(batch.pieces(10), batch.pieces(10));
});
