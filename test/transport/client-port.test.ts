import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Code } from '../../src/api/index.js';
import { listenClientPort } from '../../src/transport/index.js';
import { type Answer, assertLikeEtcd, captured, parseAnswer } from './support/captured.js';
import { startToy, type Toy, ToyClient, TRANSPORTS } from './support/toy-service.js';
import { sleep, until } from './support/waiting.js';

interface Page {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

function http(target: object, headers: Record<string, string> = {}): Promise<Page> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent: false, headers, ...target }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject).end();
  });
}

/** A raw connection and all that came back on it. */
async function rawConnection(port: number): Promise<{ socket: Socket; text: () => string }> {
  let text = '';
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => {});
  await until('connected', () => !socket.connecting);
  return { socket, text: () => text };
}

for (const transport of TRANSPORTS)
  describe(`by ${transport}`, () => {
    describe('the client port', () => {
      let toy: Toy;
      let client: ToyClient;
      let local: { host: string; port: number };

      before(async () => {
        toy = await startToy('http://127.0.0.1:0', { transport, firstBytesTimeoutMs: 1000 });
        client = new ToyClient(`127.0.0.1:${toy.listener.port}`);
        local = { host: '127.0.0.1', port: toy.listener.port };
      });

      after(async () => {
        client.close();
        await toy.listener.close();
      });

      it('survives a call without a content type that is reset in the same breath', async () => {
        const frame = (type: number, flags: number, stream: number, body: Buffer) => {
          const head = Buffer.alloc(9);
          head.writeUIntBE(body.length, 0, 3);
          head[3] = type;
          head[4] = flags;
          head.writeUInt32BE(stream, 5);
          return Buffer.concat([head, body]);
        };
        const path = '/toy.Toy/Echo';
        const headers = Buffer.from([
          0x83,
          0x86,
          0x44,
          path.length,
          ...Buffer.from(path),
          0x41,
          1,
          0x78,
        ]);
        const { socket } = await rawConnection(toy.listener.port);
        socket.write(
          Buffer.concat([
            Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
            frame(4, 0, 0, Buffer.alloc(0)),
            frame(1, 4, 1, headers),
            frame(3, 0, 1, Buffer.from([0, 0, 0, 8])),
          ]),
        );
        await sleep(100);
        socket.destroy();
        assert.equal((await http({ ...local, path: '/version' })).status > 0, true);
      });

      it('serves gRPC and HTTP/1.1 at once', async () => {
        const calls = Array.from({ length: 50 }, (_, i) => client.call('/toy.Toy/Echo', String(i)));
        const pages = Array.from({ length: 50 }, (_, i) =>
          http({ ...local, path: `/hello?q=${i}` }),
        );
        const outcomes = await Promise.all(calls);
        const answers = await Promise.all(pages);
        for (let i = 0; i < 50; i++) {
          assert.equal(outcomes[i]!.value, String(i));
          assert.equal(answers[i]!.body, `GET ${i}`);
        }
      });

      it('puts CORS headers on every answer', async () => {
        const cors = {
          'access-control-allow-headers': 'accept, content-type, authorization',
          'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE',
          'access-control-allow-origin': '*',
        };
        for (const path of ['/hello', '/nowhere', '/fail']) {
          const { headers } = await http({ ...local, path });
          assert.deepEqual({ ...headers, ...cors }, headers, path);
        }
      });

      it('answers OPTIONS and unknown paths as etcd does', async () => {
        const ask = async (requestLine: string): Promise<Answer> => {
          const { socket, text } = await rawConnection(local.port);
          socket.write(
            `${requestLine} HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nConnection: close\r\n\r\n`,
          );
          await until('closed', () => socket.closed);
          return parseAnswer(text());
        };
        assertLikeEtcd(await ask('OPTIONS /v3/kv/range'), captured('021-options'));
        assertLikeEtcd(await ask('GET /'), captured('017-root'));
      });

      it('hides an unexpected error behind an id that the log knows', async () => {
        const { status, body } = await http({ ...local, path: '/fail' });
        assert.equal(status, 500);
        assert.doesNotMatch(body, /secret/);
        const line = toy.logs.find(({ fields }) => body.includes(String(fields['id'])));
        assert.match(String(line?.fields['error']), /secret detail/);
      });

      it('recognises a protocol whose first bytes come one at a time', async () => {
        const { socket, text } = await rawConnection(local.port);
        for (const byte of 'PUT /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n') {
          socket.write(byte);
          await sleep(1);
        }
        await until('an answer', () => text().includes('PUT '));
        assert.match(text(), /^HTTP\/1\.1 200 OK/);
        const h2 = await rawConnection(local.port);
        for (const byte of 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n') {
          h2.socket.write(byte);
          await sleep(1);
        }
        h2.socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
        await until('SETTINGS', () => h2.text().length >= 9);
        assert.equal(h2.text().charCodeAt(3), 4);
        h2.socket.destroy();
      });

      it('closes connections that say nothing, or stop within the preface', async () => {
        const silent = await rawConnection(local.port);
        const stalled = await rawConnection(local.port);
        stalled.socket.write('PRI * HT');
        await until('both closed', () => silent.socket.closed && stalled.socket.closed);
        assert.equal(silent.text() + stalled.text(), '');
      });

      it('closes on garbage and stays alive', async () => {
        const tls = await rawConnection(local.port);
        tls.socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]));
        const http2 = await rawConnection(local.port);
        http2.socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + 'garbage'.repeat(10));
        await until('both closed', () => tls.socket.closed && http2.socket.closed);
        assert.match(tls.text(), /^HTTP\/1\.1 400 Bad Request/);
        assert.equal((await client.call('/toy.Toy/Echo', 'alive')).value, 'alive');
      });

      it('survives connections that are reset', async () => {
        for (const text of ['', 'PRI', 'GET / HTTP/1.1\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']) {
          const { socket } = await rawConnection(local.port);
          socket.write(text);
          await sleep(5);
          socket.resetAndDestroy();
        }
        assert.equal((await client.call('/toy.Toy/Echo', 'alive')).value, 'alive');
      });
    });

    describe('the addresses of a client port', () => {
      it('may be a Unix socket, even if a dead process left one behind', async () => {
        const directory = mkdtempSync(join(tmpdir(), 'kvorum-'));
        const path = join(directory, 'member.sock');
        const toy = await startToy(`unix://${path}`, { transport });
        const client = new ToyClient(`unix:${path}`);
        assert.equal((await client.call('/toy.Toy/Echo', 'hi')).value, 'hi');
        assert.equal((await http({ socketPath: path, path: '/hello' })).body, 'GET ');
        client.close();
        await toy.listener.close();
        rmSync(directory, { recursive: true });
      });

      it('may be IPv6', async () => {
        const toy = await startToy('http://[::1]:0', { transport });
        const client = new ToyClient(`[::1]:${toy.listener.port}`);
        assert.equal((await client.call('/toy.Toy/Echo', 'hi')).value, 'hi');
        assert.match(toy.contexts[0]!.remote, /^::1:\d+|^\[::1\]:\d+/);
        client.close();
        await toy.listener.close();
      });

      it('are refused in the words of etcd when taken, or not addresses', async () => {
        const toy = await startToy('http://127.0.0.1:0', { transport });
        const { port } = toy.listener;
        const refused = (url: string): Promise<unknown> => startToy(url, { transport });
        await assert.rejects(refused(`http://127.0.0.1:${port}`), {
          message: `listen tcp 127.0.0.1:${port}: bind: address already in use`,
        });
        await assert.rejects(refused('http://example.com:2379'), {
          message: 'expected IP in URL for binding (http://example.com:2379)',
        });
        await assert.rejects(refused('ftp://127.0.0.1:2379'), /URL scheme must be http/);
        await assert.rejects(refused('https://127.0.0.1:0'), {
          message:
            'cannot listen on TLS for https://127.0.0.1:0: KeyFile and CertFile are not presented',
        });
        await toy.listener.close();
      });
    });

    describe('closing a client port', () => {
      it('lets unary calls finish, ends streams as stopped, and refuses new calls', async () => {
        const toy = await startToy('http://127.0.0.1:0', { transport });
        const client = new ToyClient(`127.0.0.1:${toy.listener.port}`);
        const slow = client.call('/toy.Toy/Slow', '');
        const stream = client.stream('/toy.Toy/EchoStream');
        let ended: { code: number; details: string } | undefined;
        stream.on('error', () => {}).on('data', () => {});
        stream.on('status', (status: { code: number; details: string }) => (ended = status));
        stream.write(Buffer.from('hi'));
        await until(
          'both calls run',
          () => toy.finishSlow.length === 1 && toy.streams.length === 1,
        );
        const closed = toy.listener.close();
        await until('the stream ends', () => ended !== undefined);
        assert.equal(ended!.code, Code.unavailable);
        assert.equal(ended!.details, 'etcdserver: server stopped');
        assert.deepEqual(toy.streams[0]!.events, ['hi', '(cancelled)']);
        toy.finishSlow[0]!('done');
        assert.equal((await slow).value, 'done');
        await closed;
        await assert.rejects(http({ host: '127.0.0.1', port: toy.listener.port, path: '/hello' }));
        client.close();
      });

      it('does not wait longer than it may, and is done once', async () => {
        const toy = await startToy('http://127.0.0.1:0', { transport, closeTimeoutMs: 100 });
        const client = new ToyClient(`127.0.0.1:${toy.listener.port}`);
        const slow = client.call('/toy.Toy/Slow', '');
        const { socket } = await rawConnection(toy.listener.port);
        await until('the call runs', () => toy.finishSlow.length === 1);
        const begun = performance.now();
        await Promise.all([toy.listener.close(), toy.listener.close()]);
        assert.ok(performance.now() - begun < 2_000);
        assert.notEqual((await slow).code, Code.ok);
        await until('the idle connection is closed', () => socket.closed);
        client.close();
      });

      it('frees the port', async () => {
        const toy = await startToy('http://127.0.0.1:0', { transport });
        await toy.listener.close();
        const again = await listenClientPort({
          url: `http://127.0.0.1:${toy.listener.port}`,
          methods: [],
          transport,
          http: () => ({ status: 200, body: '' }),
          maxRequestBytes: 1,
          logger: () => {},
        });
        await again.close();
      });
    });
  });
