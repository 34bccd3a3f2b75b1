import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { Code, etcdError, isEtcdError, statusError } from '../../../src/api/index.js';
import { DEFAULT_OPTIONS, createClient, rangeOf, type Client } from '../../../src/client/index.js';
import { startFakeServer, type FakeServer, type Script } from '../support/fake-server.js';

const toStop: { stop(): void }[] = [];
/** After each suite, not at the end: what still listens would keep the end from coming. */
function stopAll(): void {
  for (const each of toStop.splice(0)) each.stop();
}

async function serve(script: Script): Promise<FakeServer> {
  const server = await startFakeServer(script);
  toStop.push(server);
  return server;
}

function connect(endpoints: string[], options: Partial<typeof DEFAULT_OPTIONS> = {}): Client {
  const client = createClient({ ...DEFAULT_OPTIONS, ...options, endpoints });
  toStop.push({ stop: () => client.close() });
  return client;
}

/** host:port that refuses connections. */
async function deadEndpoint(): Promise<string> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return `127.0.0.1:${port}`;
}

const empty = { kvs: [], more: false, count: 0 };
const putOf = (key: string, value: string) => ({
  key,
  value,
  lease: 0n,
  prevKv: false,
  ignoreValue: false,
  ignoreLease: false,
});

describe('a call', () => {
  after(stopAll);

  test('goes to the next endpoint when one is not there', async () => {
    const { endpoint } = await serve({ unary: { range: () => ({ ...empty, count: 7 }) } });
    const client = connect([await deadEndpoint(), endpoint]);
    assert.equal((await client.kv.range(rangeOf('k'))).count, 7);
  });

  test('waits for a server that comes up in time', async () => {
    const late = await deadEndpoint();
    const client = connect([late]);
    const answer = client.kv.range(rangeOf('k'), { deadlineMs: Date.now() + 200 });
    await assert.rejects(answer, (error) => isEtcdError(error, 'contextDeadlineExceeded'));
  });

  test('ends at its deadline when the server does not answer', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    toStop.push({
      stop: () => {
        silent.close();
        for (const socket of sockets) socket.destroy();
      },
    });
    const { port } = silent.address() as { port: number };
    const client = connect([`127.0.0.1:${port}`], { dialTimeoutMs: 50 });
    await assert.rejects(client.kv.range(rangeOf('k'), { deadlineMs: Date.now() + 200 }), (error) =>
      isEtcdError(error, 'contextDeadlineExceeded'),
    );
  });

  test('that only reads is sent again when the server is unavailable', async () => {
    let calls = 0;
    const range = (): unknown => {
      if (++calls < 4) throw etcdError('leaderChanged');
      return empty;
    };
    const { endpoint } = await serve({ unary: { range } });
    await connect([endpoint]).kv.range(rangeOf('k'));
    assert.equal(calls, 4);
  });

  test('that writes is not: it may have been done', async () => {
    let calls = 0;
    const put = (): never => {
      calls++;
      throw etcdError('leaderChanged');
    };
    const { endpoint } = await serve({ unary: { put } });
    await assert.rejects(connect([endpoint]).kv.put(putOf('k', 'v')), (error) =>
      isEtcdError(error, 'leaderChanged'),
    );
    assert.equal(calls, 1);
  });

  test('a transaction counts as a read only if all of its operations are', async () => {
    let calls = 0;
    const txn = (): unknown => {
      if (++calls % 2 === 1) throw etcdError('leaderChanged');
      return { succeeded: true, responses: [] };
    };
    const { endpoint } = await serve({ unary: { txn } });
    const { kv } = connect([endpoint]);
    const read = { kind: 'range' as const, request: rangeOf('k') };
    const write = { kind: 'put' as const, request: putOf('k', 'v') };
    await kv.txn({ compare: [], success: [read], failure: [] });
    assert.equal(calls, 2);
    await assert.rejects(kv.txn({ compare: [], success: [read], failure: [write] }));
  });

  test('refusals keep name, code and text', async () => {
    const refusals = [etcdError('leaseNotFound'), statusError(Code.aborted, 'something else')];
    const { endpoint } = await serve({
      unary: {
        put: () => {
          throw refusals.shift()!;
        },
      },
    });
    const { kv } = connect([endpoint]);
    await assert.rejects(kv.put(putOf('k', 'v')), {
      name: 'leaseNotFound',
      code: Code.notFound,
      message: 'etcdserver: requested lease not found',
    });
    await assert.rejects(kv.put(putOf('k', 'v')), {
      name: 'status',
      code: Code.aborted,
      message: 'something else',
    });
  });

  test('after close is refused', async () => {
    const client = connect([await deadEndpoint()]);
    client.close();
    await assert.rejects(client.kv.range(rangeOf('k')), (error) =>
      isEtcdError(error, 'contextCanceled'),
    );
  });
});

describe('sizes', () => {
  after(stopAll);

  test('a request beyond the limit is not sent', async () => {
    let calls = 0;
    const put = (): unknown => {
      calls++;
      return {};
    };
    const { endpoint } = await serve({ unary: { put } });
    const { kv } = connect([endpoint]);
    await kv.put(putOf('k', 'v'.repeat(2 * 1024 * 1024 - 20)));
    await assert.rejects(kv.put(putOf('k', 'v'.repeat(2 * 1024 * 1024))), {
      code: Code.resourceExhausted,
      message: 'trying to send message larger than max (2097160 vs. 2097152)',
    });
    assert.equal(calls, 1);
  });

  test('an answer may be larger than four megabytes', async () => {
    const value = 'v'.repeat(6_000_000);
    const kv = { key: 'k', value, createRevision: 1, modRevision: 1, version: 1, lease: 0n };
    const range = (): unknown => ({ ...empty, kvs: [kv], count: 1 });
    const { endpoint } = await serve({ unary: { range } });
    const answer = await connect([endpoint]).kv.range(rangeOf('k'));
    assert.equal(answer.kvs[0]!.value.length, value.length);
    await assert.rejects(connect([endpoint], { maxReceiveBytes: 100 }).kv.range(rangeOf('k')), {
      code: Code.resourceExhausted,
      message: 'grpc: received message larger than max (6000021 vs. 100)',
    });
  });
});
