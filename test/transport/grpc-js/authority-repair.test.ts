import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { repairAuthority } from '../../../src/transport/grpc-js/authority-repair.js';
import { headerBlockOf } from '../../../src/transport/grpc-js/frames.js';
import { decodeString, literalsOf } from '../../../src/transport/grpc-js/header-block.js';
import {
  END_HEADERS,
  frame,
  HEADERS,
  indexed,
  literal,
  type LiteralKind,
  literalKinds,
  PADDED,
  PRIORITY,
  tableSize,
} from '../../grpc/support/http2-frames.js';

const bad = 'http://127.0.0.1:2379';
const better = 'http:--127.0.0.1:2379';
const kinds = Object.keys(literalKinds) as LiteralKind[];

const anyLiteral = fc.record({
  name: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.string({ minLength: 1, maxLength: 30 })),
  value: fc.string({ maxLength: 300 }),
  kind: fc.constantFrom(...kinds),
  huffman: fc.boolean(),
});

describe('literals of a header block', () => {
  it('are found between everything else, and are what they were', () => {
    const other = fc.oneof(
      fc.integer({ min: 1, max: 5_000 }).map(indexed),
      fc.integer({ min: 0, max: 5_000 }).map(tableSize),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(anyLiteral, other), { maxLength: 12 }), (fields) => {
        const parts = fields.map((field) =>
          Buffer.isBuffer(field)
            ? field
            : literal(field.name, field.value, field.kind, field.huffman),
        );
        const found = literalsOf(Buffer.concat(parts))!.map(({ nameIndex, name, value }) => ({
          name: name === undefined ? nameIndex : decodeString(name),
          value: decodeString(value),
        }));
        const expected = fields.flatMap((field) =>
          Buffer.isBuffer(field) ? [] : [{ name: field.name, value: field.value }],
        );
        assert.deepEqual(found, expected);
      }),
    );
  });

  it('are none in a block that is cut off or senseless', () => {
    const field = literal('some-name', 'some value', 'withIndexing', true);
    for (let end = 1; end < field.length; end++) {
      assert.equal(literalsOf(field.subarray(0, end)), undefined, `cut at ${end}`);
    }
    assert.equal(literalsOf(Buffer.from('ffffffffffff', 'hex')), undefined);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const found = literalsOf(Buffer.from(bytes));
        for (const { value } of found ?? []) assert.ok(value.encoded.length < bytes.length);
      }),
    );
  });
});

describe('repairing an authority', () => {
  for (const kind of kinds) {
    for (const huffman of [false, true]) {
      for (const name of [1, ':authority']) {
        const what = `${kind}, ${huffman ? 'Huffman' : 'raw'}, name ${name}`;
        it(`puts '-' for '/' in a literal: ${what}`, () => {
          const around = [indexed(3), literal(4, '/a/b', 'withIndexing', huffman)];
          const block = Buffer.concat([...around, literal(name, bad, kind, huffman), indexed(6)]);
          const expected = [...around, literal(name, better, kind, huffman), indexed(6)];
          assert.equal(repairAuthority(block), true);
          assert.deepEqual(block, Buffer.concat(expected));
          assert.equal(repairAuthority(block), false);
        });
      }
    }
  }

  it('leaves an authority without one, and other fields, alone', () => {
    const fields = [
      indexed(1),
      literal(1, 'localhost:2379'),
      literal('host', bad),
      literal(5, bad),
    ];
    for (const field of fields) {
      const block = Buffer.from(field);
      assert.equal(repairAuthority(block), false);
      assert.deepEqual(block, field);
    }
  });

  it('leaves a malformed block alone', () => {
    const block = Buffer.concat([literal(1, bad), Buffer.from([0x41, 0x7f])]);
    const before = Buffer.from(block);
    assert.equal(repairAuthority(block), false);
    assert.deepEqual(block, before);
  });

  it('keeps the length and repairs all, whatever the authority', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, huffman) => {
        const text = Buffer.from(bytes).toString('latin1');
        const block = literal(1, text, 'withIndexing', huffman);
        assert.equal(repairAuthority(block), text.includes('/'));
        const expected = literal(1, text.replaceAll('/', '-'), 'withIndexing', huffman);
        assert.deepEqual(block, expected);
      }),
    );
  });
});

describe('the header block of a frame', () => {
  const block = Buffer.from('block');
  const of = (flags: number, ...payload: Uint8Array[]): string =>
    headerBlockOf(frame(HEADERS, flags, 1, Buffer.concat(payload))).toString();

  it('is found behind padding and priority', () => {
    const padding = Buffer.alloc(3);
    const weight = Buffer.alloc(5);
    assert.equal(of(END_HEADERS, block), 'block');
    assert.equal(of(END_HEADERS | PADDED, Buffer.from([3]), block, padding), 'block');
    assert.equal(of(END_HEADERS | PRIORITY, weight, block), 'block');
    assert.equal(
      of(END_HEADERS | PADDED | PRIORITY, Buffer.from([3]), weight, block, padding),
      'block',
    );
  });

  it('is empty when the frame is too short for what it says', () => {
    assert.equal(of(PADDED), '');
    assert.equal(of(PADDED, Buffer.from([200]), block), '');
    assert.equal(of(PRIORITY, Buffer.from('abc')), '');
  });
});
