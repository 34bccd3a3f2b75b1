import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DecodeError } from '../../../src/codec/index.js';
import { type Entry, type Message, MessageType } from '../../../src/raft/index.js';
import { ByteQueue } from '../../../src/transport/peer/byte-queue.js';
import {
  FrameError,
  FrameParser,
  MAX_MESSAGE_BYTES,
  readU64,
  u64,
} from '../../../src/transport/peer/frame-parser.js';
import {
  encodeMessageFrame,
  linkHeartbeatFrame,
  singleMessage,
} from '../../../src/transport/peer/message-framing.js';
import {
  type StreamEncoder,
  streamEncoder,
  streamGrammar,
  type StreamKind,
} from '../../../src/transport/peer/streams.js';
import { makeMessage, plain } from './network-world.js';

const ends = { from: 0xan, to: 0xbn };

function read(kind: StreamKind, chunks: Iterable<Uint8Array>): Message[] {
  const messages: Message[] = [];
  const parser = new FrameParser(
    streamGrammar(kind, ends, (message) => void messages.push(plain(message))),
  );
  for (const chunk of chunks) parser.push(chunk);
  return messages;
}

function encodeAll(encoder: StreamEncoder, messages: readonly Message[]): Buffer {
  return Buffer.concat(messages.flatMap((message) => [...encoder.encode(message)]));
}

const bytes = fc.uint8Array({ maxLength: 40 });
const number = fc.oneof(fc.nat(20), fc.maxSafeNat());

/** Appends that often, but not always, follow on one another, as a leader's do. */
const appends: fc.Arbitrary<Message[]> = fc
  .array(
    fc.record({
      jump: fc.constantFrom(0, 0, 0, 0, 1, -1),
      newTerm: fc.constantFrom(0, 0, 0, 1),
      oldLogTerm: fc.constantFrom(false, false, true),
      data: fc.array(bytes, { maxLength: 4 }),
      commit: number,
    }),
    { maxLength: 20 },
  )
  .map((steps) => {
    let term = 3;
    let index = 10;
    return steps.map(({ jump, newTerm, oldLogTerm, data, commit }) => {
      term += newTerm;
      index = Math.max(1, index + jump);
      const entries: Entry[] = data.map((value, i) => ({
        type: 0,
        term,
        index: index + i + 1,
        data: value,
      }));
      const message = makeMessage({
        ...ends,
        type: MessageType.append,
        term,
        logTerm: oldLogTerm ? term - 1 : term,
        index,
        entries,
        commit,
      });
      index += entries.length;
      return message;
    });
  });

const others: fc.Arbitrary<Message[]> = fc.array(
  fc
    .record({
      type: fc.constantFrom(
        MessageType.propose,
        MessageType.appendResponse,
        MessageType.vote,
        MessageType.heartbeat,
        MessageType.readIndexResponse,
      ),
      to: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
      from: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
      term: number,
      index: number,
      logTerm: number,
      commit: number,
      reject: fc.boolean(),
      rejectHint: number,
      context: bytes,
    })
    .map(makeMessage),
  { maxLength: 20 },
);

/** `all` cut at every place that `cuts` names. */
function cutAt(all: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (all.length + 1)).sort((a, b) => a - b)];
  return places.map((from, i) => all.subarray(from, places[i + 1] ?? all.length));
}

describe('both streams', () => {
  for (const [kind, messages] of [
    ['msgapp', appends],
    ['message', others],
  ] as const) {
    it(`${kind}: what is written is read, however it is cut`, () => {
      fc.assert(
        fc.property(messages, fc.array(fc.nat(), { maxLength: 30 }), (sent, cuts) => {
          const all = encodeAll(streamEncoder(kind), sent);
          assert.deepEqual(read(kind, cutAt(all, cuts)), sent);
        }),
      );
    });

    it(`${kind}: a cut at any single byte does no harm`, () => {
      const [sent] = fc.sample(
        messages.filter((list) => list.length > 5),
        { numRuns: 1, seed: 7 },
      );
      const all = encodeAll(streamEncoder(kind), sent!);
      for (let cut = 0; cut <= all.length; cut++) {
        assert.deepEqual(read(kind, [all.subarray(0, cut), all.subarray(cut)]), sent);
      }
      assert.deepEqual(
        read(
          kind,
          [...all].map((byte) => Uint8Array.of(byte)),
        ),
        sent,
      );
    });

    it(`${kind}: link heartbeats are not seen`, () => {
      const encoder = streamEncoder(kind);
      const [sent] = fc.sample(
        messages.filter((list) => list.length > 5),
        { numRuns: 1, seed: 8 },
      );
      const frames = sent!.map((message) => Buffer.concat([...encoder.encode(message)]));
      const all = frames.flatMap((frame) => [...encoder.heartbeat, frame, ...encoder.heartbeat]);
      assert.deepEqual(read(kind, all), sent);
    });

    it(`${kind}: garbage is an error or no message, never anything else`, () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), (garbage) => {
          try {
            read(kind, [garbage]);
          } catch (error) {
            assert.ok(error instanceof FrameError || error instanceof DecodeError, String(error));
          }
        }),
        { numRuns: 1_000 },
      );
    });
  }

  it('take nothing that is too large, and no memory for it', () => {
    const tooLarge = u64(MAX_MESSAGE_BYTES + 1);
    assert.throws(() => read('message', [tooLarge]), /exceeds 536870912 bytes/);
    assert.throws(() => read('msgapp', [Uint8Array.of(2), tooLarge]), FrameError);
    assert.throws(() => read('msgapp', [Uint8Array.of(1), u64(1), tooLarge]), FrameError);
    const before = process.memoryUsage().arrayBuffers;
    assert.deepEqual(read('message', [u64(MAX_MESSAGE_BYTES), new Uint8Array(10)]), []);
    assert.ok(process.memoryUsage().arrayBuffers - before < 10_000_000);
    assert.throws(() => read('message', [Buffer.alloc(8, 0xff)]), /out of range/);
  });

  it('know no other msgapp frame than 0, 1 and 2', () => {
    assert.throws(() => read('msgapp', [Uint8Array.of(3)]), /unknown msgapp frame type 3/);
  });
});

describe('msgapp frames', () => {
  const at = (index: number, more: Partial<Message> = {}): Message =>
    makeMessage({ ...ends, type: MessageType.append, term: 5, logTerm: 5, index, ...more });
  const entry = (index: number): Entry => ({
    type: 0,
    term: 5,
    index,
    data: new Uint8Array([index]),
  });
  const kinds = (messages: Message[]): number[] => {
    const encoder = streamEncoder('msgapp');
    return messages.map((message) => Buffer.concat([...encoder.encode(message)])[0]!);
  };

  it('begin with a full one, and leave out what follows on', () => {
    const first = at(3, { entries: [entry(4), entry(5)] });
    assert.deepEqual(kinds([first, at(5, { entries: [entry(6)] }), at(6), at(6)]), [2, 1, 1, 1]);
  });

  it('are full again after a gap, and when a term has changed', () => {
    assert.deepEqual(kinds([at(3), at(4)]), [2, 2]);
    assert.deepEqual(kinds([at(3), at(3, { term: 6 })]), [2, 2]);
    assert.deepEqual(kinds([at(3), at(3, { term: 6 }), at(3, { term: 6, logTerm: 6 })]), [2, 2, 1]);
    assert.deepEqual(kinds([at(3, { logTerm: 4 }), at(3, { logTerm: 4 }), at(3)]), [2, 2, 1]);
  });

  it('hold these bytes', () => {
    const encoder = streamEncoder('msgapp');
    encoder.encode(at(3));
    const frame = Buffer.concat([...encoder.encode(at(3, { commit: 258 }))]);
    assert.equal(frame.toString('hex'), '01' + '0000000000000000' + '0000000000000102');
    assert.equal(Buffer.concat([...encoder.heartbeat]).toString('hex'), '00');
  });
});

describe('message frames', () => {
  it('of real members read as link heartbeats', () => {
    const real = Buffer.from(
      '08081000180020002800300040004a0a12080a02280010001800' + '50005800',
      'hex',
    );
    assert.deepEqual(read('message', [u64(real.length), real]), []);
    assert.deepEqual(read('message', linkHeartbeatFrame), []);
  });

  it('alone, leave the rest', () => {
    const message = makeMessage({ ...ends, type: MessageType.vote });
    let found: Message | undefined;
    const parser = new FrameParser(singleMessage(1_000, (read) => void (found = plain(read))));
    parser.push(Buffer.concat([...encodeMessageFrame(message), Buffer.from('the rest')]));
    assert.equal(parser.done, true);
    assert.deepEqual(found, message);
    assert.equal(Buffer.concat(parser.rest()).toString(), 'the rest');
    const limited = new FrameParser(singleMessage(10, () => {}));
    assert.throws(() => limited.push(u64(11)), FrameError);
  });
});

describe('the parts of frames', () => {
  it('u64 there and back', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        assert.equal(readU64(u64(value)), value);
        assert.equal(Buffer.from(u64(value)).readBigUInt64BE(), BigInt(value));
      }),
    );
  });

  it('a queue gives out what was put in', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), fc.array(fc.nat(20)), (chunks, takes) => {
        const queue = new ByteQueue();
        for (const chunk of chunks) queue.push(chunk);
        const all = Buffer.concat(chunks);
        const out: Uint8Array[] = [];
        for (const take of takes) if (take <= queue.length) out.push(queue.take(take));
        assert.equal(queue.length, all.length - Buffer.concat(out).length);
        out.push(...queue.rest());
        assert.deepEqual(Buffer.concat(out), all);
        assert.equal(queue.length, 0);
      }),
    );
  });
});
