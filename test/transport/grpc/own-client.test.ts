/** The client's half of the same HTTP/2, on the server's half. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Code } from '../../../src/api/index.js';
import { ClientCall, ClientConnection } from '../../../src/grpc/index.js';
import type { ClientPortOptions } from '../../../src/transport/index.js';
import { startToy, type Toy, TRANSPORTS } from '../support/toy-service.js';
import { sleep, until } from '../support/waiting.js';

const closers: (() => unknown)[] = [];

after(async () => {
  for (const close of closers.reverse()) await close();
});

async function start(options: Partial<ClientPortOptions>): Promise<Toy> {
  const toy = await startToy('http://127.0.0.1:0', { closeTimeoutMs: 100, ...options });
  closers.push(() => toy.listener.close());
  return toy;
}

async function connectTo(toy: Toy): Promise<ClientConnection> {
  const socket = connect({ port: toy.listener.port, host: '127.0.0.1', noDelay: true });
  const connection = new ClientConnection(socket, {});
  closers.push(() => connection.destroy());
  await connection.ready;
  return connection;
}

function call(
  connection: ClientConnection,
  method: string,
  options: { metadata?: Record<string, string>; deadlineMs?: number } = {},
): ClientCall {
  return new ClientCall(connection, {
    path: `/toy.Toy/${method}`,
    authority: 'host',
    secure: false,
    metadata: options.metadata ?? {},
    deadlineMs: options.deadlineMs ?? Infinity,
    maxReceiveBytes: 10_000_000,
  });
}

async function ask(connection: ClientConnection, method: string, text: string, options = {}) {
  const one = call(connection, method, options);
  one.write(Buffer.from(text, 'latin1'), true);
  const answer = await one.next();
  assert.equal(await one.next(), undefined);
  return Buffer.from(answer!).toString('latin1');
}

for (const transport of TRANSPORTS) {
  describe(`our client at a port by ${transport}`, () => {
    let toy: Toy;
    let connection: ClientConnection;

    before(async () => {
      toy = await start({ transport });
      connection = await connectTo(toy);
    });

    it('asks and is answered, many times at once', async () => {
      const texts = Array.from({ length: 200 }, (_, i) => `text ${i}`);
      const asked = texts.map((text) => ask(connection, 'EchoLater', text));
      assert.deepEqual(await Promise.all(asked), texts);
    });

    it('sends and takes messages larger than every window', async () => {
      const text = 'x'.repeat(1_200_000);
      assert.equal(await ask(connection, 'Echo', text), text);
    });

    it('says metadata, and hears refusals as they were meant', async () => {
      const metadata = { token: 'abc' };
      assert.equal(await ask(connection, 'Meta', 'token', { metadata }), 'abc');
      await assert.rejects(ask(connection, 'Refuse', ''), { name: 'compacted' });
      await assert.rejects(ask(connection, 'Frob', ''), {
        code: Code.unimplemented,
        message: 'unknown method Frob for service toy.Toy',
      });
    });

    it('gives up at its deadline, and the service hears of it', async () => {
      const asked = ask(connection, 'Slow', '', { deadlineMs: Date.now() + 100 });
      await assert.rejects(asked, { name: 'contextDeadlineExceeded' });
      await until('the call is cancelled', () => toy.contexts.at(-1)!.cancelled);
    });

    it('streams both ways, and ends', async () => {
      const stream = call(connection, 'EchoStream');
      for (let i = 0; i < 100; i++) stream.write(Buffer.from(`${i}`));
      for (let i = 0; i < 100; i++) assert.equal(String(await stream.next()), `re: ${i}`);
      stream.write(Buffer.from('end'));
      assert.equal(await stream.next(), undefined);
      await stream.ended;
    });

    it('cancels a stream', async () => {
      const stream = call(connection, 'EchoStream');
      stream.write(Buffer.from('one'));
      await stream.next();
      const { events } = toy.streams.at(-1)!;
      stream.cancel();
      await assert.rejects(stream.next(), { name: 'contextCanceled' });
      await until('the service knows', () => events.includes('(cancelled)'));
    });

    it('holds the server back while its reader does not read', async () => {
      const stream = call(connection, 'EchoStream');
      stream.write(Buffer.from('one'));
      await stream.next();
      const { out } = toy.streams.at(-1)!;
      const text = 'y'.repeat(10_000);
      let written = 0;
      const writeSome = (): void => {
        while (written < 500 && out.write(text)) written++;
      };
      out.onDrain(writeSome);
      writeSome();
      await sleep(100);
      assert.ok(written < 200, `${written} messages that nobody has read`);
      // Others go on meanwhile.
      assert.equal(await ask(connection, 'Echo', 'other'), 'other');
      let read = 0;
      for (; written < 500 || out.pendingBytes > 0; read++) await stream.next();
      assert.ok(read > 200);
      stream.cancel();
    });
  });
}

describe('our client', () => {
  it('waits for room when the server takes so many streams only', async () => {
    const toy = await start({ maxConcurrentStreams: 2 });
    const connection = await connectTo(toy);
    const texts = Array.from({ length: 20 }, (_, i) => `${i}`);
    const asked = texts.map((text) => ask(connection, 'EchoLater', text));
    assert.deepEqual(await Promise.all(asked), texts);
  });

  it('finishes what it has begun when the server goes, and begins nothing more', async () => {
    const toy = await start({ closeTimeoutMs: 5_000 });
    const connection = await connectTo(toy);
    const asked = ask(connection, 'Slow', '');
    await until('the call', () => toy.finishSlow.length === 1);
    const closed = toy.listener.close();
    await until('GOAWAY', () => !connection.isUsable);
    await assert.rejects(ask(connection, 'Echo', ''), { code: Code.unavailable });
    toy.finishSlow[0]!('done');
    assert.equal(await asked, 'done');
    await closed;
  });

  it('fails its calls as unavailable when the connection is lost', async () => {
    const toy = await start({});
    const connection = await connectTo(toy);
    const asked = ask(connection, 'Slow', '');
    await until('the call', () => toy.finishSlow.length === 1);
    connection.socket.destroy();
    await assert.rejects(asked, { code: Code.unavailable });
    await assert.rejects(ask(connection, 'Echo', ''), { code: Code.unavailable });
  });
});
