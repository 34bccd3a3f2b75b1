/** What a client may do, but not that often or that much. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ClientPortOptions } from '../../../src/transport/index.js';
import {
  callBlock,
  END_HEADERS,
  frame,
  headers,
  lastMessage,
  literal,
  ping,
  preface,
  priority,
  settings,
} from '../../grpc/support/http2-frames.js';
import { FrameClient } from '../support/frame-client.js';
import { startToy, type Toy } from '../support/toy-service.js';
import { sleep, until } from '../support/waiting.js';

const NO_ERROR = 0;
const FRAME_SIZE_ERROR = 6;
const REFUSED_STREAM = 7;
const ENHANCE_YOUR_CALM = 11;

const closers: (() => unknown)[] = [];
let toy: Toy;

before(async () => {
  toy = await start();
});

after(async () => {
  for (const close of closers.reverse()) await close();
});

async function start(options: Partial<ClientPortOptions> = {}): Promise<Toy> {
  const started = await startToy('http://127.0.0.1:0', { closeTimeoutMs: 100, ...options });
  closers.push(() => started.listener.close());
  return started;
}

async function open(server = toy): Promise<FrameClient> {
  const client = await FrameClient.open(server.listener.port);
  closers.push(() => client.close());
  await client.greet();
  return client;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const reset = (stream: number): Buffer => frame(3, 0, stream, uint32(8));
const grow = (stream: number, bytes: number): Buffer => frame(8, 0, stream, uint32(bytes));
const stream = (path: string, id = 1): Buffer => headers(callBlock(path, 'host'), id);
const repeat = (count: number, bytes: Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => bytes));

/** Of a gRPC message that does not end its stream. */
function message(text: string, id = 1): Buffer {
  const data = lastMessage(text, id);
  data[4] = 0;
  return data;
}

/** The toy still serves. */
async function assertAlive(server = toy): Promise<void> {
  const client = await open(server);
  client.say(...client.echo('host', 'alive'));
  assert.equal(await client.answer(), 'alive');
  client.close();
}

describe('floods end their connection', () => {
  const floods: Record<string, () => Buffer> = {
    'of SETTINGS': () => repeat(30_000, settings),
    'of PRIORITY': () => repeat(30_000, priority),
    'of unknown frames': () => repeat(30_000, frame(99, 0, 0, Buffer.alloc(0))),
    'of empty DATA': () =>
      Buffer.concat([
        stream('/toy.Toy/EchoStream'),
        repeat(30_000, frame(0, 0, 1, Buffer.alloc(0))),
      ]),
    'of CONTINUATION': () =>
      Buffer.concat([
        frame(1, 0, 1, literal('a', 'b', 'withoutIndexing')),
        repeat(100, frame(9, 0, 1, repeat(3_000, literal('a', 'b', 'withoutIndexing')))),
      ]),
    'of empty CONTINUATION': () =>
      Buffer.concat([
        frame(1, 0, 1, Buffer.alloc(0)),
        repeat(200, frame(9, 0, 1, Buffer.alloc(0))),
      ]),
    'of streams that are reset at once': () =>
      Buffer.concat(
        Array.from({ length: 30_000 }, (_, i) => [
          stream('/toy.Toy/Echo', 2 * i + 1),
          reset(2 * i + 1),
        ]).flat(),
      ),
    'of streams that the server has to reset': () =>
      Buffer.concat(
        Array.from({ length: 30_000 }, (_, i) => [
          stream('/toy.Toy/HoldBack', 2 * i + 1),
          grow(2 * i + 1, 0),
        ]).flat(),
      ),
  };
  for (const [what, bytes] of Object.entries(floods)) {
    it(what, async () => {
      const client = await open();
      client.say(bytes());
      assert.match(await client.sentAway(), new RegExp(`^${ENHANCE_YOUR_CALM} `));
      await assertAlive();
    });
  }
});

describe('pings', () => {
  const tooMany = `${ENHANCE_YOUR_CALM} too_many_pings`;

  it('without a call may come three times at once, as with grpc-go', async () => {
    const client = await open();
    client.say(ping, ping, ping);
    await until('three answers', () => client.count(6) === 3);
    client.say(ping);
    assert.equal(await client.sentAway(), tooMany);
  });

  it('with a call may come as often as the server allows', async () => {
    const server = await start({ keepAliveMinTimeMs: 40 });
    const client = await open(server);
    client.say(stream('/toy.Toy/EchoStream'));
    for (let i = 0; i < 6; i++) {
      client.say(ping);
      await sleep(60);
    }
    assert.equal(client.count(6), 6);
    client.say(repeat(4, ping));
    assert.equal(await client.sentAway(), tooMany);
  });

  it('that measure how fast answers come may come with each of them', async () => {
    const client = await open();
    client.say(stream('/toy.Toy/EchoStream'));
    for (let i = 0; i < 20; i++) {
      client.say(message(`${i}`));
      await until('an answer', () => client.count(0) === i + 1);
      client.say(ping);
      await client.pong();
    }
    assert.equal(client.socket.closed, false);
  });

  it('may come while one large answer does, piece by piece', async () => {
    const client = await open();
    const text = 'x'.repeat(500_000);
    client.say(grow(0, 1_000_000), stream('/toy.Toy/EchoStream'));
    for (let at = 0; at < text.length; at += 16_000) {
      const prefix = Buffer.concat([Buffer.from([0]), uint32(text.length)]);
      const piece = Buffer.from(text.slice(at, at + 16_000));
      client.say(frame(0, 0, 1, at === 0 ? Buffer.concat([prefix, piece]) : piece));
    }
    for (let i = 0; i < 7; i++) {
      const before = client.count(0);
      client.say(grow(1, 65_535));
      await until('more of it', () => client.count(0) > before);
      client.say(ping);
    }
    await until('all answers to pings', () => client.count(6) === 7);
    client.close();
  });
});

describe('a client that is gone', () => {
  it('is noticed by a ping that it does not answer', async () => {
    const server = await start({ keepAliveIntervalMs: 50, keepAliveTimeoutMs: 100 });
    const client = await open(server);
    client.say(stream('/toy.Toy/EchoStream'));
    await until('the call', () => server.streams.length > 0);
    const begun = performance.now();
    assert.equal(await client.sentAway(), '(closed)');
    assert.ok(performance.now() - begun >= 100);
    assert.ok(client.count(6) >= 1);
    assert.deepEqual(server.streams[0]!.events, ['(cancelled)']);
  });

  it('never says its SETTINGS', async () => {
    const server = await start({ firstBytesTimeoutMs: 100 });
    const client = await FrameClient.open(server.listener.port);
    closers.push(() => client.close());
    client.say(preface);
    await until('closed', () => client.socket.closed);
  });
});

describe('streams', () => {
  it('are refused above the limit, and the limit is announced', async () => {
    const server = await start({ maxConcurrentStreams: 3 });
    const client = await open(server);
    const announced = client.frames.find(({ type }) => type === 4)!.payload;
    assert.equal(announced.readUInt16BE(0), 3);
    assert.equal(announced.readUInt32BE(2), 3);
    client.say(...[1, 3, 5, 7].map((id) => stream('/toy.Toy/EchoStream', id)));
    assert.equal(await client.reset(7), REFUSED_STREAM);
    assert.equal(server.streams.length, 3);
    client.say(reset(3), stream('/toy.Toy/EchoStream', 9));
    await until('a place is free', () => server.streams.length === 4);
  });

  it('with too many header fields are reset, and the connection goes on', async () => {
    const client = await open();
    const big = literal('x-big', 'x'.repeat(3_000));
    const block = Buffer.concat([
      callBlock('/toy.Toy/Echo', 'host'),
      big,
      repeat(16_000, Buffer.from([0xbe])),
    ]);
    client.say(
      frame(1, 1, 1, block.subarray(0, 16_384)),
      frame(9, END_HEADERS, 1, block.subarray(16_384)),
    );
    assert.equal(await client.reset(1), FRAME_SIZE_ERROR);
    client.say(...client.echo('host', 'after', 3));
    assert.equal(await client.answer(3), 'after');
  });

  it('that end before their request does are told that they need not go on', async () => {
    const client = await open();
    client.say(stream('/toy.Toy/Frob'));
    const { 'grpc-status': status } = await client.trailers(1);
    assert.equal(status, '12');
    assert.equal(await client.reset(1), NO_ERROR);
    client.say(message('too late'), lastMessage('much too late'));
    client.say(...client.echo('host', 'next', 3));
    assert.equal(await client.answer(3), 'next');
    assert.equal(client.frames.filter(({ type, stream: id }) => type === 3 && id === 1).length, 1);
  });
});

describe('a client that does not read', () => {
  it('gets only what its windows take, and its other streams go on', async () => {
    const client = await open();
    client.say(stream('/toy.Toy/EchoStream'), message('one'));
    await client.answer(1);
    const { out } = toy.streams.at(-1)!;
    let written = 0;
    while (out.write('y'.repeat(1_000))) written++;
    assert.ok(written < 200, `wrote ${written} messages that nobody has taken`);
    // The connection's window is spent, too: a grant for it lets other streams go on.
    client.say(grow(0, 1_000), ...client.echo('host', 'other', 3));
    assert.equal(await client.answer(3), 'other');
    let drained = 0;
    out.onDrain(() => drained++);
    client.say(grow(0, 1_000_000), grow(1, 1_000_000));
    await until('drained', () => drained === 1 && out.pendingBytes === 0);
  });

  it('but asks for more and more is not read either', async () => {
    const client = await open();
    client.socket.pause();
    const before = toy.contexts.length;
    const asks = 4_000;
    const text = 'z'.repeat(1_000);
    client.say(grow(0, 2 ** 30));
    for (let i = 0; i < asks; i++) {
      client.say(...client.echo(i === 0 ? 'host' : 62, text, 2 * i + 1));
    }
    await sleep(300);
    const served = toy.contexts.length - before;
    client.socket.resume();
    await until('all answers', () => client.count(0) === asks, 10_000);
    assert.ok(served <= asks);
    client.close();
  });

  it('and leaves large answers waiting is refused new streams, not memory', async () => {
    const client = await open();
    client.say(frame(4, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])));
    const text = 'w'.repeat(1_000_000);
    const prefix = Buffer.concat([Buffer.from([0]), uint32(text.length)]);
    let id = 1;
    for (let i = 0; i < 6; i++, id += 2) {
      client.say(stream('/toy.Toy/Echo', id), frame(0, 0, id, prefix));
      for (let at = 0; at < text.length; at += 16_000) {
        const piece = Buffer.from(text.slice(at, at + 16_000));
        client.say(frame(0, at + 16_000 >= text.length ? 1 : 0, id, piece));
      }
    }
    await until('all are answered', () => client.count(1) + client.count(3) === 6, 10_000);
    assert.ok(client.count(1) >= 4, `${client.count(1)} answers have begun`);
    await sleep(1_100);
    client.say(...client.echo('host', 'more', id));
    assert.equal(await client.reset(id), ENHANCE_YOUR_CALM);
    client.close();
    await assertAlive();
  });
});

describe('a port that closes', () => {
  it('sends clients away, lets what runs finish, and takes calls that were on their way', async () => {
    const server = await start({ closeTimeoutMs: 5_000 });
    const client = await open(server);
    client.say(stream('/toy.Toy/Slow', 1), lastMessage('', 1));
    await until('the call', () => server.finishSlow.length === 1);
    const closed = server.listener.close();
    await until('GOAWAY', () => client.count(7) === 1);
    const first = client.frames.find(({ type }) => type === 7)!.payload;
    assert.equal(first.readUInt32BE(0), 2 ** 31 - 1);
    client.say(...client.echo('host', 'on my way', 3));
    const refused = await client.trailers(3);
    assert.equal(refused['grpc-message'], 'etcdserver: server stopped');
    const toSayBack = client.frames.find(({ type }) => type === 6)!.payload;
    client.say(frame(6, 1, 0, toSayBack));
    await until('the last GOAWAY', () => client.count(7) === 2);
    assert.equal(client.frames.findLast(({ type }) => type === 7)!.payload.readUInt32BE(0), 3);
    client.say(...client.echo('host', 'too late', 5));
    server.finishSlow[0]!('done');
    assert.equal(await client.answer(1), 'done');
    assert.equal(await client.sentAway(), `${NO_ERROR} `);
    assert.ok(!client.frames.some(({ stream: id }) => id === 5));
    await closed;
  });
});
