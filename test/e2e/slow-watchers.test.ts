/** Clients that have stopped reading their watches: what they cost the member, and everybody else. */
import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client as Channel, credentials } from '@grpc/grpc-js';
import { watchRequest } from '../../src/codec/index.js';
import { serverUnderTest } from './support/binaries.js';
import type { MeasuredRequest } from './support/measured-store.js';

const MIB = 2 ** 20;
const WATCHERS = 20;
const VALUE_BYTES = 20_000;
/** All of them fit into the window of recent changes. */
const PUTS = 700;
const PUTS_LATER = 100;
/** A response that catches up (512 KiB and a revision) twice, as gRPC copies it, and what goes before it. */
const LARGEST_PER_WATCHER_BYTES = 2 * MIB;

async function startMeasured(): Promise<{ child: ChildProcess; port: number }> {
  const path = fileURLToPath(new URL('support/measured-store.js', import.meta.url));
  const child = fork(path, { execArgv: ['--expose-gc'] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { child, port };
}

async function ask<T>(child: ChildProcess, request: MeasuredRequest): Promise<T> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the store's process has ended: ${code}`);
  });
  const answer = Promise.race([once(child, 'message'), ended]);
  child.send(request);
  return (await answer)[0] as T;
}

/** A watch of what is written, or of a key that nobody writes, whose client never reads. */
function neverRead(port: number, what: { key: string; prevKv: boolean }): () => void {
  const channel = new Channel(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
    'grpc.use_local_subchannel_pool': 1,
  });
  const identity = (bytes: Buffer) => bytes;
  const call = channel.makeBidiStreamRequest('/etcdserverpb.Watch/Watch', identity, identity);
  call.on('error', () => {});
  const request = {
    ...what,
    rangeEnd: `${what.key}~`,
    startRevision: 1,
    progressNotify: false,
    filters: [],
    watchId: 0n,
    fragment: false,
  };
  call.write(Buffer.from(watchRequest.encode({ kind: 'create', request })));
  return () => {
    call.cancel();
    channel.close();
  };
}

test(
  'clients that stop reading cost a bounded amount of memory, however much is written',
  { skip: serverUnderTest !== 'kvorum' && 'looks into the process of a Kvorum' },
  async () => {
    const { child, port } = await startMeasured();
    const closers: (() => void)[] = [];
    try {
      // While anybody watches, changes are kept in memory for those who will catch up.
      closers.push(neverRead(port, { key: 'quiet', prevKv: false }));
      await ask(child, { watchers: 1 });
      await ask(child, { put: VALUE_BYTES, times: PUTS });
      const close = Array.from({ length: WATCHERS }, (_, i) =>
        neverRead(port, { key: 'k', prevKv: i % 2 === 0 }),
      );
      await ask(child, { watchers: 1 + WATCHERS });
      await ask(child, { put: VALUE_BYTES, times: PUTS_LATER });
      const withThem = await ask<number>(child, 'measure');
      for (const one of close) one();
      await ask(child, { watchers: 1 });
      const without = await ask<number>(child, 'measure');
      const each = (withThem - without) / WATCHERS;
      const text = `${(each / MIB).toFixed(2)} MiB for each`;
      assert.ok(each < LARGEST_PER_WATCHER_BYTES, text);
      // The measurement sees them at all: a full HTTP/2 stream holds something.
      assert.ok(each > 16 * 1024, text);
    } finally {
      for (const one of closers) one();
      child.disconnect();
      await once(child, 'exit');
    }
  },
);
