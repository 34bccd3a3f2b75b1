import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { crc32c } from '../../src/bytes/index.js';
import { JournalDamage, readJournal } from '../../src/storage/level-journal.js';

/** A second, independent writer of the format, to read from. */
function writeJournal(records: readonly Uint8Array[]): Buffer {
  const out: Buffer[] = [];
  let offset = 0;
  const put = (bytes: Buffer) => {
    out.push(bytes);
    offset += bytes.length;
  };
  for (const record of records) {
    let left = record;
    for (let begin = true, end = false; !end; begin = false) {
      let room = 32768 - (offset % 32768);
      if (room < 7) {
        put(Buffer.alloc(room));
        room = 32768;
      }
      const data = left.subarray(0, room - 7);
      left = left.subarray(data.length);
      end = left.length === 0;
      put(fragment(begin ? (end ? 1 : 2) : end ? 4 : 3, data));
    }
  }
  return Buffer.concat(out);
}

function fragment(type: number, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(7 + data.length);
  const crc = crc32c(data, crc32c(Uint8Array.of(type)));
  bytes.writeUInt32LE((((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0, 0);
  bytes.writeUInt16LE(data.length, 4);
  bytes[6] = type;
  bytes.set(data, 7);
  return bytes;
}

/** Records that look like write batches: no long runs of zeros at their end. */
function record(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => ((i * 31 + seed * 17) % 255) + 1);
}

const recordsArbitrary = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 1, max: 300 }) },
      fc.integer({ min: 1, max: 40_000 }),
    ),
    fc.nat(100),
  ),
  { minLength: 1, maxLength: 5 },
);

describe('readJournal', () => {
  it('reads what a writer wrote', () =>
    fc.assert(
      fc.property(recordsArbitrary, (shapes) => {
        const records = shapes.map(([length, seed]) => record(length, seed));
        const journal = readJournal(writeJournal(records));
        assert.equal(journal.torn, false);
        assert.deepEqual(
          journal.records.map((each) => Buffer.from(each).toString('hex')),
          records.map((each) => Buffer.from(each).toString('hex')),
        );
      }),
      { numRuns: 30 },
    ));

  it('takes a file cut anywhere for torn, and gives the records before', () =>
    fc.assert(
      fc.property(recordsArbitrary, fc.nat(), (shapes, at) => {
        const records = shapes.map(([length, seed]) => record(length, seed));
        const file = writeJournal(records);
        const cut = at % file.length;
        const journal = readJournal(file.subarray(0, cut));
        const whole = records.findLastIndex(
          (_, i) => writeJournal(records.slice(0, i + 1)).length <= cut,
        );
        assert.equal(journal.records.length, whole + 1);
      }),
      { numRuns: 60 },
    ));

  it('takes sectors that never reached the disk for torn', () => {
    const before = record(100, 1);
    const file = writeJournal([before, record(5000, 2)]);
    for (const sector of [512, 1024, 4608]) {
      const torn = Buffer.from(file).fill(0, sector);
      const journal = readJournal(torn);
      assert.equal(journal.torn, true);
      assert.equal(journal.records.length, 1);
    }
    const extended = Buffer.concat([file, Buffer.alloc(4096)]);
    assert.equal(readJournal(extended).records.length, 2);
  });

  it('refuses a record of zeros before others', () => {
    const file = writeJournal([record(600, 1), record(600, 2)]);
    file.fill(0, 0, 512);
    assert.throws(() => readJournal(file), JournalDamage);
  });

  it('finds every flipped bit, in the last record too', () =>
    fc.assert(
      fc.property(recordsArbitrary, fc.nat(), fc.nat(7), (shapes, at, bit) => {
        const records = shapes.map(([length, seed]) => record(length, seed));
        const file = writeJournal(records);
        file[at % file.length]! ^= 1 << bit;
        let found;
        try {
          found = readJournal(file).records;
        } catch (error) {
          assert.ok(error instanceof JournalDamage);
          return;
        }
        // Only padding can be hit without harm.
        assert.deepEqual(
          found.map((each) => Buffer.from(each).toString('hex')),
          records.map((each) => Buffer.from(each).toString('hex')),
        );
      }),
      { numRuns: 150 },
    ));

  it('finds every flipped bit of a short file', () => {
    const records = [record(20, 1), record(40, 2), record(30, 3)];
    const whole = writeJournal(records);
    for (let at = 0; at < whole.length * 8; at++) {
      const file = Buffer.from(whole);
      file[at >> 3]! ^= 1 << (at & 7);
      assert.throws(() => readJournal(file), JournalDamage, `bit ${at}`);
    }
  });
});
