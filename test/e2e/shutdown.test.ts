/** Members that are asked to stop: they do so cleanly, and a cluster hardly notices. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverUnderTest } from './support/binaries.js';
import type { Child } from './support/child.js';
import { Client } from './support/client.js';
import { Cluster } from './support/cluster.js';
import { Member } from './support/member.js';
import { PutLoad } from './support/put-load.js';

/** etcd waits for open streams as long as for a request (5 s and two election timeouts). */
const stopWithinMs = serverUnderTest === 'etcd' ? 8000 : 3000;
const loadOptions = {
  prefix: 'shutdown/',
  workers: 4,
  pauseMs: 5,
  probeEveryMs: 20,
  timeoutMs: 1000,
};

// A process that ends by a signal is what a shell reports as 128 + its number: 143 and 130.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends a member by that signal, and nothing is lost`, async () => {
    const member = await Member.start();
    const client = new Client(member.endpoint);
    after(() => client.close());
    const revision = await client.put('a', '1');

    assert.deepEqual(await member.stop(signal), { code: null, signal });
    assert.match(member.process?.stderr ?? '', /"msg":"received signal; shutting down"/);

    await member.start();
    await client.connected();
    const [pair] = (await client.range('a')).kvs;
    assert.equal(pair?.value, '1');
    assert.equal(pair?.modRevision, revision);
    await member.stop();
  });
}

test('an open watch does not hold a member back, and ends with it', async () => {
  const member = await Member.start();
  const client = new Client(member.endpoint);
  after(() => client.close());
  const watch = client.watch('a');
  await client.put('a', '1');
  await watch.until(() => watch.events.length === 1, 5000);

  const begunMs = performance.now();
  await member.stop('SIGTERM');
  const tookMs = performance.now() - begunMs;
  assert.ok(tookMs < stopWithinMs, `took ${tookMs} ms`);
  await watch.until(() => watch.ended, 1000);
});

test('a leader hands over before it stops: writes go on within a second', async (t) => {
  const cluster = await Cluster.start(3);
  after(() => cluster.stop());
  const leader = await cluster.leader();
  const survivors = cluster.clients.filter((_, i) => i !== leader);
  const load = new PutLoad(survivors, loadOptions);
  await sleep(300);

  const stoppedMs = performance.now();
  const exit = await cluster.members[leader]?.stop('SIGTERM');
  const endedMs = performance.now();
  await sleep(1500);
  await load.stop();

  assert.deepEqual(exit, { code: null, signal: 'SIGTERM' });
  const gapMs = Math.round(load.longestGapMs(stoppedMs, endedMs + 1500));
  t.diagnostic(`longest time without an acknowledged put: ${gapMs} ms`);
  assert.ok(gapMs <= 1000, `no put was acknowledged for ${gapMs} ms`);

  const pairs = await survivors[0]?.all(loadOptions.prefix);
  const there = new Set(pairs?.map((pair) => pair.key));
  assert.deepEqual(
    load.acked.filter((put) => !there.has(put.key)),
    [],
  );
});

// etcd itself finishes its clean stop first, whatever comes meanwhile.
const skipSecond = serverUnderTest === 'etcd' && 'etcd ignores a second signal';

test('a second signal ends a member at once', { skip: skipSecond }, async () => {
  const cluster = await Cluster.start(3);
  after(() => cluster.stop());
  const leader = await cluster.leader();
  // Nobody can take over from the leader, so that its clean stop takes a while.
  for (const [i, member] of cluster.members.entries()) {
    if (i !== leader) member.process?.kill('SIGSTOP');
  }
  const stopping = cluster.members[leader]?.process as Child;
  stopping.kill('SIGTERM');
  await sleep(300);
  assert.equal(stopping.exit, undefined, 'it ended without waiting for a successor');

  const secondMs = performance.now();
  stopping.kill('SIGTERM');
  await stopping.until(() => stopping.exit !== undefined, 10_000, 'end after two signals');
  assert.deepEqual(stopping.exit, { code: null, signal: 'SIGTERM' });
  const tookMs = performance.now() - secondMs;
  assert.ok(tookMs < 500, `took ${tookMs} ms after the second signal`);
});
