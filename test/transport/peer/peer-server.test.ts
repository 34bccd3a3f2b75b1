import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { message as messageCodec } from '../../../src/codec/index.js';
import { MessageType } from '../../../src/raft/index.js';
import { u64 } from '../../../src/transport/peer/frame-parser.js';
import { encodeMessageFrame } from '../../../src/transport/peer/message-framing.js';
import { type Answer, assertLikeEtcd, captured, parseAnswer } from '../support/captured.js';
import { until } from '../support/waiting.js';
import { makeMessage, TestMember } from './network-world.js';

let member: TestMember;

before(async () => {
  member = await TestMember.start(0xan, undefined, { readTimeoutMs: 600 });
  member.network.setPeer(0xbn, ['http://127.0.0.1:1']);
  member.removed.add(0xdn);
});

beforeEach(() => {
  member.received.length = 0;
  member.onRequest = () => undefined;
});

after(() => member.network.stop());

/** Sends raw text and bytes, and resolves with all that came back when the other side closed. */
async function raw(...parts: (string | Uint8Array)[]): Promise<string> {
  const { socket, text } = await open(...parts);
  await until('closed', () => socket.closed);
  return text();
}

async function open(...parts: (string | Uint8Array)[]): Promise<{
  socket: Socket;
  text: () => string;
}> {
  let text = '';
  const socket = connect(member.port, '127.0.0.1');
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => {});
  for (const part of parts) socket.write(part);
  await until('connected', () => !socket.connecting);
  return { socket, text: () => text };
}

const identity = {
  'X-Server-From': 'b',
  'X-Server-Version': '3.5.16',
  'X-Min-Cluster-Version': '3.0.0',
  'X-Etcd-Cluster-ID': 'c1',
  'X-PeerURLs': 'http://127.0.0.1:1',
  'X-Raft-To': 'a',
};

function head(
  requestLine: string,
  headers: Record<string, string> = identity,
  bodyBytes?: number,
): string {
  const length = bodyBytes === undefined ? {} : { 'Content-Length': String(bodyBytes) };
  const all = { Host: 'x', Connection: 'close', ...headers, ...length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${requestLine} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

async function ask(
  requestLine: string,
  headers: Record<string, string> = identity,
  body?: Uint8Array,
): Promise<Answer> {
  return parseAnswer(await raw(head(requestLine, headers, body?.length), body ?? ''));
}

describe('answers that were captured from etcd', () => {
  it('wrong method', async () => {
    assertLikeEtcd(await ask('GET /raft', {}), captured('094-peer-raft'));
  });

  it('a message without headers', async () => {
    const answer = await ask('POST /raft', {}, new Uint8Array(0));
    assertLikeEtcd(answer, captured('099-peer-raft-post'));
    assert.equal(answer.headers['x-etcd-cluster-id'], 'c1');
  });

  it('a stream without headers', async () => {
    const answer = await ask('GET /raft/stream/message/1', {});
    assertLikeEtcd(answer, captured('100-peer-raft-stream'));
    assert.equal(answer.headers['x-server-version'], '3.6.16');
  });

  it('an unknown path', async () => {
    assertLikeEtcd(await ask('GET /', {}), captured('103-peer-root'));
  });

  it('probing', async () => {
    const answer = await ask('GET /raft/probing', {});
    const expected = captured('095-peer-raft-probing');
    assert.equal(answer.status, expected.status);
    assert.equal(answer.headers['content-type'], expected.headers['content-type']);
    const shape = (text: string): unknown => {
      const { OK, Now } = JSON.parse(text) as { OK: boolean; Now: string };
      return { OK, Now: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/.test(Now) };
    };
    assert.deepEqual(shape(answer.body), shape(expected.body));
    assert.ok(answer.body.endsWith('\n'));
  });
});

describe('tests on a request', () => {
  const refused = async (changes: Record<string, string>): Promise<string> => {
    const answer = await ask('GET /raft/stream/msgapp/b', { ...identity, ...changes });
    return `${answer.status.slice(9, 12)} ${answer.body.trimEnd()}`;
  };

  it('come in the order of etcd: version, cluster, path, sender, addressee', async () => {
    const all = {
      'X-Server-Version': '2.3.0',
      'X-Etcd-Cluster-ID': 'c2',
      'X-Raft-To': 'e',
    };
    assert.equal(await refused(all), '412 incompatible version');
    assert.equal(
      await refused({ ...all, 'X-Server-Version': '3.5.16' }),
      '412 cluster ID mismatch',
    );
    assert.equal(await refused({ 'X-Raft-To': 'e' }), '412 to field mismatch');
  });

  it('let old senders in, but none that needs a newer cluster', async () => {
    assert.equal(
      await refused({ 'X-Server-Version': '3.0.0', 'X-Raft-To': '' }),
      '412 to field mismatch',
    );
    assert.equal(await refused({ 'X-Min-Cluster-Version': '3.7.0' }), '412 incompatible version');
    assert.equal(await refused({ 'X-Server-Version': 'three' }), '412 incompatible version');
  });

  it('tell unknown, removed and malformed senders apart', async () => {
    const stream = async (path: string, headers = identity): Promise<string> => {
      const answer = await ask(`GET /raft/stream/${path}`, headers);
      return `${answer.status.slice(9, 12)} ${answer.body.trimEnd()}`;
    };
    assert.equal(await stream('msgappv2/b'), '404 invalid path');
    assert.equal(await stream('msgapp'), '404 invalid path');
    assert.equal(await stream('msgapp/'), '404 invalid from');
    assert.equal(await stream('msgapp/b/c'), '404 invalid path');
    assert.equal(await stream('msgapp/xyz'), '404 invalid from');
    assert.equal(await stream('msgapp/e'), '404 error sender not found');
    assert.equal(await stream('message/d'), '410 removed member');
  });

  it('remember a stranger with URLs, for answers', async () => {
    const port = await listenSilently();
    const urls = { 'X-PeerURLs': `http://127.0.0.1:${port.number}` };
    await ask('GET /raft/stream/msgapp/f', { ...identity, ...urls });
    member.network.send([makeMessage({ from: 0xan, to: 0xfn })]);
    await until('a POST', () => port.text().startsWith('POST /raft HTTP/1.1'));
    port.close();
  });
});

/** A port that takes all and says nothing. */
async function listenSilently(): Promise<{
  number: number;
  text: () => string;
  close: () => void;
}> {
  let text = '';
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    number: (server.address() as { port: number }).port,
    text: () => text,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('POST /raft', () => {
  const post = async (fields: Parameters<typeof makeMessage>[0]): Promise<Answer> =>
    ask('POST /raft', identity, messageCodec.encode(makeMessage(fields)));

  it('takes a message', async () => {
    const answer = await post({ from: 0xbn, to: 0xan, commit: 3 });
    assert.match(answer.status, /^HTTP\/1.1 204/);
    assert.equal(answer.headers['x-etcd-cluster-id'], 'c1');
    assert.deepEqual(member.received, [makeMessage({ from: 0xbn, to: 0xan, commit: 3 })]);
  });

  it('refuses what is no message', async () => {
    const answer = await ask('POST /raft', identity, Buffer.from('garbage'));
    assert.match(answer.status, /^HTTP\/1.1 400/);
    assert.equal(answer.body, 'error unmarshalling raft message\n');
  });

  it('never tells a sender to shut down: 500 for a removed one, and for another addressee', async () => {
    for (const fields of [
      { from: 0xdn, to: 0xan },
      { from: 0xbn, to: 0xen },
      { from: 0xbn, to: 0xan, type: MessageType.hup },
      { from: 0xbn, to: 0xan, type: MessageType.snapshot },
    ]) {
      const answer = await post(fields);
      assert.match(answer.status, /^HTTP\/1.1 500/);
      assert.equal(answer.body, 'error processing raft message\n');
    }
    assert.deepEqual(member.received, []);
  });
});

describe('POST /raft/snapshot', () => {
  const snapshot = makeMessage({ type: MessageType.snapshot, from: 0xbn, to: 0xan });
  const post = (...parts: Uint8Array[]): Promise<Answer> =>
    ask('POST /raft/snapshot', identity, Buffer.concat(parts));

  it('takes one', async () => {
    let database = '';
    member.onSnapshot = async (_, chunks) => {
      for await (const chunk of chunks) database += Buffer.from(chunk).toString('latin1');
    };
    const answer = await post(...encodeMessageFrame(snapshot), Buffer.from('the database'));
    assert.match(answer.status, /^HTTP\/1.1 204/);
    assert.equal(database, 'the database');
  });

  it('refuses what is none', async () => {
    const heartbeat = encodeMessageFrame({ ...snapshot, type: MessageType.heartbeat });
    const wrongType = await post(...heartbeat);
    assert.match(wrongType.status, /^HTTP\/1.1 400/);
    assert.equal(wrongType.body, 'wrong raft message type\n');
    for (const broken of [
      [u64(2 ** 40)],
      [u64(7), Buffer.from('garbage')],
      [u64(100), Buffer.from('short')],
      [],
    ]) {
      const answer = await post(...broken);
      assert.match(answer.status, /^HTTP\/1.1 400/);
      assert.match(answer.body, /^failed to decode raft message/);
    }
    const strange = await post(...encodeMessageFrame({ ...snapshot, to: 0xen }));
    assert.match(strange.status, /^HTTP\/1.1 500/);
  });

  it('answers 500 when it cannot be kept', async () => {
    member.onSnapshot = async () => {
      throw new Error('disk full');
    };
    const answer = await post(...encodeMessageFrame(snapshot), Buffer.from('x'));
    assert.match(answer.status, /^HTTP\/1.1 500/);
    assert.equal(answer.body, 'failed to save KV snapshot (disk full)\n');
  });
});

describe('other endpoints', () => {
  it('are the member’s, with the request as it came', async () => {
    const seen: unknown[] = [];
    member.onRequest = (request) => {
      seen.push({ ...request, body: Buffer.from(request.body!).toString() });
      return { status: 408, headers: { 'X-Etcd-Cluster-ID': 'c1' }, body: Buffer.from('late') };
    };
    const headers = { 'Content-Type': 'application/json', Authorization: 'token.1' };
    const answer = await ask('GET /members/hashkv?x=1', headers, Buffer.from('{"revision":4}'));
    assert.match(answer.status, /^HTTP\/1.1 408/);
    assert.equal(answer.body, 'late');
    assert.equal(answer.headers['x-etcd-cluster-id'], 'c1');
    assert.deepEqual(seen, [
      {
        method: 'GET',
        path: '/members/hashkv',
        contentType: 'application/json',
        authorization: 'token.1',
        isForeign: true,
        body: '{"revision":4}',
      },
    ]);
  });

  it('come from Kvorum when they say so', async () => {
    let isForeign: boolean | undefined;
    member.onRequest = (request) => {
      isForeign = request.isForeign;
      return { status: 200, headers: {}, body: new Uint8Array(0) };
    };
    await ask('GET /version', { 'X-Kvorum-Peer': '1' });
    assert.equal(isForeign, false);
    await ask('GET /version', {});
    assert.equal(isForeign, true);
  });

  it('refuse a hash for another cluster, and methods that none has', async () => {
    const other = await ask('GET /members/hashkv', { 'X-Etcd-Cluster-ID': 'c2' });
    assert.match(other.status, /^HTTP\/1.1 412/);
    assert.equal(other.body, 'cluster ID mismatch\n');
    assert.match((await ask('DELETE /members', {})).status, /^HTTP\/1.1 405/);
    assert.match((await ask('GET /nowhere', {})).status, /^HTTP\/1.1 404/);
  });
});

describe('streams', () => {
  const stream = (kind: string): Promise<{ socket: Socket; text: () => string }> =>
    open(head(`GET /raft/stream/${kind}/b`, { ...identity, Connection: 'keep-alive' }));

  it('open at once, before there is anything to say', async () => {
    const { socket, text } = await stream('message');
    await until('the head', () => text().endsWith('\r\n\r\n'));
    const { status, headers } = parseAnswer(text());
    assert.equal(status, 'HTTP/1.1 200 OK');
    assert.equal(headers['transfer-encoding'], 'chunked');
    assert.equal(headers['x-server-version'], '3.6.16');
    assert.equal(headers['x-etcd-cluster-id'], 'c1');
    socket.destroy();
  });

  it('replace an older one of the same kind', async () => {
    const old = await stream('msgapp');
    await until('the head', () => old.text().endsWith('\r\n\r\n'));
    const young = await stream('msgapp');
    await until('the old one is closed', () => old.socket.closed);
    await until('the head', () => young.text().endsWith('\r\n\r\n'));
    member.network.send([makeMessage({ type: MessageType.append, from: 0xan, to: 0xbn, term: 1 })]);
    await until('a frame', () => !young.text().endsWith('\r\n\r\n'));
    assert.equal(young.socket.closed, false);
    young.socket.destroy();
  });

  it('carry all messages of a turn in one chunk', async () => {
    const { socket, text } = await stream('message');
    await until('the head', () => text().endsWith('\r\n\r\n'));
    const message = makeMessage({ from: 0xan, to: 0xbn });
    member.network.send([message, message]);
    member.network.send([message]);
    const frame = Buffer.concat(encodeMessageFrame(message));
    const chunk = `${(3 * frame.length).toString(16)}\r\n${frame.toString('latin1').repeat(3)}\r\n`;
    await until('the chunk', () => text().endsWith(chunk));
    socket.destroy();
  });

  it('carry heartbeats when there is nothing else', async () => {
    const { socket, text } = await stream('msgapp');
    await until('a heartbeat', () => text().endsWith('\r\n1\r\n\0\r\n'));
    socket.destroy();
  });
});

describe('garbage', () => {
  it('on a stream closes that stream only, and is logged', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nX-Server-Version: 3.5.0\r\nX-Etcd-Cluster-ID: c1\r\n\r\n');
        socket.write(Buffer.from([9, 9, 9, 9, 9, 9, 9, 9, 9]));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    member.network.setPeer(7n, [`http://127.0.0.1:${port}`]);
    await until('both logged', () =>
      ['unknown msgapp frame type 9', 'number out of range'].every((text) => member.logged(text)),
    );
    member.network.removePeer(7n);
    server.close();
    assert.match((await ask('GET /raft/probing')).status, /200/);
  });

  it('on the port is refused', async () => {
    assert.match(await raw('\x16\x03\x01 hello\r\n\r\n'), /^HTTP\/1.1 400/);
    assert.match((await ask('GET /raft/probing')).status, /200/);
  });

  it('that a stranger answers, be it 410, moves nobody', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {}).end('HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    member.network.setPeer(8n, [`http://127.0.0.1:${port}`]);
    await until('it is logged', () => member.logged('HTTP status 410'));
    member.network.removePeer(8n);
    server.close();
    assert.equal(member.toldRemoved, 0);
  });
});
