import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  connect,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createNetServer, connect as connectNet } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { huffmanDecode, huffmanEncode } from '../../../src/grpc/http2/huffman.js';
import { callBlock, headers, literal, preface, settings } from '../support/http2-frames.js';
import { until } from '../support/waiting.js';

const { codes } = JSON.parse(
  readFileSync('test/fixtures/transport/hpack-huffman-codes.json', 'utf8'),
) as { codes: string[] };

/** Bits as octets, filled up with ones. */
function octets(bits: string): Buffer {
  const whole = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  return Buffer.from((whole.match(/.{8}/g) ?? []).map((octet) => parseInt(octet, 2)));
}

/** RFC 7541, sections C.4 and C.6. */
const known: Record<string, string> = {
  'www.example.com': 'f1e3c2e5f23a6ba0ab90f4ff',
  'no-cache': 'a8eb10649cbf',
  'custom-key': '25a849e95ba97d7f',
  'custom-value': '25a849e95bb8e8b4bf',
  '302': '6402',
  private: 'aec3771a4b',
  'Mon, 21 Oct 2013 20:13:21 GMT': 'd07abe941054d444a8200595040b8166e082a62d1bff',
  'https://www.example.com': '9d29ad171863c78f0b97c8e9ae82ae43d3',
  '307': '640eff',
  gzip: '9bd9ab',
  'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1':
    '94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
};

describe("HPACK's Huffman code", () => {
  it('gives the examples of the RFC, both ways', () => {
    for (const [text, hex] of Object.entries(known)) {
      assert.equal(Buffer.from(huffmanEncode(text)).toString('hex'), hex, text);
      assert.equal(huffmanDecode(Buffer.from(hex, 'hex')), text);
    }
  });

  it('has the code of every octet', () => {
    assert.equal(codes.length, 257);
    for (let octet = 0; octet < 256; octet++) {
      const text = String.fromCharCode(octet);
      assert.deepEqual(Buffer.from(huffmanEncode(text)), octets(codes[octet]!), `octet ${octet}`);
      assert.equal(huffmanDecode(octets(codes[octet]!)), text);
    }
  });

  it('brings any string back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = Buffer.from(bytes).toString('latin1');
        assert.equal(huffmanDecode(huffmanEncode(text)), text);
      }),
    );
  });

  it('refuses EOS, and padding that is too long or not of ones', () => {
    assert.equal(huffmanDecode(octets(codes[256]!)), undefined);
    assert.equal(huffmanDecode(octets(codes[48]! + codes[256]!)), undefined);
    assert.equal(huffmanDecode(Buffer.from([0xff])), undefined);
    assert.equal(huffmanDecode(Buffer.from([0x07, 0xff])), undefined);
    assert.equal(huffmanDecode(Buffer.from([0x00])), undefined);
    assert.equal(huffmanDecode(Buffer.from([0x07])), '0');
    assert.equal(huffmanDecode(Buffer.alloc(0)), '');
  });

  it('never throws, and reads nothing that it would write in another way', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        const text = huffmanDecode(bytes);
        if (text !== undefined)
          assert.deepEqual(Buffer.from(huffmanEncode(text)), Buffer.from(bytes));
      }),
    );
  });
});

/** All characters that a field's value may have within. */
const speakable = Buffer.from(
  Array.from({ length: 256 }, (_, octet) => octet).filter(
    (octet) => octet > 0x20 && octet !== 0x7f,
  ),
).toString('latin1');

describe("Node's own HPACK", () => {
  it('reads what we write', async () => {
    const server = createServer();
    let seen: IncomingHttpHeaders | undefined;
    let session: ServerHttp2Session | undefined;
    server.on('session', (opened) => (session = opened));
    server.on('stream', (_, fields) => (seen = fields));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connectNet((server.address() as { port: number }).port, '127.0.0.1');
    const spoken = literal('x-all', speakable, 'withoutIndexing', true);
    socket.write(
      Buffer.concat([preface, settings, headers(Buffer.concat([callBlock('/', 'a'), spoken]))]),
    );
    await until('the call', () => seen !== undefined);
    assert.equal(seen!['x-all'], speakable);
    session!.destroy();
    server.close();
  });

  it('writes what we read', async () => {
    let bytes = Buffer.alloc(0);
    const server = createNetServer((socket) =>
      socket.on('error', () => {}).on('data', (chunk) => (bytes = Buffer.concat([bytes, chunk]))),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const client = connect(`http://127.0.0.1:${port}`);
    const text = 'www.example.com/'.repeat(8);
    const call = client.request({ ':path': '/', 'x-text': text });
    call.on('error', () => {});
    const encoded = Buffer.from(huffmanEncode(text));
    await until('the call', () => bytes.includes(encoded));
    client.destroy();
    server.close();
  });
});
