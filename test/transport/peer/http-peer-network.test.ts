import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { after, afterEach, describe, it } from 'node:test';
import { type Entry, type Message, MessageType } from '../../../src/raft/index.js';
import { sleep, until } from '../support/waiting.js';
import { makeMessage, plain, TestMember } from './network-world.js';

const started: TestMember[] = [];

async function start(...args: Parameters<typeof TestMember.start>): Promise<TestMember> {
  const member = await TestMember.start(...args);
  started.push(member);
  return member;
}

async function stopAll(): Promise<void> {
  await Promise.all(started.splice(0).map((member) => member.network.stop()));
}

/** Two members that know each other, with all four streams up. */
async function startPair(): Promise<[TestMember, TestMember]> {
  const a = await start(0xan);
  const b = await start(0xbn);
  introduce(a, b);
  introduce(b, a);
  await until('streams', () => streamsOf(a) === 4 && streamsOf(b) === 4);
  return [a, b];
}

function introduce(to: TestMember, other: TestMember): void {
  to.network.setPeer(other.id, [other.url]);
}

/** Streams that are up, as the log tells. */
function streamsOf(member: TestMember): number {
  const count = (text: string): number =>
    member.logs.filter((line) => line.includes(text + ' TCP streaming')).length;
  return count('established') - count('lost') - count('closed');
}

function append(from: TestMember, to: TestMember, index: number, entries: Entry[] = []): Message {
  return makeMessage({
    type: MessageType.append,
    from: from.id,
    to: to.id,
    term: 2,
    logTerm: 2,
    index,
    entries,
  });
}

function heartbeat(from: TestMember, to: TestMember, commit: number): Message {
  return makeMessage({ type: MessageType.heartbeat, from: from.id, to: to.id, commit });
}

function entry(index: number, data = 'x'): Entry {
  return { type: 0, term: 2, index, data: new Uint8Array(Buffer.from(data)) };
}

afterEach(stopAll);
after(stopAll);

describe('messages between two members', () => {
  it('arrive whole, in order per kind, both ways', async () => {
    const [a, b] = await startPair();
    const sent: Message[] = [];
    for (let i = 0; i < 300; i++) {
      sent.push(append(a, b, i, [entry(i + 1, `value ${i}`)]), heartbeat(a, b, i));
    }
    for (let at = 0; at < sent.length; at += 7) a.network.send(sent.slice(at, at + 7));
    b.network.send([heartbeat(b, a, 7)]);
    await until('all messages', () => b.received.length === sent.length && a.received.length === 1);
    for (const type of [MessageType.append, MessageType.heartbeat]) {
      const ofType = (messages: Message[]): Message[] =>
        messages.filter((message) => message.type === type);
      assert.deepEqual(ofType(b.received), ofType(sent));
    }
    assert.deepEqual(a.received, [heartbeat(b, a, 7)]);
    assert.deepEqual(a.unreachableIds, []);
  });

  it('go by POST while there are no streams, also to a sender that is no peer yet', async () => {
    const a = await start(0xan);
    const b = await start(0xbn);
    introduce(a, b);
    a.network.send([heartbeat(a, b, 1), append(a, b, 1)]);
    await until('both arrive', () => b.received.length === 2);
    b.network.send([heartbeat(b, a, 3)]);
    await until('the answer arrives', () => a.received.length === 1);
    assert.equal(b.network.activeForMs(a.id), undefined);
    assert.ok(a.network.activeForMs(b.id)! >= 0);
  });

  it('reach only whom they are for, and never from a removed member', async () => {
    const [a, b] = await startPair();
    a.network.send([makeMessage({ from: a.id, to: 99n })]);
    b.removed.add(a.id);
    a.network.send([heartbeat(a, b, 1)]);
    await until('the rejection', () => b.logged('rejected a raft message'));
    assert.deepEqual(b.received, []);
  });

  it('carry entries of a megabyte', async () => {
    const [a, b] = await startPair();
    const big = 'y'.repeat(1_000_000);
    for (let i = 0; i < 5; i++) a.network.send([append(a, b, i, [entry(i + 1, big)])]);
    await until('all', () => b.received.length === 5);
    assert.equal(b.received[4]!.entries[0]!.data.length, 1_000_000);
  });
});

describe('connections', () => {
  it('come back after the other side restarts', async () => {
    const [a, b] = await startPair();
    await b.network.stop();
    // What makes the peer inactive and what reports it may be different streams, turns apart.
    await until('a sees it', () => a.network.activeForMs(b.id) === undefined);
    await until('a is told', () => a.unreachableIds.includes(b.id));
    await until('all streams are lost', () => streamsOf(a) === 0);
    const reborn = await start(b.id, b.url);
    introduce(reborn, a);
    await until('streams', () => streamsOf(a) === 4 && streamsOf(reborn) === 4);
    a.network.send([append(a, reborn, 5, [entry(6)]), heartbeat(a, reborn, 5)]);
    await until('messages arrive', () => reborn.received.length === 2);
  });

  it('are tried on every URL in turn', async () => {
    const a = await start(0xan);
    const b = await start(0xbn);
    introduce(b, a);
    a.network.setPeer(b.id, ['http://127.0.0.1:1', b.url]);
    await until('streams', () => streamsOf(a) === 4 && streamsOf(b) === 4);
  });

  it('are tried at most ten times a second, and logged once', async () => {
    let dials = 0;
    const server = createServer((socket) => {
      dials++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const a = await start(0xan);
    a.network.setPeer(2n, [`http://127.0.0.1:${port}`]);
    await sleep(550);
    assert.ok(dials >= 4 && dials <= 12, `${dials} dials for two streams in 550 ms`);
    assert.ok(a.logs.filter((line) => line.includes('failed to dial')).length <= 4);
    await a.network.stop();
    server.close();
  });

  it('end when a peer is removed, and new urls are used', async () => {
    const [a, b] = await startPair();
    a.network.removePeer(b.id);
    await until('b sees it', () => b.network.activeForMs(a.id) === undefined);
    assert.equal(a.network.activeForMs(b.id), undefined);
    a.network.send([heartbeat(a, b, 1)]);
    await sleep(50);
    assert.deepEqual(b.received, []);
    assert.equal(a.toldRemoved + b.toldRemoved, 0);
  });

  it('tell a removed member, and only that one', async () => {
    const [a, b] = await startPair();
    a.removed.add(b.id);
    a.network.removePeer(b.id);
    await until('b is told', () => b.toldRemoved > 0);
    await sleep(250);
    assert.equal(b.toldRemoved, 1);
    assert.equal(a.toldRemoved, 0);
  });

  it('of another cluster are refused without harm', async () => {
    const a = await start(0xan);
    const b = await start(0xbn);
    b.clusterId = 0xc2n;
    introduce(a, b);
    introduce(b, a);
    await until('the refusal', () => a.logged('cluster ID mismatch') && b.logged('ID mismatch'));
    assert.equal(streamsOf(a), 0);
    a.network.send([heartbeat(a, b, 1)]);
    await until('unreachable', () => a.unreachableIds.length === 1);
    assert.deepEqual(b.received, []);
    assert.equal(a.toldRemoved + b.toldRemoved, 0);
  });
});

describe('silence', () => {
  const impatient = { readTimeoutMs: 300, writeTimeoutMs: 300 };

  it('of a peer ends the streams that it should feed', async () => {
    const silent = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nX-Server-Version: 3.6.0\r\n\r\n'));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const a = await start(0xan, undefined, impatient);
    a.network.setPeer(2n, [`http://127.0.0.1:${port}`]);
    await until('the streams are up', () => streamsOf(a) === 2);
    const begun = performance.now();
    await until('they are lost', () => a.logs.some((line) => /lost.*i\/o timeout/.test(line)));
    assert.ok(performance.now() - begun > 200);
    await a.network.stop();
    silent.close();
  });

  it('does not come of having nothing to say', async () => {
    const a = await start(0xan, undefined, impatient);
    const b = await start(0xbn, undefined, impatient);
    introduce(a, b);
    introduce(b, a);
    await until('streams', () => streamsOf(a) === 4 && streamsOf(b) === 4);
    await sleep(700);
    assert.ok(a.network.activeForMs(b.id)! >= 700);
    assert.ok(!a.logged('lost') && !b.logged('lost'));
  });

  it('of a reader that takes nothing ends the stream', async () => {
    const a = await start(0xan, undefined, impatient);
    a.network.setPeer(0xbn, ['http://127.0.0.1:1']);
    const socket = connect(a.port, '127.0.0.1');
    socket.on('error', () => {}).pause();
    socket.write(
      'GET /raft/stream/message/b HTTP/1.1\r\nHost: x\r\nX-Server-Version: 3.6.0\r\n' +
        'X-Min-Cluster-Version: 3.0.0\r\nX-Etcd-Cluster-ID: c1\r\nX-Raft-To: a\r\n\r\n',
    );
    await until('the stream is up', () => streamsOf(a) === 1);
    const context = new Uint8Array(1_000_000);
    const message = makeMessage({ from: a.id, to: 0xbn, context });
    for (let i = 0; i < 30; i++) a.network.send([message]);
    await until('the stream is lost', () => streamsOf(a) === 0);
    await until('a is told', () => a.unreachableIds.includes(0xbn));
    socket.destroy();
  });

  it('in the middle of a body ends the request', async () => {
    const a = await start(0xan, undefined, impatient);
    const socket = connect(a.port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write('POST /leases HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
    await until('it is closed', () => socket.closed);
  });
});

describe('drops', () => {
  it('are reported, in a later turn and once for all', async () => {
    const a = await start(0xan);
    a.network.setPeer(2n, ['http://127.0.0.1:1']);
    const many = Array.from({ length: 200 }, () => makeMessage({ from: a.id, to: 2n }));
    a.network.send(many);
    assert.deepEqual(a.unreachableIds, []);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(a.unreachableIds, [2n]);
  });

  it('begin when a peer that does not read has 4096 messages waiting', async () => {
    const [a, b] = await startPair();
    const data = 'z'.repeat(2_000);
    const many = Array.from({ length: 5_000 }, (_, i) => append(a, b, i, [entry(i + 1, data)]));
    a.network.send(many);
    await until('the report', () => a.unreachableIds.includes(b.id));
    await until('the rest', () => b.received.length >= 4_096);
    await sleep(20);
    assert.equal(b.received.length, 4_096);
    assert.deepEqual(b.received, many.slice(0, 4_096));
  });
});

describe('snapshots', () => {
  const snapshotTo = (from: TestMember, to: bigint): Message =>
    makeMessage({
      type: MessageType.snapshot,
      from: from.id,
      to,
      term: 3,
      snapshot: {
        metadata: {
          confState: {
            voters: [1n, 2n],
            learners: [],
            votersOutgoing: [],
            learnersNext: [],
            autoLeave: false,
          },
          index: 77,
          term: 3,
        },
        data: new Uint8Array(Buffer.from('{}')),
      },
    });

  /** A body of `count` chunks of 64 KiB that notes how it ended. */
  function makeBody(count: number) {
    const state = { given: 0, closed: false };
    async function* chunks(): AsyncGenerator<Uint8Array> {
      try {
        for (; state.given < count; state.given++) yield new Uint8Array(65_536).fill(state.given);
      } finally {
        state.closed = true;
      }
    }
    return { state, body: chunks() };
  }

  it('arrive whole at a slow reader, whom the sender waits for', async () => {
    const [a, b] = await startPair();
    const { state, body } = makeBody(400);
    const message = snapshotTo(a, b.id);
    let received: Message | undefined;
    let bytes = 0;
    let ahead = 0;
    b.onSnapshot = async (arrived, chunks) => {
      received = plain(arrived);
      for await (const chunk of chunks) {
        assert.equal(chunk[0], Math.floor(bytes / 65_536) % 256);
        bytes += chunk.length;
        if (bytes < 100 * 65_536) await sleep(1);
        ahead = Math.max(ahead, state.given - bytes / 65_536);
      }
    };
    a.network.sendSnapshot(message, body);
    await until('the result', () => a.snapshotResults.length === 1);
    assert.deepEqual(a.snapshotResults, [{ id: b.id, ok: true }]);
    assert.deepEqual(received, message);
    assert.equal(bytes, 400 * 65_536);
    assert.ok(ahead < 300, `the sender was ${ahead} chunks ahead`);
    assert.equal(state.closed, true);
  });

  it('fail when the receiver refuses, at the start or in the middle', async () => {
    const [a, b] = await startPair();
    for (const chunksRead of [0, 3]) {
      const { state, body } = makeBody(10_000);
      b.onSnapshot = async (_, chunks) => {
        let read = 0;
        for await (const chunk of chunks) {
          read += chunk.length > 0 ? 1 : 0;
          if (read >= chunksRead) break;
        }
        throw new Error('disk full');
      };
      a.network.sendSnapshot(snapshotTo(a, b.id), body);
      await until('the result', () => a.snapshotResults.length === 1);
      assert.deepEqual(a.snapshotResults.pop(), { id: b.id, ok: false });
      await until('the body is closed', () => state.closed);
      assert.ok(state.given < 10_000);
    }
    assert.ok(b.logged('disk full'));
  });

  it('fail at the receiver when the sender breaks off', async () => {
    const [a, b] = await startPair();
    let failure: unknown;
    b.onSnapshot = async (_, chunks) => {
      try {
        for await (const chunk of chunks) assert.ok(chunk.length > 0);
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(100);
      await sleep(20);
      throw new Error('cannot read the database');
    }
    a.network.sendSnapshot(snapshotTo(a, b.id), broken());
    await until('the result', () => a.snapshotResults.length === 1);
    assert.equal(a.snapshotResults[0]!.ok, false);
    await until('the failure arrives', () => failure !== undefined);
  });

  it('to nobody, or to a dead peer, fail and are closed', async () => {
    const a = await start(0xan);
    a.network.setPeer(2n, ['http://127.0.0.1:1']);
    let returned = 0;
    const body: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          await sleep(1);
          return { done: false, value: new Uint8Array(65_536) };
        },
        return: async () => {
          returned++;
          return { done: true, value: undefined };
        },
      }),
    };
    a.network.sendSnapshot(snapshotTo(a, 99n), body);
    a.network.sendSnapshot(snapshotTo(a, 2n), body);
    assert.deepEqual(a.snapshotResults, []);
    await until('both results', () => a.snapshotResults.length === 2);
    assert.deepEqual(
      a.snapshotResults.map(({ ok }) => ok),
      [false, false],
    );
    assert.equal(returned, 2);
  });
});

describe('requests', () => {
  it('get the answer of the peer, over kept connections', async () => {
    const [a, b] = await startPair();
    b.onRequest = (request) => ({
      status: 200,
      headers: { 'Content-Type': 'application/protobuf', 'X-Path': request.path },
      body: new Uint8Array([...request.body!, request.method.length]),
    });
    for (let i = 0; i < 20; i++) {
      const path = '/leases';
      const request = { method: 'POST', path, body: new Uint8Array([i]) } as const;
      const reply = await a.network.request(b.id, request, 1_000);
      assert.equal(reply.status, 200);
      assert.equal(reply.headers['x-path'], '/leases');
      assert.deepEqual([...reply.body], [i, 4]);
    }
  });

  it('survive that the peer has restarted meanwhile', async () => {
    const a = await start(0xan);
    const b = await start(0xbn);
    const ok = { status: 200, headers: {}, body: new Uint8Array(0) };
    b.onRequest = () => ok;
    a.network.setPeer(b.id, [b.url]);
    const request = { method: 'GET', path: '/version' } as const;
    assert.equal((await a.network.request(b.id, request, 1_000)).status, 200);
    await b.network.stop();
    const reborn = await start(b.id, b.url);
    reborn.onRequest = () => ok;
    assert.equal((await a.network.request(b.id, request, 1_000)).status, 200);
  });

  it('reject when nobody answers, or not in time', async () => {
    const a = await start(0xan);
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const request = { method: 'GET', path: '/version' } as const;
    await assert.rejects(a.network.request(5n, request, 100), /unknown peer 5/);
    a.network.setPeer(2n, ['http://127.0.0.1:1']);
    await assert.rejects(a.network.request(2n, request, 1_000), /GET \/version: .*ECONNREFUSED/);
    const urls = [`http://127.0.0.1:${port}`];
    await assert.rejects(a.network.requestUrls(urls, request, 50), /no answer within/);
    const pending = a.network.requestUrls(urls, request, 10_000);
    const rejected = assert.rejects(pending);
    await a.network.stop();
    await rejected;
    silent.close();
  });

  it('may go to urls alone, past those that are dead', async () => {
    const a = await start(0xan);
    const b = await start(0xbn);
    b.onRequest = ({ path }) => ({ status: 200, headers: {}, body: Buffer.from(path) });
    const urls = ['http://127.0.0.1:1', b.url + '/'];
    const reply = await a.network.requestUrls(urls, { method: 'GET', path: '/members' }, 1_000);
    assert.equal(Buffer.from(reply.body).toString(), '/members');
  });
});

describe('a network', () => {
  it('stops at once, with everything open', async () => {
    const [a, b] = await startPair();
    const begun = performance.now();
    await Promise.all([a.network.stop(), b.network.stop(), a.network.stop()]);
    assert.ok(performance.now() - begun < 500);
    a.network.send([heartbeat(a, b, 1)]);
    a.network.setPeer(9n, ['http://127.0.0.1:1']);
    a.network.removePeer(b.id);
  });

  it('says in one line that its port is taken', async () => {
    const a = await start(0xan);
    await assert.rejects(TestMember.start(0xbn, a.url), {
      message: `listen tcp 127.0.0.1:${a.port}: bind: address already in use`,
    });
  });

  it('listens on several addresses', async () => {
    const a = await start(0xan, 'http://127.0.0.1:0', {
      listenUrls: ['http://127.0.0.1:0', 'http://[::1]:0'],
    });
    const b = await start(0xbn);
    a.onRequest = () => ({ status: 200, headers: {}, body: new Uint8Array(0) });
    for (const url of a.network.boundUrls) {
      const reply = await b.network.requestUrls([url], { method: 'GET', path: '/version' }, 1_000);
      assert.equal(reply.status, 200);
    }
  });
});
