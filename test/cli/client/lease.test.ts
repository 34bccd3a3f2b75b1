import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Code, isEtcdError } from '../../../src/api/index.js';
import { DEFAULT_OPTIONS, createClient, type LeaseClient } from '../../../src/client/index.js';
import { startFakeServer, type FakeStream } from '../support/fake-server.js';

const toStop: { stop(): void }[] = [];
/** After each suite, not at the end: what still listens would keep the end from coming. */
function stopAll(): void {
  for (const each of toStop.splice(0)) each.stop();
}

async function leaseClient(talk: (stream: FakeStream) => Promise<void>): Promise<LeaseClient> {
  const server = await startFakeServer({
    stream: { leaseKeepAlive: (stream) => void talk(stream) },
  });
  const client = createClient({ ...DEFAULT_OPTIONS, endpoints: [server.endpoint] });
  toStop.push({ stop: () => client.close() }, server);
  return client.lease;
}

describe('keepAliveOnce', () => {
  after(stopAll);

  test('renews once', async () => {
    const lease = await leaseClient(async (stream) => {
      assert.deepEqual(await stream.requests(1), [{ id: -7n }]);
      stream.send({ id: -7n, ttl: 60 });
    });
    assert.equal((await lease.keepAliveOnce(-7n)).ttl, 60);
  });

  test('a lease that is gone is a refusal', async () => {
    const lease = await leaseClient(async (stream) => stream.send({ id: 7n, ttl: 0 }));
    await assert.rejects(lease.keepAliveOnce(7n), (error) => isEtcdError(error, 'leaseNotFound'));
  });

  test('tries again when the stream breaks', async () => {
    let streams = 0;
    const lease = await leaseClient(async (stream) => {
      if (++streams === 1) stream.fail(Code.unavailable, 'gone');
      else stream.send({ id: 7n, ttl: 60 });
    });
    assert.equal((await lease.keepAliveOnce(7n)).ttl, 60);
  });
});

describe('keepAlive', () => {
  after(stopAll);

  test('renews until the lease is gone', async () => {
    const lease = await leaseClient(async (stream) => {
      await stream.requests(1);
      stream.send({ id: 7n, ttl: 1 });
      await stream.requests(2);
      stream.send({ id: 7n, ttl: 0 });
    });
    const ttls: number[] = [];
    for await (const { ttl } of lease.keepAlive(7n)) ttls.push(ttl);
    assert.deepEqual(ttls, [1]);
  });

  test('goes on over a broken stream', async () => {
    let streams = 0;
    const lease = await leaseClient(async (stream) => {
      await stream.requests(1);
      stream.send({ id: 7n, ttl: 1 });
      if (++streams === 1) setTimeout(() => stream.fail(Code.unavailable, 'gone'), 10);
    });
    let renewed = 0;
    for await (const { ttl } of lease.keepAlive(7n)) {
      assert.equal(ttl, 1);
      if (++renewed === 2) break;
    }
    assert.equal(streams, 2);
  });
});
