import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseListenUrl } from '../../src/transport/index.js';
import { describeAddress } from '../../src/transport/listen-address.js';
import { protocolOf } from '../../src/transport/protocol-sniffer.js';

describe('a listen URL', () => {
  it('names an address', () => {
    const tcp = { kind: 'tcp', secure: false } as const;
    const expected = {
      'http://127.0.0.1:2379': { ...tcp, host: '127.0.0.1', port: 2379 },
      'http://localhost:0': { ...tcp, host: '127.0.0.1', port: 0 },
      'http://[::1]:2379': { ...tcp, host: '::1', port: 2379 },
      'http://0.0.0.0': { ...tcp, host: '0.0.0.0', port: 80 },
      'https://10.0.0.1': { ...tcp, secure: true, host: '10.0.0.1', port: 443 },
      'unix://member.sock': { kind: 'unix', secure: false, path: 'member.sock' },
      'unixs:///run/a:1': { kind: 'unix', secure: true, path: '/run/a:1' },
    };
    for (const [url, address] of Object.entries(expected)) {
      assert.deepEqual(parseListenUrl(url), address, url);
    }
  });

  it('is described as Go does', () => {
    const describe = (url: string): string => describeAddress(parseListenUrl(url));
    assert.equal(describe('http://127.0.0.1:2380'), 'tcp 127.0.0.1:2380');
    assert.equal(describe('http://[::1]:2380'), 'tcp [::1]:2380');
    assert.equal(describe('unix://a.sock'), 'unix a.sock');
  });

  it('is refused when it is none', () => {
    for (const url of ['', 'localhost:2379', 'http://', 'tcp://127.0.0.1:1', 'unix://']) {
      assert.throws(() => parseListenUrl(url), /URL scheme must be/, url);
    }
    assert.throws(() => parseListenUrl('http://host:1'), /expected IP in URL for binding/);
  });
});

describe('first bytes', () => {
  it('tell the protocol as soon as they can', () => {
    const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
    for (let length = 0; length < preface.length; length++) {
      assert.equal(protocolOf(Buffer.from(preface.slice(0, length))), undefined);
    }
    assert.equal(protocolOf(Buffer.from(preface + 'more')), 'http2');
    for (const text of ['G', 'PUT', 'PRI * HTTP/1', '\x16']) {
      assert.equal(protocolOf(Buffer.from(text)), 'http1', text);
    }
  });
});
