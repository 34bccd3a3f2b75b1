/**
 * Three members; the leader is killed with SIGKILL again and again while clients write. Checked:
 * acknowledged means durable on every member, a put without an answer happens once or never, all
 * members end up equal, and writes go on within three seconds of each kill.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyValue } from './support/client.js';
import { Cluster } from './support/cluster.js';
import { PutLoad } from './support/put-load.js';
import { Random, seed } from './support/random.js';

const kills = 10;
const resumeWithinMs = 3000;
const prefix = 'leader-kill/';

function checkPairs(load: PutLoad, pairs: readonly KeyValue[], member: string): void {
  const attempted = new Map(load.puts.map((put) => [put.key, put]));
  for (const pair of pairs) {
    const put = attempted.get(pair.key);
    assert.ok(put, `${member} has ${pair.key}, which nobody put`);
    assert.equal(pair.value, put.value, `${member} has another value of ${pair.key}`);
    assert.equal(pair.version, 1, `${member} applied the put of ${pair.key} more than once`);
    if (put.revision !== undefined) assert.equal(pair.modRevision, put.revision);
  }
  const there = new Set(pairs.map((pair) => pair.key));
  const lost = load.acked.filter((put) => !there.has(put.key)).map((put) => put.key);
  assert.deepEqual(lost, [], `${member} lost acknowledged puts`);
}

async function checkEqual(cluster: Cluster, load: PutLoad): Promise<void> {
  await Promise.all(cluster.clients.map((client) => client.connected()));
  // A linearizable read brings each member up to date.
  const reads = await Promise.all(cluster.clients.map((client) => client.range(prefix)));
  const revision = Math.max(...reads.map((read) => read.revision));
  const copies = await Promise.all(
    cluster.clients.map((client) => client.all(prefix, { serializable: true })),
  );
  for (const [i, pairs] of copies.entries()) checkPairs(load, pairs, `m${i + 1}`);
  for (const pairs of copies) assert.deepEqual(pairs, copies[0]);
  const hashes = await Promise.all(cluster.clients.map((client) => client.hashKV(revision)));
  for (const hash of hashes) assert.deepEqual(hash, hashes[0], `HashKV at revision ${revision}`);
}

test(
  `the leader is killed ${kills} times under load (seed ${seed})`,
  { timeout: 180_000 },
  async (t) => {
    const random = new Random(seed);
    const cluster = await Cluster.start(3);
    after(() => cluster.stop());
    const load = new PutLoad(cluster.clients, {
      prefix,
      workers: 6,
      pauseMs: 5,
      probeEveryMs: 40,
      timeoutMs: 400,
    });
    await load.resumedAfterMs(performance.now(), 10_000);

    const resumed: number[] = [];
    for (let kill = 1; kill <= kills; kill++) {
      await sleep(200 + random.below(300));
      const leader = await cluster.leader();
      await cluster.members[leader]?.stop('SIGKILL');
      resumed.push(Math.round(await load.resumedAfterMs(performance.now(), 20_000)));
      await cluster.members[leader]?.start();
    }
    await load.stop();

    t.diagnostic(`writes resumed after ms: ${resumed.join(' ')}`);
    const unknown = load.puts.length - load.acked.length;
    t.diagnostic(`${load.acked.length} puts acknowledged, ${unknown} without an answer`);
    await checkEqual(cluster, load);
    assert.ok(load.acked.length > 500, 'there was hardly any load');
    assert.ok(
      Math.max(...resumed) <= resumeWithinMs,
      `writes resumed after ms: ${resumed.join(' ')}`,
    );
  },
);
