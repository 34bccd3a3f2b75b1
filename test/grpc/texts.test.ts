import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { acceptsGzip, compress, decompress } from '../../src/grpc/compression.js';
import { fieldOf, readRequestHead } from '../../src/grpc/request-head.js';
import { decodeStatusText, encodeStatusText } from '../../src/grpc/status-text.js';
import { formatTimeout, parseTimeout } from '../../src/grpc/timeout.js';

describe('the text of a status', () => {
  it('is printable ASCII on the wire and comes back as it was', () => {
    assert.equal(encodeStatusText('100% für dich\n'), '100%25 f%C3%BCr dich%0A');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const encoded = encodeStatusText(text);
        assert.match(encoded, /^[\x20-\x7e]*$/);
        assert.equal(decodeStatusText(encoded), text);
      }),
    );
  });

  it('may have a % that means nothing', () => {
    assert.equal(decodeStatusText('50% of %zz%41'), '50% of %zzA');
  });
});

describe('grpc-timeout', () => {
  it('is read in all its units', () => {
    const texts = ['2H', '3M', '4S', '5m', '6u', '7n', '99999999S'];
    assert.deepEqual(
      texts.map(parseTimeout),
      [7_200_000, 180_000, 4_000, 5, 0.006, 7e-6, 99999999e3],
    );
  });

  it('is refused when it is anything else', () => {
    for (const text of ['', 'S', '1', '1s', '-1S', '123456789S', '1.5S', ' 1S']) {
      assert.equal(parseTimeout(text), undefined, text);
    }
  });

  it('is written so that no time is lost', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e13, noNaN: true }), (timeoutMs) => {
        const text = formatTimeout(timeoutMs);
        assert.match(text, /^[0-9]{1,8}[mSMH]$/);
        assert.ok(parseTimeout(text)! >= timeoutMs, text);
      }),
    );
  });
});

describe('compression', () => {
  it('brings a message back, up to a size', () => {
    const message = Buffer.alloc(1_000, 'x');
    assert.deepEqual(decompress(compress(message), 1_000), message);
    assert.throws(() => decompress(gzipSync(message), 999), {
      code: 8,
      message: 'grpc: received message after decompression larger than max 999',
    });
    assert.throws(() => decompress(Buffer.from('garbage'), 999), { code: 13 });
  });

  it('is gzip where that is among the accepted ones', () => {
    assert.equal(acceptsGzip('identity, deflate,gzip'), true);
    assert.equal(acceptsGzip('identity,gzip2'), false);
  });
});

describe('the head of a request', () => {
  const pseudo = [':method', 'POST', ':scheme', 'http', ':path', '/a/b'];

  it('has what calls need to know', () => {
    const fields = [...pseudo, ':authority', 'http://host:1/', 'content-type', 'application/grpc'];
    const head = readRequestHead([...fields, 'grpc-timeout', '1S', 'x', '1', 'x', '2'])!;
    assert.equal(head.path, '/a/b');
    assert.equal(head.authority, 'http://host:1/');
    assert.equal(head.contentType, 'application/grpc');
    assert.equal(head.timeout, '1S');
    assert.equal(head.contentLength, -1);
    assert.equal(fieldOf([...fields, 'x', '1', 'x', '2'], 'x'), '1');
    assert.equal(fieldOf(fields, 'y'), undefined);
  });

  it('is malformed when it breaks a rule of HTTP/2', () => {
    const bad = [
      pseudo.slice(2),
      pseudo.slice(0, 4),
      [...pseudo.slice(0, 4), ':path', ''],
      [...pseudo, ':path', '/'],
      [...pseudo, ':status', '200'],
      [...pseudo, 'a', 'b', ':authority', 'c'],
      [...pseudo, 'Upper', 'x'],
      [...pseudo, 'with space', 'x'],
      [...pseudo, '', 'x'],
      [...pseudo, 'a', 'line\nbreak'],
      [...pseudo, ':authority', 'zero\0'],
      [...pseudo, 'connection', 'close'],
      [...pseudo, 'transfer-encoding', 'chunked'],
      [...pseudo, 'te', 'gzip'],
      [...pseudo, 'content-length', '-1'],
    ];
    for (const fields of bad) assert.equal(readRequestHead(fields), undefined, fields.join());
  });
});
