/**
 * One member is killed with SIGKILL at random moments under load, and started again on the same data
 * dir. Checked after each start: nothing acknowledged is lost, nothing happened twice or in part,
 * revisions and the counter never go back, leases and compactions have survived.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './support/client.js';
import { History } from './support/history.js';
import { Member } from './support/member.js';
import { Random, seed } from './support/random.js';

const kills = 50;
const leaseTtlSeconds = 3600;
/** A short election makes the restarts short; the load does not depend on it. */
const flags = { 'heartbeat-interval': '20', 'election-timeout': '200' };

/** Repeats `step` until the member is killed, which is when there is no answer any more. */
async function untilKilled(killed: AbortSignal, step: () => Promise<unknown>): Promise<void> {
  try {
    while (!killed.aborted) {
      await step();
      await sleep(2);
    }
  } catch (error) {
    // Only the loss of the connection ends the load; a refusal is a failure of the test.
    assert.match(String((error as Error).message), /^(14 UNAVAILABLE|1 CANCELLED)/);
  }
}

async function useLease(history: History, random: Random): Promise<void> {
  const lease = await history.grant(leaseTtlSeconds);
  await history.put(lease);
  await history.put(lease);
  if (random.chance(0.5)) await history.revoke(lease);
  await sleep(20);
}

async function compact(history: History, random: Random): Promise<void> {
  await sleep(20 + random.below(60));
  await history.compact(history.revision - random.below(20));
}

async function load(history: History, random: Random, killed: AbortSignal): Promise<void> {
  const steps = [
    () => history.put(),
    () => history.put(),
    () => history.put(),
    () => history.count(),
    () => useLease(history, random),
    () => compact(history, random),
  ];
  await Promise.all(steps.map((step) => untilKilled(killed, step)));
}

async function killUnderLoad(member: Member, history: History, random: Random): Promise<void> {
  const killed = new AbortController();
  const working = load(history, random, killed.signal);
  await sleep(random.below(200));
  await member.stop('SIGKILL');
  killed.abort();
  await working;
}

/** Kills a member that may not be serving yet. */
async function killDuringStart(member: Member, random: Random): Promise<void> {
  const child = member.spawn();
  await sleep(random.below(400));
  assert.equal(child.exit, undefined, 'the member ended by itself');
  await member.stop('SIGKILL');
}

test(
  `a member is killed ${kills} times under load (seed ${seed})`,
  { timeout: 240_000 },
  async (t) => {
    const random = new Random(seed);
    const member = await Member.start({ flags });
    const client = new Client(member.endpoint);
    after(async () => {
      client.close();
      await member.stop();
    });
    const history = new History(client, 'single-kill/');

    for (let kill = 1; kill <= kills; kill++) {
      await killUnderLoad(member, history, random);
      while (kill < kills && random.chance(0.15)) {
        await killDuringStart(member, random);
        kill++;
      }
      await member.start();
      await client.connected();
      await history.check();
    }

    const acked = [...history.puts.values()].filter((put) => put.outcome === 'acked');
    t.diagnostic(
      `${acked.length} of ${history.puts.size} puts acknowledged, ${history.leases.length} leases, ` +
        `counter at ${history.counts.length}, compacted at ${history.compactAcked}, ` +
        `revision ${history.revision}`,
    );
    assert.ok(acked.length > 200, 'there was hardly any load');
    assert.ok(history.leases.length > 20 && history.compactAcked > 0);
  },
);
