import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HeaderDecoder } from '../../../src/grpc/http2/header-decoder.js';
import {
  CommonField,
  HeaderEncoder,
  type OutgoingField,
} from '../../../src/grpc/http2/header-encoder.js';
import { indexed, literal, literalKinds, tableSize } from '../support/http2-frames.js';

const MAX_LIST_BYTES = 16_384;

function decode(decoder: HeaderDecoder, block: Uint8Array): Record<string, string> | undefined {
  const bytes = Buffer.from(block);
  const fields = decoder.decode(bytes, 0, bytes.length);
  if (fields === undefined) return undefined;
  const entries = fields.flatMap((name, i) => (i % 2 === 0 ? [[name, fields[i + 1]!]] : []));
  return Object.fromEntries(entries) as Record<string, string>;
}

const request = {
  ':method': 'GET',
  ':scheme': 'http',
  ':path': '/',
  ':authority': 'www.example.com',
};
const requests = [
  request,
  { ...request, 'cache-control': 'no-cache' },
  {
    ...request,
    ':scheme': 'https',
    ':path': '/index.html',
    'custom-key': 'custom-value',
  },
];

const response = {
  ':status': '302',
  'cache-control': 'private',
  date: 'Mon, 21 Oct 2013 20:13:21 GMT',
  location: 'https://www.example.com',
};
const responses = [
  response,
  { ...response, ':status': '307' },
  {
    ...response,
    ':status': '200',
    date: 'Mon, 21 Oct 2013 20:13:22 GMT',
    'content-encoding': 'gzip',
    'set-cookie': 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
  },
];

/** RFC 7541, appendix C: blocks that follow each other on one connection, and what they say. */
const examples: Record<
  string,
  { blocks: string[]; said: Record<string, string>[]; table?: number }
> = {
  'C.2.1': {
    blocks: ['400a637573746f6d2d6b65790d637573746f6d2d686561646572'],
    said: [{ 'custom-key': 'custom-header' }],
  },
  'C.2.2': { blocks: ['040c2f73616d706c652f70617468'], said: [{ ':path': '/sample/path' }] },
  'C.2.3': { blocks: ['100870617373776f726406736563726574'], said: [{ password: 'secret' }] },
  'C.2.4': { blocks: ['82'], said: [{ ':method': 'GET' }] },
  'C.3': {
    blocks: [
      '828684410f7777772e6578616d706c652e636f6d',
      '828684be58086e6f2d6361636865',
      '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565',
    ],
    said: requests,
  },
  'C.4': {
    blocks: [
      '828684418cf1e3c2e5f23a6ba0ab90f4ff',
      '828684be5886a8eb10649cbf',
      '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
    ],
    said: requests,
  },
  'C.5': {
    table: 256,
    blocks: [
      '4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d54' +
        '6e1768747470733a2f2f7777772e6578616d706c652e636f6d',
      '4803333037c1c0bf',
      '88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f' +
        '3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b20' +
        '76657273696f6e3d31',
    ],
    said: responses,
  },
  'C.6': {
    table: 256,
    blocks: [
      '488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f' +
        '0b97c8e9ae82ae43d3',
      '4883640effc1c0bf',
      '88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335df' +
        'dfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
    ],
    said: responses,
  },
};

describe('header blocks', () => {
  for (const [section, { blocks, said, table }] of Object.entries(examples)) {
    it(`are read as RFC 7541 says, appendix ${section}`, () => {
      const decoder = new HeaderDecoder(MAX_LIST_BYTES);
      if (table !== undefined) decode(decoder, tableSize(table));
      for (const [i, hex] of blocks.entries()) {
        assert.deepEqual(decode(decoder, Buffer.from(hex, 'hex')), said[i]);
      }
    });
  }

  it('are malformed where a field is cut off, an index is wrong or a size comes late', () => {
    const field = literal('some-name', 'some value', 'withIndexing', true);
    const bad = [
      ...Array.from({ length: field.length - 1 }, (_, i) => field.subarray(0, i + 1)),
      indexed(0),
      indexed(62),
      literal(200, 'x'),
      Buffer.concat([indexed(2), tableSize(100)]),
      tableSize(4097),
      Buffer.from('ffffffffffff', 'hex'),
    ];
    for (const block of bad) {
      const decoder = new HeaderDecoder(MAX_LIST_BYTES);
      assert.throws(() => decode(decoder, block), { name: 'ConnectionError', code: 9 });
    }
  });

  it('that say too much are not kept, but the table goes on', () => {
    const decoder = new HeaderDecoder(1_000);
    const big = literal('big', 'x'.repeat(900));
    assert.equal(decode(decoder, Buffer.concat([literal('a', 'b'), big, big])), undefined);
    assert.deepEqual(decode(decoder, indexed(64)), { a: 'b' });
  });

  it('of a few octets that refer to a large field again and again take no memory', () => {
    const decoder = new HeaderDecoder(MAX_LIST_BYTES);
    decode(decoder, literal('big', 'x'.repeat(4_000)));
    assert.equal(
      decode(decoder, Buffer.concat(Array.from({ length: 16_000 }, () => indexed(62)))),
      undefined,
    );
  });

  it('keep both tables in step, whatever is written and whatever table the reader has', () => {
    const names = fc.stringMatching(/^[a-z]{1,12}$/);
    const field = fc.tuple(names, fc.string({ maxLength: 200 }));
    fc.assert(
      fc.property(
        fc.array(field, { minLength: 1, maxLength: 30 }),
        fc.array(
          fc.record({
            places: fc.array(fc.nat({ max: 29 }), { maxLength: 10 }),
            spelt: fc.array(field, { maxLength: 3 }),
            table: fc.option(fc.nat({ max: 5_000 })),
          }),
        ),
        (pool, blocks) => {
          const common = pool.map(([name, value]) => new CommonField(name, latin1(value)));
          const encoder = new HeaderEncoder();
          const decoder = new HeaderDecoder(1_000_000);
          for (const { places, spelt, table } of blocks) {
            if (table !== null) encoder.resize(table, table);
            const fields: OutgoingField[] = [
              ...places.map((place) => common[place % common.length]!),
              ...spelt.map(([name, value]) => [name, latin1(value)] as const),
            ];
            const length = encoder.encode(fields);
            const read = decoder.decode(encoder.block, 0, length);
            const written = fields.flatMap((one) =>
              one instanceof CommonField ? [one.name, one.value] : [...one],
            );
            assert.deepEqual(read, written);
          }
        },
      ),
    );
  });

  it('are one octet for a field that was said before', () => {
    const encoder = new HeaderEncoder();
    const field = new CommonField('grpc-status', '0');
    assert.ok(encoder.encode([field]) > 10);
    assert.equal(encoder.encode([field]), 1);
    encoder.resize(0, 4_096);
    assert.ok(encoder.encode([field]) > 10);
    assert.deepEqual([...encoder.block.subarray(0, 4)], [0x20, 0x3f, 0xe1, 0x1f]);
  });

  it('that say the same are read once, until the table makes them say something else', () => {
    const decoder = new HeaderDecoder(MAX_LIST_BYTES);
    const read = (block: Buffer): readonly string[] => decoder.decode(block, 0, block.length)!;
    read(literal('first', '1'));
    const said = read(indexed(62));
    assert.deepEqual(said, ['first', '1']);
    assert.equal(read(Buffer.concat([indexed(62)])), said);
    assert.deepEqual(read(literal('second', '2')), ['second', '2']);
    assert.deepEqual(read(literal('second', '2')), ['second', '2']);
    assert.deepEqual(read(indexed(62)), ['second', '2']);
    read(tableSize(0));
    assert.throws(() => read(indexed(62)), { name: 'ConnectionError' });
  });

  it('may come in any kind of literal, and index', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            name: fc.stringMatching(/^[a-z-]{1,20}$/),
            value: fc.string({ maxLength: 100 }),
            kind: fc.constantFrom(...(Object.keys(literalKinds) as (keyof typeof literalKinds)[])),
            huffman: fc.boolean(),
          }),
          { maxLength: 40 },
        ),
        (fields) => {
          const decoder = new HeaderDecoder(1_000_000);
          const blocks = fields.map(({ name, value, kind, huffman }) =>
            literal(name, latin1(value), kind, huffman),
          );
          const bytes = Buffer.concat(blocks);
          const expected = fields.flatMap(({ name, value }) => [name, latin1(value)]);
          assert.deepEqual(decoder.decode(bytes, 0, bytes.length), expected);
        },
      ),
    );
  });
});

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
