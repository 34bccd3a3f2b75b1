import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FrameReader } from '../../../src/grpc/http2/frame-reader.js';
import { frame } from '../support/http2-frames.js';

type Taken = [type: number, flags: number, streamId: number, payload: string];

function collect(): { reader: FrameReader; taken: Taken[] } {
  const taken: Taken[] = [];
  const reader = new FrameReader((type, flags, id, bytes, start, end) =>
    taken.push([type, flags, id, bytes.toString('latin1', start, end)]),
  );
  return { reader, taken };
}

const anyFrame = fc.tuple(
  fc.nat({ max: 255 }),
  fc.nat({ max: 255 }),
  fc.nat({ max: 2 ** 31 - 1 }),
  fc.oneof(fc.constant(''), fc.string({ maxLength: 30, unit: 'binary-ascii' })),
);

describe('frames', () => {
  it('come out as they went in, whatever the pieces', () => {
    fc.assert(
      fc.property(
        fc.array(anyFrame, { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 40 })),
        (frames, sizes) => {
          const bytes = Buffer.concat(
            frames.map(([type, flags, id, text]) => frame(type, flags, id, Buffer.from(text))),
          );
          const { reader, taken } = collect();
          let at = 0;
          for (const size of [...sizes, bytes.length]) {
            reader.push(bytes.subarray(at, at + size));
            at += size;
          }
          assert.deepEqual(taken, frames);
        },
      ),
    );
  });

  it('of the largest size come a byte at a time without being copied again and again', () => {
    const bytes = frame(0, 0, 1, Buffer.alloc(16_384, 'x'));
    const { reader, taken } = collect();
    for (const byte of bytes) reader.push(Buffer.from([byte]));
    assert.equal(taken.length, 1);
    assert.equal(taken[0]![3].length, 16_384);
  });

  it('larger than that are refused by their header', () => {
    const bytes = frame(0, 0, 1, Buffer.alloc(16_385));
    for (const first of [9, 4, 100]) {
      const { reader } = collect();
      assert.throws(
        () => {
          reader.push(bytes.subarray(0, first));
          reader.push(bytes.subarray(first, 20));
        },
        { name: 'ConnectionError', code: 6 },
      );
    }
  });

  it('leave out the highest bit of a stream', () => {
    const bytes = frame(8, 0, 1, Buffer.alloc(4));
    bytes[5]! |= 0x80;
    const { reader, taken } = collect();
    reader.push(bytes);
    assert.equal(taken[0]![2], 1);
  });

  it('end when the reader is stopped, within a chunk too', () => {
    let count = 0;
    const reader = new FrameReader(() => {
      count++;
      reader.stop();
    });
    const ping = frame(6, 0, 0, Buffer.alloc(8));
    reader.push(Buffer.concat([ping, ping, ping.subarray(0, 5)]));
    reader.push(ping);
    assert.equal(count, 1);
  });
});
