/** Many leases kept alive, and many that end together. */
import { performance } from 'node:perf_hooks';
import type { Client } from '../../src/client/index.js';
import { watchOf } from '../../src/client/index.js';
import type { Bench, Line } from '../harness/line.js';
import { loadWhile, runCount, runLoad } from '../harness/load.js';
import { orderedKey, pause, putOf } from '../harness/requests.js';

const MANY = 100_000;
const EXPIRING = 10_000;
const STREAMS = 10;
const GRANTS_IN_FLIGHT = 200;
const PUTS_IN_FLIGHT = 10;
/** Renewals sent before their answers are waited for, on each stream. */
const WINDOW = 100;
const TTL_SECONDS = 3600;
/** Long enough to grant them all, attach a key to each and renew them. */
const EXPIRY_TTL_SECONDS = 20;

export const keepAlives: Line = {
  name: 'keep-alive',
  what: '100,000 leases, each granted and then kept alive over 10 streams',
  figures: [
    { name: 'grants', unit: '/s', better: 'more' },
    { name: 'keep-alives', unit: '/s', better: 'more' },
    { name: 'server CPU a keep-alive', unit: 'us', better: 'less' },
    { name: 'memory a lease', unit: 'KiB', better: 'less' },
  ],
  run: measureKeepAlives,
};

export const expiry: Line = {
  name: 'expiry',
  what: '10,000 leases with a key each expire together; 10 puts in flight meanwhile',
  figures: [
    { name: 'revoked', unit: '/s', better: 'more' },
    { name: 'most revoked in a second', unit: '/s' },
    { name: 'put p99 before', unit: 'ms', better: 'less' },
    { name: 'put p99 meanwhile', unit: 'ms', better: 'less' },
    { name: 'longest put meanwhile', unit: 'ms', better: 'less', goal: { atMost: 50 } },
    { name: 'first revoked after its TTL', unit: 's', better: 'less' },
  ],
  run: measureExpiry,
};

async function measureKeepAlives(bench: Bench): Promise<Record<string, number>> {
  const leases = bench.of(MANY);
  const server = await bench.start();
  const client = server.connect();
  await client.kv.put(putOf('warm-up'));
  const memoryBefore = server.memory().rssMiB;
  const grants = await grant(client, leases, TTL_SECONDS);
  const memoryAfter = server.memory().rssMiB;
  const cpuBefore = server.cpuSeconds();
  const begin = performance.now();
  await renewAll(client, leases);
  const seconds = (performance.now() - begin) / 1000;
  return {
    grants: leases / grants.seconds,
    'keep-alives': leases / seconds,
    'server CPU a keep-alive': ((server.cpuSeconds() - cpuBefore) / leases) * 1e6,
    'memory a lease': ((memoryAfter - memoryBefore) * 1024) / leases,
  };
}

/** Leases 1 to `count`. */
function grant(client: Client, count: number, ttl: number) {
  return runCount(GRANTS_IN_FLIGHT, count, (n) => client.lease.grant({ id: BigInt(n + 1), ttl }));
}

/** Renews leases 1 to `count` once. */
async function renewAll(client: Client, count: number): Promise<void> {
  await runCount(STREAMS, STREAMS, async (stream) => {
    const ids: bigint[] = [];
    for (let n = stream; n < count; n += STREAMS) ids.push(BigInt(n + 1));
    const keepAlive = await client.raw.keepAlive();
    const send = (i: number) => i < ids.length && keepAlive.send({ id: ids[i]! });
    for (let i = 0; i < WINDOW; i++) send(i);
    let answered = 0;
    for await (const { id, ttl } of keepAlive) {
      if (ttl <= 0) throw new Error(`lease ${id} is gone`);
      send(answered + WINDOW);
      if (++answered === ids.length) break;
    }
  });
}

async function measureExpiry(bench: Bench): Promise<Record<string, number>> {
  const leases = bench.of(EXPIRING);
  const server = await bench.start();
  const client = server.connect();
  const put = (n: number) => client.kv.put(putOf(orderedKey('/live/', n % 1000)));
  await grant(client, leases, EXPIRY_TTL_SECONDS);
  await runCount(GRANTS_IN_FLIGHT, leases, (n) =>
    client.kv.put(putOf(orderedKey('/leased/', n), 'v', BigInt(n + 1))),
  );
  const alone = await runLoad(PUTS_IN_FLIGHT, bench.seconds, put);
  const renewedMs = performance.now();
  await renewAll(client, leases);
  const revocations = watchRevocations(client, leases);
  await pause(EXPIRY_TTL_SECONDS * 1000 - (performance.now() - renewedMs) - 200);
  const { result: times, load } = await loadWhile(PUTS_IN_FLIGHT, revocations, put);
  return {
    revoked: rate(times),
    'most revoked in a second': mostInASecond(times),
    'put p99 before': alone.latencies.quantileMs(0.99),
    'put p99 meanwhile': load.latencies.quantileMs(0.99),
    'longest put meanwhile': load.latencies.longestMs,
    'first revoked after its TTL': (times[0]! - renewedMs) / 1000 - EXPIRY_TTL_SECONDS,
  };
}

/** When each of the leased keys went, ascending. */
async function watchRevocations(client: Client, leases: number): Promise<number[]> {
  const watch = await client.raw.watch();
  watch.send({ kind: 'create', request: { ...watchOf('/leased/'), rangeEnd: '/leased0' } });
  const times: number[] = [];
  for await (const { events } of watch) {
    for (const { type } of events) if (type === 'delete') times.push(performance.now());
    if (times.length >= leases) break;
  }
  return times;
}

function rate(times: readonly number[]): number {
  return times.length / ((times.at(-1)! - times[0]!) / 1000);
}

function mostInASecond(times: readonly number[]): number {
  let most = 0;
  let first = 0;
  for (let last = 0; last < times.length; last++) {
    while (times[last]! - times[first]! > 1000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
