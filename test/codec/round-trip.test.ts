/**
 * For every codec: its bytes are the twin's, they decode to what was encoded, and bytes that are not
 * a message throw DecodeError or decode, but never hang, over-read or throw anything else.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as codecs from '../../src/codec/index.js';
import { DecodeError } from '../../src/codec/index.js';
import { everyCodec } from './every-codec.js';
import { encodeByTwin } from './twin.js';
import { hex, plain } from './values.js';

function decodesOrRefuses(decode: (bytes: Uint8Array) => unknown, bytes: Uint8Array): void {
  try {
    decode(bytes);
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error));
  }
}

/** `bytes` with one of them changed, some left out, or some doubled. */
const damage = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('change', 'truncate', 'remove', 'repeat'),
  byte: fc.nat(255),
});

function damaged(
  bytes: Uint8Array,
  { at, kind, byte }: { at: number; kind: string; byte: number },
) {
  const position = at % (bytes.length + 1);
  const [before, after] = [bytes.subarray(0, position), bytes.subarray(position)];
  if (kind === 'truncate') return before;
  if (kind === 'repeat') return Buffer.concat([before, after.subarray(0, 9), after]);
  const rest = after.subarray(kind === 'remove' ? 1 + (byte % 8) : 1);
  const changed = Buffer.from(kind === 'change' ? [byte] : []);
  return Buffer.concat([before, changed, rest]);
}

/** Field 1016 as bytes, varint, fixed32, fixed64, and a group with a varint in it. */
const UNKNOWN_FIELDS =
  'c23f03616263' + 'c03f7f' + 'c53f01020304' + 'c13f0102030405060708' + 'c33fc03f01c43f';

test('every protobuf codec is in the list', () => {
  const notListed = [
    'emptyMessage',
    'headerResponse',
    'leaseInternalRequest',
    'leaseInternalResponse',
    'leaseLeasesRequest',
    'rangeStreamResponse', // kv.test.ts
    'statusRequest',
    'defragmentRequest',
    'hashRequest',
    'snapshotRequest',
  ];
  const exported = Object.entries(codecs)
    .filter(([name, value]) => !name.endsWith('Json') && typeof value === 'object')
    .filter(([, value]) => 'decode' in value)
    .map(([name]) => name);
  assert.deepEqual(exported.sort(), [...everyCodec.map(({ name }) => name), ...notListed].sort());
});

for (const { name, message, codec, values } of everyCodec) {
  describe(name, () => {
    test('encodes as the twin does, and back', () => {
      fc.assert(
        fc.property(values, (value) => {
          const bytes = codec.encode(value);
          assert.equal(hex(bytes), hex(encodeByTwin(message, value)));
          assert.deepEqual(plain(codec.decode(bytes)), plain(value));
        }),
        { numRuns: 60 },
      );
    });

    test('skips unknown fields of every wire type', () => {
      const unknown = Buffer.from(UNKNOWN_FIELDS, 'hex');
      fc.assert(
        fc.property(values, (value) => {
          const bytes = Buffer.concat([unknown, codec.encode(value), unknown]);
          assert.deepEqual(plain(codec.decode(bytes)), plain(value));
        }),
        { numRuns: 10 },
      );
    });

    test('refuses damaged bytes cleanly, or decodes them', () => {
      fc.assert(
        fc.property(values, damage, (value, how) => {
          decodesOrRefuses(codec.decode, damaged(codec.encode(value), how));
        }),
        { numRuns: 60 },
      );
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
          decodesOrRefuses(codec.decode, bytes);
        }),
        { numRuns: 40 },
      );
    });
  });
}
