import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { InboundRepair } from '../../../src/transport/grpc-js/inbound-repair.js';
import { Opening, type Verdict } from '../../../src/transport/grpc-js/opening.js';
import {
  callBlock,
  frame,
  headers,
  HEADERS,
  lastMessage,
  ping,
  preface,
  priority,
  settings,
  settingsAck,
  windowUpdate,
} from '../../grpc/support/http2-frames.js';

const path = '/toy.Toy/Echo';
const good = headers(callBlock(path, 'localhost:1'));
const bad = headers(callBlock(path, 'http://localhost:1'));
const repaired = headers(callBlock(path, 'http:--localhost:1'));
const quiet = Buffer.concat([settings, windowUpdate, priority]);
/** Its CONTINUATION would follow. */
const unended = frame(HEADERS, 0, 1, callBlock(path, 'http://localhost:1'));

/** Pushes pieces, greeting whenever it is time; the last verdict. */
function push(opening: Opening, ...pieces: Uint8Array[]): Verdict {
  let verdict: Verdict = 'wait';
  for (const piece of pieces) {
    assert.equal(verdict, 'wait');
    verdict = opening.push(Buffer.from(piece));
    if (verdict === 'wait') opening.greet();
  }
  return verdict;
}

describe('the opening of a connection', () => {
  it('is settled by a call at once, without a greeting', () => {
    for (const [call, verdict, after] of [
      [good, 'sound', good],
      [bad, 'repair', repaired],
    ] as const) {
      const opening = new Opening();
      assert.equal(opening.push(Buffer.concat([preface, quiet, call])), verdict);
      assert.deepEqual(opening.bytes, Buffer.concat([preface, quiet, after]));
      assert.equal(opening.ackOwed, false);
    }
  });

  it('greets once, when SETTINGS have come and nothing has begun after them', () => {
    const opening = new Opening();
    const greets = (bytes: Buffer): boolean => {
      assert.equal(opening.push(bytes), 'wait');
      return opening.greet();
    };
    assert.equal(greets(preface), false);
    assert.equal(greets(settings.subarray(0, 5)), false);
    assert.equal(greets(Buffer.concat([settings.subarray(5), windowUpdate.subarray(0, 3)])), false);
    assert.equal(greets(windowUpdate.subarray(3)), true);
    assert.equal(greets(priority), false);
  });

  it('takes the answer to its greeting out, before the call or after it', () => {
    for (const [call, after, verdict] of [
      [good, good, 'sound'],
      [bad, repaired, 'repair'],
    ] as const) {
      const early = new Opening();
      assert.equal(push(early, Buffer.concat([preface, quiet]), settingsAck, call), verdict);
      assert.equal(early.ackOwed, false);
      assert.deepEqual(early.bytes, Buffer.concat([preface, quiet, after]));
    }
    const late = new Opening();
    const message = lastMessage('hi');
    assert.equal(push(late, Buffer.concat([preface, settings]), good, message), 'wait');
    assert.equal(push(late, settingsAck), 'sound');
    assert.deepEqual(late.bytes, Buffer.concat([preface, settings, good, message]));
  });

  it('comes out the same wherever it is cut', () => {
    const spoken = Buffer.concat([preface, quiet, settingsAck, bad]);
    const start = preface.length + quiet.length;
    for (let cut = start; cut < spoken.length; cut++) {
      const opening = new Opening();
      const pieces = [spoken.subarray(0, start), spoken.subarray(start, cut)];
      assert.equal(push(opening, ...pieces, spoken.subarray(cut)), 'repair', `cut at ${cut}`);
      assert.deepEqual(opening.bytes, Buffer.concat([preface, quiet, repaired]));
    }
    const opening = new Opening();
    assert.equal(push(opening, ...Array.from(spoken, (byte) => Uint8Array.of(byte))), 'repair');
    assert.deepEqual(opening.bytes, Buffer.concat([preface, quiet, repaired]));
  });

  it('is over with any other frame, as far as its header has come', () => {
    for (const other of [ping, lastMessage('x'), unended, frame(0x62, 0, 0, Buffer.alloc(9))]) {
      const opening = new Opening();
      const bytes = Buffer.concat([preface, settings, other.subarray(0, 9)]);
      assert.equal(opening.push(bytes), 'sound');
      assert.deepEqual(opening.bytes, bytes);
    }
    const greeted = new Opening();
    assert.equal(push(greeted, Buffer.concat([preface, settings]), ping), 'sound');
    assert.equal(greeted.ackOwed, true);
  });

  it('is over when there is too much of it', () => {
    const opening = new Opening();
    const many = Buffer.concat([preface, ...Array.from({ length: 6_000 }, () => windowUpdate)]);
    assert.equal(opening.push(many), 'sound');
    const endless = new Opening();
    const big = frame(4, 0, 0, Buffer.alloc(100_000));
    assert.equal(endless.push(Buffer.concat([preface, big.subarray(0, 60_000)])), 'wait');
    assert.equal(endless.push(big.subarray(60_000, 66_000)), 'sound');
  });

  it('does not hold an acknowledgement back that nobody owes', () => {
    const opening = new Opening();
    const bytes = Buffer.concat([preface, settings, settingsAck, good]);
    assert.equal(opening.push(bytes), 'sound');
    assert.deepEqual(opening.bytes, bytes);
  });
});

/** A connection's frames, and what should become of them. */
const conversation = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...[quiet, good, ping, unended, settings].map((bytes) => [bytes, bytes] as const),
      [bad, repaired] as const,
    ),
    fc
      .uint8Array({ maxLength: 40 })
      .map((bytes) => frame(0, 0, 1, bytes))
      .map((bytes) => [bytes, bytes] as const),
  ),
  { maxLength: 12 },
);

describe('repairing what comes in', () => {
  it('changes authorities and nothing else, whatever the pieces', () => {
    fc.assert(
      fc.property(conversation, fc.array(fc.nat({ max: 30 })), (frames, sizes) => {
        const spoken = Buffer.concat([preface, ...frames.map(([said]) => said)]);
        const repair = new InboundRepair(false);
        const heard: Buffer[] = [];
        let at = 0;
        for (const size of [...sizes, spoken.length]) {
          heard.push(Buffer.from(repair.push(Buffer.from(spoken.subarray(at, at + size)))));
          at += size;
        }
        const expected = [preface, ...frames.map(([, meant]) => meant)];
        assert.deepEqual(Buffer.concat(heard), Buffer.concat(expected));
      }),
    );
  });

  it('takes one acknowledgement out if one is owed', () => {
    const spoken = Buffer.concat([preface, settings, good, settingsAck, settingsAck, bad]);
    for (let cut = preface.length; cut < spoken.length; cut++) {
      const owed = new InboundRepair(true);
      const heard = [spoken.subarray(0, cut), spoken.subarray(cut)].map((piece) =>
        Buffer.from(owed.push(Buffer.from(piece))),
      );
      assert.deepEqual(
        Buffer.concat(heard),
        Buffer.concat([preface, settings, good, settingsAck, repaired]),
      );
    }
    const none = new InboundRepair(false);
    assert.equal(none.push(Buffer.concat([preface, settingsAck])).length, 33);
  });

  it('lets HEADERS that are longer than allowed pass without holding them', () => {
    const repair = new InboundRepair(false);
    const big = headers(Buffer.alloc(20_000));
    assert.equal(repair.push(Buffer.concat([preface, big.subarray(0, 500)])).length, 524);
  });
});
