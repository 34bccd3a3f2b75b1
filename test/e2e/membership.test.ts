/**
 * A cluster whose members are all replaced, one by one, while clients write: nothing is lost, writes never
 * stall for long, and who is removed ends and says why.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverUnderTest } from './support/binaries.js';
import { Client } from './support/client.js';
import { Cluster } from './support/cluster.js';
import { Member } from './support/member.js';
import { PutLoad } from './support/put-load.js';

const prefix = 'membership/';
const stallMs = 3000;
const FAILED_PRECONDITION = 9;
const UNAVAILABLE = 14;

interface MemberInfo {
  ID: string;
  name: string;
  peerURLs: string[];
}

/** Again until the members have been in touch for long enough, or the learner is near enough. */
async function whenReady<T>(code: number, change: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    try {
      return await change();
    } catch (error) {
      if ((error as { code?: number }).code !== code || performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

/** Adds `newcomer` as a learner, starts it, and promotes it. */
async function join(through: Client, newcomer: Member): Promise<void> {
  const request = { peerURLs: [newcomer.peerUrl], isLearner: true };
  const { member, members } = await whenReady(UNAVAILABLE, () =>
    through.call('Cluster/MemberAdd', request),
  );
  const { ID } = member as MemberInfo;
  const tooEarly = through.call('Cluster/MemberPromote', { ID });
  await assert.rejects(tooEarly, (error: { code: number; details: string }) => {
    assert.equal(error.code, FAILED_PRECONDITION);
    return /learner member which is in sync with leader/.test(error.details);
  });
  const others = (members as MemberInfo[]).filter((other) => other.ID !== ID);
  const initialCluster = others.map(({ name, peerURLs }) => `${name}=${peerURLs[0]}`);
  await newcomer.start({
    'initial-cluster-state': 'existing',
    'initial-cluster': [...initialCluster, `${newcomer.name}=${newcomer.peerUrl}`].join(','),
  });
  await whenReady(FAILED_PRECONDITION, () => through.call('Cluster/MemberPromote', { ID }));
}

/** Removes the member that `gone` runs, and waits for its end. */
async function leave(through: Client, gone: Member): Promise<void> {
  const { members } = await through.call('Cluster/MemberList', {});
  const { ID } = (members as MemberInfo[]).find(({ name }) => name === gone.name)!;
  await whenReady(UNAVAILABLE, () => through.call('Cluster/MemberRemove', { ID }));
  const child = gone.process!;
  await child.until(() => child.exit !== undefined, 20_000, 'end of a removed member');
  assert.deepEqual(child.exit, { code: 0, signal: null }, child.describe());
  if (serverUnderTest === 'kvorum')
    assert.match(child.stderr, /permanently removed from the cluster/);
}

test('all members are replaced under load', { timeout: 180_000 }, async (t) => {
  const cluster = await Cluster.start(3);
  const newcomers = await Promise.all([4, 5, 6].map((i) => Member.create({ name: `m${i}` })));
  const newClients = newcomers.map((member) => new Client(member.endpoint));
  after(async () => {
    newClients.forEach((client) => client.close());
    await cluster.stop();
    const started = newcomers.filter((member) => member.process);
    await Promise.all(started.map((member) => member.stop()));
  });
  const all = [...cluster.clients, ...newClients];
  const load = new PutLoad(all, {
    prefix,
    workers: 6,
    pauseMs: 5,
    probeEveryMs: 40,
    timeoutMs: 1000,
  });
  await load.resumedAfterMs(performance.now(), 30_000);
  const beganMs = performance.now();
  for (const [i, newcomer] of newcomers.entries()) {
    const through = all[i + 1]!; // of a member that stays for now
    await join(through, newcomer);
    await leave(through, cluster.members[i]!);
  }
  const endedMs = performance.now();
  await load.stop();

  const copies = await Promise.all(
    newClients.map((client) => whenReady(UNAVAILABLE, () => client.all(prefix))),
  );
  for (const pairs of copies) assert.deepEqual(pairs, copies[0]);
  const there = new Map(copies[0]!.map((pair) => [pair.key, pair]));
  for (const put of load.acked)
    assert.equal(there.get(put.key)?.modRevision, put.revision, put.key);
  assert.ok(copies[0]!.every(({ version }) => version === 1));
  const gapMs = load.longestGapMs(beganMs, endedMs);
  t.diagnostic(`${load.acked.length} puts acknowledged, longest gap ${Math.round(gapMs)} ms`);
  assert.ok(gapMs < stallMs, `no put was acknowledged for ${gapMs} ms`);
});
