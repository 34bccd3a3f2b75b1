/** What stands on the wire that a well-behaved client library would not show. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  callBlock,
  frame,
  headers,
  indexed,
  lastMessage,
  literal,
  PADDED,
  PRIORITY,
} from '../../grpc/support/http2-frames.js';
import { FrameClient } from '../support/frame-client.js';
import { startToy, type Toy } from '../support/toy-service.js';
import { until } from '../support/waiting.js';

let toy: Toy;
let client: FrameClient;
let id = 1;

before(async () => {
  toy = await startToy();
  client = await FrameClient.open(toy.listener.port);
  await client.greet();
});

after(async () => {
  client.close();
  await toy.listener.close();
});

/** A call of its own stream; more fields go behind those of every call. */
function call(path: string, fields: [string, string][] = []): number {
  id += 2;
  const more = fields.map(([name, value]) => literal(name, value, 'withoutIndexing'));
  client.say(headers(Buffer.concat([callBlock(path, 'host'), ...more]), id));
  return id;
}

function plain(method: string, path: string, fields: [string, string][] = []): number {
  id += 2;
  const block = [
    literal(2, method, 'withoutIndexing'),
    indexed(6),
    literal(4, path, 'withoutIndexing'),
    ...fields.map(([name, value]) => literal(name, value, 'withoutIndexing')),
  ];
  client.say(frame(1, 5, id, Buffer.concat(block)));
  return id;
}

function framed(bytes: Buffer, flag: number): Buffer {
  const prefix = Buffer.from([flag, 0, 0, 0, 0]);
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}

/** The HEADERS of a stream, first to last. */
const heads = (stream: number) =>
  client.frames
    .filter((one) => one.stream === stream && one.type === 1)
    .map(({ fields }) => fields!);

describe('an answer', () => {
  it('is three frames: headers, the message, trailers', async () => {
    const stream = call('/toy.Toy/Echo');
    client.say(lastMessage('hi', stream));
    assert.deepEqual(await client.trailers(stream), { 'grpc-status': '0', 'grpc-message': '' });
    const types = client.frames.filter((one) => one.stream === stream).map(({ type }) => type);
    assert.deepEqual(types, [1, 0, 1]);
    assert.deepEqual(heads(stream)[0], { ':status': '200', 'content-type': 'application/grpc' });
  });

  it('is headers alone when the call is refused', async () => {
    const stream = call('/toy.Toy/Frob');
    client.say(lastMessage('', stream));
    assert.deepEqual(await client.trailers(stream), {
      ':status': '200',
      'content-type': 'application/grpc',
      'grpc-status': '12',
      'grpc-message': 'unknown method Frob for service toy.Toy',
    });
    assert.equal(heads(stream).length, 1);
  });

  it('to calls that have been read together leaves in one write', async () => {
    const streams = Array.from({ length: 10 }, (_, i) => id + 2 * (i + 1));
    id = streams.at(-1)!;
    let chunks = 0;
    const count = (): number => chunks++;
    client.socket.on('data', count);
    const calls = streams.flatMap((stream) => [
      headers(callBlock('/toy.Toy/EchoLater', 'host'), stream),
      lastMessage('hi', stream),
    ]);
    client.say(...calls);
    await Promise.all(streams.map((stream) => client.trailers(stream)));
    client.socket.off('data', count);
    assert.ok(chunks <= 2, `${chunks} chunks`);
  });
});

describe('a request', () => {
  it('may come with padding, a priority and trailers', async () => {
    id += 2;
    const block = callBlock('/toy.Toy/Echo', 'host');
    const padding = Buffer.alloc(3);
    const weight = Buffer.from([0, 0, 0, 0, 9]);
    const data = lastMessage('padded', id).subarray(9);
    client.say(
      frame(
        1,
        4 | PADDED | PRIORITY,
        id,
        Buffer.concat([Buffer.from([3]), weight, block, padding]),
      ),
      frame(0, PADDED, id, Buffer.concat([Buffer.from([3]), data, padding])),
      frame(1, 5, id, literal('x-trailer', '1', 'withoutIndexing')),
    );
    assert.equal(await client.answer(id), 'padded');
  });

  it('may come in as many frames as it has bytes', async () => {
    const stream = call('/toy.Toy/Echo');
    const bytes = framed(Buffer.from('byte by byte'), 0);
    for (const byte of bytes) client.say(frame(0, 0, stream, Uint8Array.of(byte)));
    client.say(frame(0, 1, stream, new Uint8Array(0)));
    assert.equal(await client.answer(stream), 'byte by byte');
  });

  it('without a message, or with half of one, is refused', async () => {
    const none = call('/toy.Toy/Echo');
    client.say(frame(0, 1, none, new Uint8Array(0)));
    assert.equal((await client.trailers(none))['grpc-message'], 'grpc: the request has no message');
    const half = call('/toy.Toy/Echo');
    client.say(frame(0, 1, half, framed(Buffer.from('half'), 0).subarray(0, 7)));
    assert.equal((await client.trailers(half))['grpc-message'], 'grpc: unexpected EOF');
  });

  it('on a stream ends with its message whole, or is refused', async () => {
    const stream = call('/toy.Toy/EchoStream');
    client.say(frame(0, 1, stream, framed(Buffer.from('half'), 0).subarray(0, 7)));
    assert.equal((await client.trailers(stream))['grpc-message'], 'grpc: unexpected EOF');
    assert.deepEqual(toy.streams.at(-1)!.events, ['(cancelled)']);
  });

  it('that does not decode ends a stream for its service, too', async () => {
    const stream = call('/toy.Toy/EchoStream');
    client.say(frame(0, 0, stream, framed(Buffer.from('garbage'), 0)));
    assert.equal((await client.trailers(stream))['grpc-status'], '13');
    assert.deepEqual(toy.streams.at(-1)!.events, ['(cancelled)']);
    assert.equal(toy.streams.at(-1)!.context.cancelled, true);
  });

  it('may be compressed, and then the answer is', async () => {
    const stream = call('/toy.Toy/Echo', [['grpc-encoding', 'gzip']]);
    client.say(frame(0, 1, stream, framed(gzipSync('z'.repeat(1_000)), 1)));
    await client.trailers(stream);
    assert.equal(heads(stream)[0]!['grpc-encoding'], 'gzip');
    const { payload } = client.frames.find((one) => one.stream === stream && one.type === 0)!;
    assert.equal(payload[0], 1);
    assert.equal(String(gunzipSync(payload.subarray(5))), 'z'.repeat(1_000));
  });

  it('that is compressed in a way that was not said, or is not known, is refused', async () => {
    const silent = call('/toy.Toy/Echo');
    client.say(frame(0, 1, silent, framed(gzipSync('z'), 1)));
    assert.equal(
      (await client.trailers(silent))['grpc-message'],
      'grpc: compressed flag set with identity or empty encoding',
    );
    const unknown = call('/toy.Toy/Echo', [['grpc-encoding', 'snappy']]);
    client.say(frame(0, 1, unknown, framed(Buffer.from('z'), 1)));
    const refusal = await client.trailers(unknown);
    assert.equal(refusal['grpc-status'], '12');
    assert.equal(
      refusal['grpc-message'],
      'grpc: Decompressor is not installed for grpc-encoding "snappy"',
    );
  });

  it('that is too large only when decompressed is refused', async () => {
    const stream = call('/toy.Toy/Echo', [['grpc-encoding', 'gzip']]);
    client.say(frame(0, 1, stream, framed(gzipSync(Buffer.alloc(4_000_000)), 1)));
    const refusal = await client.trailers(stream);
    assert.equal(refusal['grpc-status'], '8');
    assert.match(refusal['grpc-message']!, /^grpc: received message after decompression larger/);
  });

  it('may have binary metadata', async () => {
    const stream = call('/toy.Toy/Meta', [
      ['token-bin', Buffer.from([0, 255, 1]).toString('base64')],
    ]);
    client.say(lastMessage('token-bin', stream));
    assert.equal(await client.answer(stream), '\x00\xff\x01');
  });

  it('with a malformed timeout is refused; one that has run out is, too', async () => {
    const malformed = call('/toy.Toy/Echo', [['grpc-timeout', '5 s']]);
    client.say(lastMessage('', malformed));
    assert.equal((await client.trailers(malformed))['grpc-status'], '13');
    const over = call('/toy.Toy/Slow', [['grpc-timeout', '1n']]);
    client.say(lastMessage('', over));
    const { 'grpc-status': status, 'grpc-message': text } = await client.trailers(over);
    assert.deepEqual([status, text], ['4', 'context deadline exceeded']);
  });

  it('by another method than POST is refused', async () => {
    const stream = plain('GET', '/toy.Toy/Echo', [['content-type', 'application/grpc+proto']]);
    assert.match((await client.trailers(stream))['grpc-message']!, /"GET" which should be POST$/);
  });

  it('may say its authority as a URL, and again from the table', async () => {
    const old = await FrameClient.open(toy.listener.port);
    await old.greet();
    old.say(...old.echo('http://127.0.0.1:2379', 'first', 1), ...old.echo(62, 'second', 3));
    assert.equal(await old.answer(1), 'first');
    assert.equal(await old.answer(3), 'second');
    old.close();
  });
});

describe('a request that is not gRPC', () => {
  const body = (stream: number): string =>
    Buffer.concat(
      client.frames
        .filter((one) => one.stream === stream && one.type === 0)
        .map((one) => one.payload),
    ).toString();

  it('is answered as HTTP/1.1 is', async () => {
    const stream = plain('GET', '/hello?q=7');
    await until('the answer', () => body(stream) !== '');
    assert.equal(body(stream), 'GET 7');
    const head = heads(stream)[0]!;
    assert.equal(head[':status'], '200');
    assert.equal(head['content-length'], '5');
    assert.equal(head['access-control-allow-origin'], '*');
  });

  it('may have a body, be refused, and fail', async () => {
    const missing = plain('GET', '/nowhere');
    await until('404', () => body(missing) !== '');
    assert.equal(heads(missing)[0]![':status'], '404');
    const failing = plain('GET', '/fail');
    await until('500', () => body(failing) !== '');
    assert.equal(heads(failing)[0]![':status'], '500');
    assert.doesNotMatch(body(failing), /secret/);
  });

  it('has no body in its answer to HEAD', async () => {
    const stream = plain('HEAD', '/hello');
    assert.equal((await client.trailers(stream))[':status'], '200');
    assert.equal(body(stream), '');
  });
});
