import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MessageReader } from '../../src/grpc/message-reader.js';

function message(text: string, flag = 0): Buffer {
  const prefix = Buffer.from([flag, 0, 0, 0, 0]);
  prefix.writeUInt32BE(text.length, 1);
  return Buffer.concat([prefix, Buffer.from(text, 'latin1')]);
}

describe('messages', () => {
  it('come out as they went in, whatever the pieces and however long each is waited for', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary-ascii', maxLength: 30 }), { maxLength: 20 }),
        fc.array(fc.record({ size: fc.integer({ min: 0, max: 40 }), most: fc.nat({ max: 4 }) })),
        (texts, pieces) => {
          const bytes = Buffer.concat(texts.map((text) => message(text)));
          const reader = new MessageReader(1_000);
          const read: string[] = [];
          let at = 0;
          const take = (size: number, most: number): void => {
            // A chunk whose memory is somebody else's as soon as the turn is over.
            const chunk = Buffer.concat([Buffer.alloc(3), bytes.subarray(at, at + size)]);
            reader.push(chunk, 3, chunk.length);
            at += size;
            for (let i = 0; i < most; i++) {
              const next = reader.next();
              if (next === undefined) break;
              read.push(next.toString('latin1'));
            }
            reader.keep();
            chunk.fill(0xff);
          };
          for (const { size, most } of pieces) take(size, most);
          take(bytes.length, Infinity);
          assert.deepEqual(read, texts);
          assert.equal(reader.heldBytes, 0);
        },
      ),
    );
  });

  it('say whether they are compressed', () => {
    const reader = new MessageReader(10);
    const bytes = Buffer.concat([message('a', 1), message('b')]);
    reader.push(bytes, 0, bytes.length);
    assert.equal(String(reader.next()), 'a');
    assert.equal(reader.compressed, true);
    assert.equal(String(reader.next()), 'b');
    assert.equal(reader.compressed, false);
  });

  it('that are too long are refused by their prefix', () => {
    const reader = new MessageReader(10);
    const bytes = message('x'.repeat(11));
    reader.push(bytes, 0, 5);
    assert.throws(() => reader.next(), {
      code: 8,
      message: 'grpc: received message larger than max (11 vs. 10)',
    });
  });
});
