// node examples/simulate.mjs [PAGE.html]
//
// Three members, of which the first is cut off for a while and another loses power; two programs of our
// own count in one key by compare-and-swap. The simulator judges the store; we judge what we built on it:
// no acknowledged increment may be lost. Change the seed and the same faults meet another timing.
import { writeFileSync } from 'node:fs';
import {
  PictureRecorder,
  Simulation,
  modRevisionIs,
  pageOf,
  putRequest,
  rangeRequest,
  txnRequest,
} from 'kvorum/sim';

const KEY = 'count';
const scenario = {
  seed: 1,
  members: 3,
  durationMs: 10_000,
  faults: [
    { kind: 'partition', atMs: 3000, groups: [[0], [1, 2]], forMs: 3000 },
    { kind: 'crash', atMs: 7000, node: 1, powerLoss: true, downMs: 1500 },
  ],
  traffic: [],
};

const tally = { acknowledged: 0, unknown: 0, final: 0 };

/** Counts until the run ends. A member that does not answer is left for the next one. */
async function count(client) {
  let member = client.id;
  while (!client.stopping) {
    const counted = await increment(client, member);
    if (!counted) member++;
    await client.sleep(100);
  }
}

/** False when the member did not answer. */
async function increment(client, member) {
  const read = await client.call(member, 'range', rangeRequest(KEY));
  if (read.kind !== 'ok') return false;
  const [pair] = read.response.kvs;
  const next = String(Number(pair?.value ?? 0) + 1);
  const swap = txnRequest({
    compare: [modRevisionIs(KEY, pair?.modRevision ?? 0)],
    success: [{ kind: 'put', request: putRequest(KEY, next) }],
  });
  const swapped = await client.call(member, 'txn', swap);
  if (swapped.kind === 'unknown') tally.unknown++; // it may have happened
  if (swapped.kind === 'ok' && swapped.response.succeeded) tally.acknowledged++;
  return swapped.kind === 'ok';
}

/** Reads the count when the others have come to an end and everything has healed. */
async function audit(client) {
  while (!client.stopping) await client.sleep(1000);
  const read = await client.call(2, 'range', rangeRequest(KEY));
  if (read.kind === 'ok') tally.final = Number(read.response.kvs[0]?.value ?? 0);
}

const recorder = new PictureRecorder();
const clients = [count, count, audit];
const result = await new Simulation(scenario, { clients, trace: recorder.listener }).run();

const { acknowledged, unknown, final } = tally;
const isCounted = acknowledged <= final && final <= acknowledged + unknown;
console.log(`${(result.virtualMs / 1000).toFixed(1)} virtual seconds, ${result.events} events`);
console.log(`${acknowledged} increments acknowledged, ${unknown} of unknown outcome: ${final}`);
for (const { promise, explanation } of result.violations) console.log(`${promise}: ${explanation}`);
if (!isCounted) console.log('an increment was lost, or happened twice');
const isGood = isCounted && result.violations.length === 0;
console.log(isGood ? 'every promise was kept' : 'promises were broken');

const file = process.argv[2];
if (file !== undefined) {
  const picture = recorder.picture(result, {
    title: 'Counting through a partition',
    command: 'node examples/simulate.mjs',
  });
  writeFileSync(file, pageOf(picture));
}
process.exitCode = isGood ? 0 : 1;
