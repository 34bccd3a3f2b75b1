import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEndpoint } from '../../../src/client/index.js';

const cases: [string, ReturnType<typeof parseEndpoint>][] = [
  ['127.0.0.1:2379', { target: 'ipv4:127.0.0.1:2379' }],
  ['host.example:2379', { target: 'dns:host.example:2379' }],
  ['[::1]:2379', { target: 'ipv6:[::1]:2379' }],
  ['http://host:1', { target: 'dns:host:1', secure: false }],
  ['http://127.0.0.1:1/path', { target: 'ipv4:127.0.0.1:1', secure: false }],
  ['https://127.0.0.1:1', { target: 'ipv4:127.0.0.1:1', secure: true }],
  ['unix:///tmp/x.sock', { target: 'unix:/tmp/x.sock', secure: false }],
  ['unix://x.sock', { target: 'unix:x.sock', secure: false }],
  ['unixs:///tmp/x.sock', { target: 'unix:/tmp/x.sock', secure: true }],
  ['127.0.0.1', undefined],
  ['http://127.0.0.1', undefined],
  ['host:port', undefined],
  ['host:70000', undefined],
  ['foo:::bar', undefined],
  ['a b:1', undefined],
  ['ftp://127.0.0.1:1', undefined],
  ['', undefined],
];
for (const [text, endpoint] of cases) {
  test(text || '(empty)', () => assert.deepEqual(parseEndpoint(text), endpoint));
}
