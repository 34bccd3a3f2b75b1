// Tests a counter that several programs share, on a cluster that crashes, loses messages and loses power,
// all in one process and in virtual time:
//
//     node examples/simulate-a-counter.mjs [first seed] [seeds]
//
// Each client reads the counter and writes the next number, but only if nobody else was faster. So no number
// may be given to two of them. Take the comparison out, and a seed that shows the mistake is found at once.
import {
  Simulation,
  modRevisionIs,
  putRequest,
  rangeRequest,
  scenarioOf,
  txnRequest,
} from 'kvorum/sim';

const KEY = 'counter';

/** Takes numbers until the run wants its clients to end. */
async function count(client, taken) {
  for (let i = 0; !client.stopping; i++) {
    const read = await client.call(i, 'range', rangeRequest(KEY));
    if (read.kind === 'ok') await takeNext(client, i, read.response.kvs[0], taken);
    await client.sleep(50);
  }
}

async function takeNext(client, place, pair, taken) {
  const number = pair === undefined ? 1 : Number(pair.value) + 1;
  const request = txnRequest({
    compare: [modRevisionIs(KEY, pair?.modRevision ?? 0)],
    success: [{ kind: 'put', request: putRequest(KEY, `${number}`) }],
  });
  const written = await client.call(place, 'txn', request);
  if (written.kind === 'ok' && written.response.succeeded) taken.push(number);
}

const [first = 1, seeds = 5] = process.argv.slice(2).map(Number);
for (let seed = first; seed < first + seeds; seed++) {
  // The seed's faults, without its traffic: ours takes its place.
  const scenario = { ...scenarioOf(seed, { members: 3, seconds: 20 }), traffic: [] };
  const taken = [];
  const clients = Array.from({ length: 4 }, () => (client) => count(client, taken));
  const { violations, virtualMs } = await new Simulation(scenario, { clients }).run();
  const twice = taken.filter((number, i) => taken.indexOf(number) !== i);
  console.log(
    `seed ${seed}: ${taken.length} numbers in ${(virtualMs / 1000).toFixed(0)} virtual seconds,`,
    `${scenario.faults.length} faults, ${twice.length} numbers given twice,`,
    `${violations.length} promises of the store broken`,
  );
  if (twice.length > 0 || violations.length > 0) process.exitCode = 1;
}
