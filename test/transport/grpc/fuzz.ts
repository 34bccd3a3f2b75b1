/**
 * Feeds a transport with conversations that were sound until bytes and frames of them were changed, by
 * clients that read, read slowly, or don't. Whatever they say, the transport must neither throw nor hang
 * nor keep anything of them.
 */
import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { GrpcTransport } from '../../../src/transport/grpc/transport.js';
import {
  callBlock,
  frame,
  headers,
  lastMessage,
  literal,
  PADDED,
  ping,
  preface,
  priority,
  settings,
  settingsAck,
  windowUpdate,
} from '../../grpc/support/http2-frames.js';
import { newToy, toyMethods } from '../support/toy-service.js';

/** A small generator, so that a seed says all. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

type Random = (below: number) => number;

/** A client at whose side nothing is checked. */
class FuzzSocket extends Duplex {
  private held: (() => void)[] = [];
  writtenBytes = 0;

  /** A slow one takes what is written only when told to. */
  constructor(private readonly slow: boolean) {
    super({ highWaterMark: 16_384 });
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.writtenBytes += chunk.length;
    if (this.slow) this.held.push(done);
    else done();
  }

  takeHeld(): void {
    for (const done of this.held.splice(0)) done();
  }
}

const paths = [
  'Echo',
  'EchoLater',
  'Refuse',
  'Slow',
  'EchoStream',
  'HoldBack',
  'RefusedStream',
  'Frob',
];

function anyFrame(random: Random): Buffer {
  const id = 2 * random(8) + 1;
  const path = `/toy.Toy/${paths[random(paths.length)]}`;
  switch (random(14)) {
    case 0:
      return Buffer.concat([settings, settingsAck]);
    case 1:
      return ping;
    case 2:
      return priority;
    case 3:
      return windowUpdate;
    case 4:
      return frame(8, 0, id, Buffer.from([0, 0, random(256), random(256)]));
    case 5:
      return frame(3, 0, id, Buffer.from([0, 0, 0, 8]));
    case 6:
      return frame(4, 0, 0, Buffer.from([0, 1 + random(6), 0, 0, random(256), random(256)]));
    case 7:
      return frame(0, PADDED, id, Buffer.concat([Buffer.from([2]), Buffer.alloc(random(50))]));
    case 8: {
      const zipped = gzipSync('compressed');
      const fields = literal('grpc-encoding', 'gzip', 'withIndexing');
      const head = Buffer.concat([callBlock(path, 'host'), fields]);
      const prefix = Buffer.from([1, 0, 0, 0, zipped.length]);
      return Buffer.concat([headers(head, id), frame(0, 1, id, Buffer.concat([prefix, zipped]))]);
    }
    case 9: {
      const block = callBlock(path, 'host');
      const at = random(block.length);
      return Buffer.concat([
        frame(1, 1, id, block.subarray(0, at)),
        frame(9, 4, id, block.subarray(at)),
      ]);
    }
    case 10: {
      const timed = literal('grpc-timeout', `${random(20)}m`, 'withIndexing', true);
      return headers(Buffer.concat([callBlock(path, 'host'), timed]), id);
    }
    default:
      return Buffer.concat([
        headers(callBlock(path, random(2) === 0 ? 'host' : 62), id),
        lastMessage('x'.repeat(random(30)), id),
      ]);
  }
}

function mutate(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  for (let i = random(4); i > 0 && changed.length > 0; i--) {
    changed[random(changed.length)] = random(256);
  }
  if (random(10) > 0) return changed;
  const from = random(changed.length);
  return Buffer.concat([changed.subarray(0, from), changed.subarray(from + random(12))]);
}

async function converse(transport: GrpcTransport, random: Random): Promise<void> {
  const socket = new FuzzSocket(random(3) === 0);
  transport.inject(socket);
  const frames = Array.from({ length: 1 + random(30) }, () => anyFrame(random));
  const spoken = frames.map((one) => (random(4) === 0 ? mutate(one, random) : one));
  let bytes: Buffer = Buffer.concat([preface, settings, ...spoken]);
  if (random(20) === 0) bytes = mutate(bytes, random);
  for (let at = 0; at < bytes.length && !socket.destroyed;) {
    const size = 1 + random(random(3) === 0 ? 8 : 2_000);
    socket.push(bytes.subarray(at, at + size));
    at += size;
    if (random(5) === 0) await turn();
    if (random(4) === 0) socket.takeHeld();
  }
  await turn();
  socket.takeHeld();
  socket.on('error', () => {});
  if (random(2) === 0) socket.push(null);
  else socket.destroy(random(2) === 0 ? new Error('connection reset') : undefined);
  await turn();
  socket.takeHeld();
  socket.destroy();
  await turn();
}

/** Converses for `durationMs`; returns how often. Throws when something is kept. */
export async function fuzz(durationMs: number, seed: number): Promise<number> {
  const random = randomFrom(seed);
  const toy = newToy();
  const http = async () => ({ status: 200, body: 'plain' });
  const transport = new GrpcTransport({
    methods: toyMethods(toy),
    maxRequestBytes: 100_000,
    logger: () => {},
    http,
  });
  const until = performance.now() + durationMs;
  let count = 0;
  for (; performance.now() < until; count++) {
    await converse(transport, random);
    assert.equal(transport.openConnections, 0, `seed ${seed}, conversation ${count}`);
    assert.equal(transport.runningCalls, 0, `seed ${seed}, conversation ${count}`);
    for (const context of toy.contexts) void context.remote;
    toy.contexts.length = toy.streams.length = toy.releases.length = toy.finishSlow.length = 0;
  }
  transport.destroy();
  return count;
}
