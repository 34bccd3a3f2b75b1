import assert from 'node:assert/strict';
import { type ClientHttp2Session, connect } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { FrameClient } from '../support/frame-client.js';
import {
  callBlock,
  headers,
  ping,
  preface,
  settings,
  settingsAck,
} from '../../grpc/support/http2-frames.js';
import { startToy, type Toy, ToyClient } from '../support/toy-service.js';
import { sleep, until } from '../support/waiting.js';

const good = '127.0.0.1:1';
const bad = 'http://127.0.0.1:1';
/** Place of the newest entry in the dynamic table. */
const NEWEST = 62;

let toy: Toy;
const clients: FrameClient[] = [];

async function open(): Promise<FrameClient> {
  const client = await FrameClient.open(toy.listener.port);
  clients.push(client);
  return client;
}

before(async () => {
  toy = await startToy('http://127.0.0.1:0', { transport: 'grpc-js' });
});

after(async () => {
  for (const client of clients) client.close();
  await toy.listener.close();
});

describe('a client that waits for SETTINGS', () => {
  for (const authority of [good, bad]) {
    it(`gets its calls answered with the authority ${authority}`, async () => {
      const client = await open();
      await client.greet();
      client.say(...client.echo(authority, 'first'));
      assert.equal(await client.answer(1), 'first');
      client.say(...client.echo(NEWEST, 'second', 3), ping);
      assert.equal(await client.answer(3), 'second');
      client.say(...client.echo(authority, 'third', 5));
      assert.equal(await client.answer(5), 'third');
      await client.pong();
    });

    it(`may acknowledge them after its call with the authority ${authority}`, async () => {
      const client = await open();
      client.acknowledging = false;
      await client.greet();
      client.say(...client.echo(authority, 'first'));
      await sleep(20);
      client.acknowledging = true;
      client.say(settingsAck);
      assert.equal(await client.answer(1), 'first');
      client.say(...client.echo(NEWEST, 'second', 3));
      assert.equal(await client.answer(3), 'second');
    });
  }

  it('may acknowledge them very late', async () => {
    const client = await open();
    client.acknowledging = false;
    await client.greet();
    client.say(...client.echo(good, 'first'));
    assert.equal(await client.answer(1), 'first');
    client.say(settingsAck, settingsAck, ...client.echo(NEWEST, 'second', 3));
    assert.equal(await client.answer(3), 'second');
  });

  it('may speak an octet at a time', async () => {
    const client = await open();
    client.say(preface);
    for (const byte of settings) client.say(Uint8Array.of(byte));
    await until('SETTINGS', () => client.frames.length > 0);
    client.acknowledging = false;
    for (const byte of Buffer.concat(client.echo(bad, 'slowly'))) {
      client.say(Uint8Array.of(byte));
      await sleep(0);
    }
    client.say(settingsAck);
    assert.equal(await client.answer(), 'slowly');
  });
});

describe('a client that calls at once', () => {
  for (const authority of [good, bad]) {
    it(`gets its calls answered with the authority ${authority}`, async () => {
      const client = await open();
      client.say(preface, settings, ...client.echo(authority, 'first'));
      client.say(...client.echo(NEWEST, 'second', 3));
      assert.equal(await client.answer(1), 'first');
      assert.equal(await client.answer(3), 'second');
    });
  }
});

describe('a client that has nothing to call yet', () => {
  it('gets its pings answered, and calls later', async () => {
    const client = await open();
    await client.greet();
    client.say(ping);
    await client.pong();
    client.say(...client.echo(good, 'later'));
    assert.equal(await client.answer(), 'later');
  });

  it('gets a connection when it has been quiet, even without SETTINGS', async () => {
    const quiet = await open();
    const silent = await open();
    await quiet.greet();
    silent.acknowledging = false;
    silent.say(preface);
    await until('the SETTINGS of the service', () => quiet.count(4) >= 3 && silent.count(4) >= 1);
    quiet.say(...quiet.echo(good, 'later'));
    silent.say(settings, settingsAck, ...silent.echo(good, 'later'));
    assert.equal(await quiet.answer(), 'later');
    assert.equal(await silent.answer(), 'later');
  });

  it('may go', async () => {
    const client = await open();
    await client.greet();
    client.socket.end();
    await until('closed', () => client.socket.closed);
  });
});

describe('a repaired connection', () => {
  /** Node's client, which says any authority. */
  function session(): ClientHttp2Session {
    return connect(`http://127.0.0.1:${toy.listener.port}`);
  }

  function call(client: ClientHttp2Session, request: Buffer, more = {}): Promise<Buffer> {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(request.length, 1);
    const chunks: Buffer[] = [];
    const stream = client.request({
      ':method': 'POST',
      ':path': '/toy.Toy/Echo',
      ':authority': bad,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...more,
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.end(Buffer.concat([prefix, request]));
    return new Promise((resolve, reject) => {
      stream.on('error', reject);
      stream.on('end', () => resolve(Buffer.concat(chunks).subarray(5)));
    });
  }

  it('carries large messages both ways', async () => {
    const client = session();
    const big = Buffer.alloc(1_000_000, 'large message ');
    const answers = await Promise.all([1, 2, 3].map(() => call(client, big)));
    for (const answer of answers) assert.ok(answer.equals(big));
    client.close();
  });

  it('takes an authority that has left the tables and comes again', async () => {
    const client = session();
    for (let i = 0; i < 150; i++) {
      const text = Buffer.from(`call ${i}`);
      const answer = await call(client, text, { 'x-filler': `${i}`.padEnd(100, 'x') });
      assert.deepEqual(answer, text);
    }
    client.close();
  });

  it('cancels its calls when it is reset', async () => {
    const client = await open();
    await client.greet();
    client.say(headers(callBlock('/toy.Toy/EchoStream', bad)));
    await until('the call', () => toy.streams.length > 0);
    client.socket.resetAndDestroy();
    const { events } = toy.streams[0]!;
    await until('it is cancelled', () => events.includes('(cancelled)'));
  });

  it('ends with the port', async () => {
    const own = await startToy('http://127.0.0.1:0', { transport: 'grpc-js', closeTimeoutMs: 100 });
    const client = await FrameClient.open(own.listener.port);
    client.say(preface, settings, ...client.echo(bad, 'hi'));
    assert.equal(await client.answer(), 'hi');
    await own.listener.close();
    await until('closed', () => client.socket.closed);
  });
});

it('calls of grpc-js on many connections at once are as they were', async () => {
  const callers = Array.from({ length: 10 }, () => new ToyClient(`127.0.0.1:${toy.listener.port}`));
  const outcomes = await Promise.all(
    callers.flatMap((client, i) => [1, 2, 3].map((j) => client.call('/toy.Toy/Echo', `${i} ${j}`))),
  );
  assert.deepEqual(
    outcomes.map(({ value }) => value),
    callers.flatMap((_, i) => [1, 2, 3].map((j) => `${i} ${j}`)),
  );
  for (const client of callers) client.close();
});
