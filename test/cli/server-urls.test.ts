import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkAdvertisedUrls,
  checkListenUrls,
  parseInitialCluster,
  parseUrls,
} from '../../src/cli/server-urls.js';

test('urls keep their text and are sorted', () => {
  const texts: [string, string[]][] = [
    ['http://127.0.0.1:2379', ['http://127.0.0.1:2379']],
    ['http://b:1, http://a:2 ', ['http://a:2', 'http://b:1']],
    ['HTTP://LocalHost:02379', ['HTTP://LocalHost:02379']],
    ['https://[::1]:2379', ['https://[::1]:2379']],
    ['http://[fe80::1%25eth0]:2379', ['http://[fe80::1%25eth0]:2379']],
    ['unix://member.sock', ['unix://member.sock']],
    ['http://:2379', ['http://:2379']],
    ['http://user@host:1', ['http://user@host:1']],
  ];
  for (const [text, urls] of texts) assert.deepEqual(parseUrls(text), urls, text);
});

test('urls that etcd refuses are refused in its words', () => {
  const refusals: [string, string][] = [
    ['', 'URL scheme must be http, https, unix, or unixs: '],
    ['localhost:2379', 'URL scheme must be http, https, unix, or unixs: localhost:2379'],
    ['ftp://a:1', 'URL scheme must be http, https, unix, or unixs: ftp://a:1'],
    ['//a:1', 'URL scheme must be http, https, unix, or unixs: //a:1'],
    ['http://a', 'URL address does not have the form "host:port": http://a'],
    ['http:a:1', 'URL address does not have the form "host:port": http:a:1'],
    ['http://::1', 'URL address does not have the form "host:port": http://::1'],
    ['http://a:1/', 'URL must not contain a path: http://a:1/'],
    ['http://a:1/x', 'URL must not contain a path: http://a:1/x'],
    ['http://a:b', 'parse "http://a:b": invalid port ":b" after host'],
    ['http://[::1]x:1', 'parse "http://[::1]x:1": invalid port "x:1" after host'],
    [':1', 'parse ":1": missing protocol scheme'],
    ['1.2.3.4:1', 'parse "1.2.3.4:1": first path segment in URL cannot contain colon'],
    ['http://a:1,x', 'URL scheme must be http, https, unix, or unixs: x'],
    ['http://a\x01:1', 'parse "http://a\\x01:1": net/url: invalid control character in URL'],
  ];
  for (const [text, message] of refusals) {
    assert.throws(() => parseUrls(text), { name: 'UrlError', message }, JSON.stringify(text));
  }
});

test('to listen takes an address', () => {
  checkListenUrls(['http://127.0.0.1:1', 'http://localhost:1', 'http://[::]:1', 'unix://x']);
  for (const url of ['http://example.com:24790', 'http://:2379', 'http://1.2.3:1']) {
    const message = `expected IP in URL for binding (${url})`;
    assert.throws(() => checkListenUrls([url]), { message });
  }
});

test('to be reached takes a host', () => {
  checkAdvertisedUrls('advertise-client-urls', ['http://example.com:1']);
  assert.throws(
    () => checkAdvertisedUrls('advertise-client-urls', ['http://a:1', 'http://:2379']),
    {
      message:
        '--advertise-client-urls ["http://a:1" "http://:2379"] must be "host:port"' +
        ' (unexpected empty host (http://:2379))',
    },
  );
});

test('the initial cluster is pairs; a name may repeat', () => {
  assert.deepEqual(parseInitialCluster('b=http://b:1,a=http://a:2,a=http://a:1,'), [
    { name: 'b', peerUrls: ['http://b:1'] },
    { name: 'a', peerUrls: ['http://a:1', 'http://a:2'] },
  ]);
  assert.deepEqual(parseInitialCluster(''), []);
  assert.throws(() => parseInitialCluster('a'), {
    message: 'URL scheme must be http, https, unix, or unixs: ',
  });
});
