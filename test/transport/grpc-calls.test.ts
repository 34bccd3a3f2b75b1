import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { Code } from '../../src/api/index.js';
import {
  MAX_REQUEST_BYTES,
  startToy,
  type Toy,
  ToyClient,
  TRANSPORTS,
} from './support/toy-service.js';
import { sleep, until } from './support/waiting.js';

for (const transport of TRANSPORTS)
  describe(`gRPC by ${transport}`, () => {
    let toy: Toy;
    let client: ToyClient;

    before(async () => {
      toy = await startToy('http://127.0.0.1:0', { transport });
      client = new ToyClient(`127.0.0.1:${toy.listener.port}`);
    });

    after(async () => {
      client.close();
      await toy.listener.close();
    });

    /** A stream, what it has received and how it ended. */
    function openStream(path: string) {
      const number = toy.streams.length;
      const stream = client.stream(path);
      const messages: string[] = [];
      let status: { code: number; details: string } | undefined;
      stream.on('data', (bytes: Buffer) => messages.push(bytes.toString('latin1')));
      stream.on('error', () => {});
      stream.on('status', (ended: { code: number; details: string }) => {
        status = ended;
      });
      return {
        stream,
        messages,
        send: (text: string) => stream.write(Buffer.from(text, 'latin1')),
        opened: async () => {
          await until('the stream opens', () => toy.streams.length > number);
          return toy.streams[number]!;
        },
        status: async () => {
          await until('the stream ends', () => status !== undefined);
          return { code: status!.code, message: status!.details };
        },
      };
    }

    describe('unary calls', () => {
      it('answer what the service returns, at once or later', async () => {
        assert.equal((await client.call('/toy.Toy/Echo', 'hi')).value, 'hi');
        assert.equal((await client.call('/toy.Toy/EchoLater', '')).value, '');
      });

      it('carry any byte', async () => {
        const every = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));
        assert.equal((await client.call('/toy.Toy/Echo', every)).value, every);
      });

      it('hand over metadata by its lower-case name', async () => {
        const metadata = { token: 'abc.7', hasLeader: 'true' };
        assert.equal((await client.call('/toy.Toy/Meta', 'token', { metadata })).value, 'abc.7');
        assert.equal((await client.call('/toy.Toy/Meta', 'hasleader', { metadata })).value, 'true');
        assert.equal((await client.call('/toy.Toy/Meta', 'absent', { metadata })).value, '(none)');
      });

      it('know their caller', async () => {
        await client.call('/toy.Toy/Echo', 'hi');
        assert.match(toy.contexts.at(-1)!.remote, /^127\.0\.0\.1:\d+$/);
        assert.equal(toy.contexts.at(-1)!.certificateName, undefined);
        assert.equal(toy.contexts.at(-1)!.timeLeftMs(), undefined);
      });

      it('are refused with the exact code and text', async () => {
        assert.deepEqual(await client.call('/toy.Toy/Refuse', ''), {
          code: Code.outOfRange,
          message: 'etcdserver: mvcc: required revision has been compacted',
        });
        assert.deepEqual(await client.call('/toy.Toy/RefuseLater', ''), {
          code: Code.notFound,
          message: 'etcdserver: requested lease not found',
        });
      });

      it('hide an unexpected error behind an id that the log knows', async () => {
        const outcome = await client.call('/toy.Toy/Break', '');
        assert.equal(outcome.code, Code.internal);
        const line = toy.logs.find(({ fields }) => outcome.message.includes(String(fields['id'])));
        assert.match(String(line?.fields['error']), /secret detail/);
        assert.doesNotMatch(outcome.message, /secret|\.js/);
      });

      it('refuse bytes that do not decode', async () => {
        assert.deepEqual(await client.call('/toy.Toy/Echo', 'garbage'), {
          code: Code.internal,
          message: 'grpc: error unmarshalling request: not a message',
        });
      });

      it('refuse unknown services and methods in the words of etcd', async () => {
        assert.deepEqual(await client.call('/toy.Other/Echo', ''), {
          code: Code.unimplemented,
          message: 'unknown service toy.Other',
        });
        assert.deepEqual(await client.call('/toy.Toy/Frob', ''), {
          code: Code.unimplemented,
          message: 'unknown method Frob for service toy.Toy',
        });
      });

      it('take messages up to the limit and refuse larger ones', async () => {
        const limit = MAX_REQUEST_BYTES + 524_288;
        const largest = await client.call('/toy.Toy/Echo', 'x'.repeat(limit));
        assert.equal(largest.value?.length, limit);
        assert.deepEqual(await client.call('/toy.Toy/Echo', 'x'.repeat(limit + 1)), {
          code: Code.resourceExhausted,
          message: `grpc: received message larger than max (${limit + 1} vs. ${limit})`,
        });
        assert.equal((await client.call('/toy.Toy/Echo', 'still here')).value, 'still here');
      });

      it('end at their deadline, and the service hears of it', async () => {
        const outcome = await client.call('/toy.Toy/Slow', '', { deadlineMs: 100 });
        assert.equal(outcome.code, Code.deadlineExceeded);
        const context = toy.contexts.at(-1)!;
        assert.ok(context.timeLeftMs()! <= 100);
        await until('the call is cancelled', () => context.cancelled);
        let told = 0;
        context.onCancel(() => told++);
        assert.equal(told, 1);
        toy.finishSlow.pop()!('too late');
      });
    });

    describe('stream calls', () => {
      it('carry messages both ways in order', async () => {
        const { stream, messages, send, status } = openStream('/toy.Toy/EchoStream');
        const sent = Array.from({ length: 500 }, (_, i) => `message ${i}`);
        for (const message of sent) send(message);
        await until('all answers', () => messages.length === sent.length);
        assert.deepEqual(
          messages,
          sent.map((message) => 're: ' + message),
        );
        send('end');
        assert.deepEqual(await status(), { code: Code.ok, message: '' });
        stream.end();
      });

      it('survive thousands of messages in a few data frames', async () => {
        const session = connect(`http://127.0.0.1:${toy.listener.port}`);
        const stream = session.request({
          ':method': 'POST',
          ':path': '/toy.Toy/EchoStream',
          'content-type': 'application/grpc',
          te: 'trailers',
        });
        let bytes = 0;
        stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
        const emptyMessages = Buffer.alloc(10_000 * 5);
        stream.write(emptyMessages);
        await until('all answers', () => bytes === 10_000 * (5 + 're: '.length));
        session.destroy();
      });

      it('end with a refusal', async () => {
        const { send, status } = openStream('/toy.Toy/EchoStream');
        send('refuse');
        assert.deepEqual(await status(), {
          code: Code.unavailable,
          message: 'etcdserver: no leader',
        });
        const refused = openStream('/toy.Toy/RefusedStream');
        assert.deepEqual(await refused.status(), {
          code: Code.failedPrecondition,
          message: 'etcdserver: not capable',
        });
      });

      it('end as internal when the service breaks, and the service is told that it is over', async () => {
        const { send, status, opened } = openStream('/toy.Toy/EchoStream');
        send('break');
        const ended = await status();
        assert.equal(ended.code, Code.internal);
        assert.doesNotMatch(ended.message, /secret/);
        assert.deepEqual((await opened()).events, ['break', '(cancelled)']);
      });

      it('stay open for answers after the client has half-closed', async () => {
        const { stream, messages, send, status, opened } = openStream('/toy.Toy/EchoStream');
        send('one');
        stream.end();
        const { out, events } = await opened();
        await until('half-close', () => events.includes('(half-closed)'));
        await until('one answer', () => messages.length === 1);
        out.write('later');
        await until('two answers', () => messages.length === 2);
        out.end();
        assert.equal((await status()).code, Code.ok);
        assert.equal(out.write('after the end'), false);
      });

      it('tell the service once when the client goes', async () => {
        const { stream, send, opened } = openStream('/toy.Toy/EchoStream');
        send('one');
        const { events, context } = await opened();
        await until('the message', () => events.length === 1);
        let told = 0;
        context.onCancel(() => told++);
        stream.cancel();
        await until('the cancel', () => events.includes('(cancelled)'));
        await sleep(20);
        assert.equal(events.filter((event) => event === '(cancelled)').length, 1);
        assert.equal(told, 1);
        assert.equal(context.cancelled, true);
      });

      it('send bytes that were encoded before as they are', async () => {
        const { messages, send, opened } = openStream('/toy.Toy/EchoStream');
        send('one');
        await until('one answer', () => messages.length === 1);
        const { out } = await opened();
        out.writeEncoded(new Uint8Array(Buffer.from('[raw]').subarray(1, 4)));
        await until('two answers', () => messages.length === 2);
        assert.equal(messages[1], 'raw');
        out.end();
      });

      it('hold back the next message until the last one is done with', async () => {
        const { stream, send, opened } = openStream('/toy.Toy/HoldBack');
        send('one');
        send('two');
        const { events } = await opened();
        await until('the first message', () => events.length === 1);
        await sleep(50);
        assert.deepEqual(events, ['one']);
        toy.releases.shift()!();
        await until('the second message', () => events.length === 2);
        toy.releases.shift()!();
        stream.cancel();
      });

      it('make a client that is not read from wait', async () => {
        const { stream, send, opened } = openStream('/toy.Toy/HoldBack');
        let accepted = 0;
        const message = 'x'.repeat(64 * 1024);
        for (let i = 0; i < 64; i++) if (send(message)) accepted++;
        await sleep(100);
        assert.ok(stream.writableLength > 32, `only ${stream.writableLength} messages held back`);
        assert.equal((await opened()).events.length, 1);
        assert.ok(accepted < 64);
        stream.cancel();
        for (const release of toy.releases.splice(0)) release();
      });

      it('count what a client does not read, and go on when it does', async () => {
        const slow = new ToyClient(`127.0.0.1:${toy.listener.port}`, {
          'grpc-node.flow_control_window': 65_535,
        });
        const number = toy.streams.length;
        const stream = slow.stream('/toy.Toy/EchoStream');
        let received = 0;
        stream.on('error', () => {});
        stream.on('data', (bytes: Buffer) => (received += bytes.length));
        stream.write(Buffer.from('one'));
        await until('the first answer', () => received > 0);
        stream.pause();
        const { out } = toy.streams[number]!;
        const message = 'y'.repeat(10_000);
        let written = 0;
        let most = 0;
        const writeSome = (): void => {
          let more = true;
          while (more && written < 1_000) {
            more = out.write(message);
            written++;
            most = Math.max(most, out.pendingBytes);
          }
        };
        out.onDrain(writeSome);
        writeSome();
        await sleep(100);
        const stalledAt = written;
        assert.ok(stalledAt < 200, `wrote ${stalledAt} messages that nobody read`);
        assert.ok(most < 64 * 1024 + message.length, `${most} bytes pending`);
        await sleep(50);
        assert.equal(written, stalledAt);

        stream.resume();
        await until(
          'all is read',
          () => written === 1_000 && received === written * message.length + 're: one'.length,
        );
        assert.ok(most < 64 * 1024 + message.length, `${most} bytes pending`);
        assert.equal(out.pendingBytes, 0);
        out.end();
        slow.close();
      });
    });
  });
