/** What a large keyspace costs: each put, memory, and the time to open it again. */
import type { Client } from '../../src/client/index.js';
import type { Bench, Line } from '../harness/line.js';
import { runLoad } from '../harness/load.js';
import { fill, keyOf, pause, putOf } from '../harness/requests.js';
import type { Server } from '../harness/server.js';

const FEW = 10_000;
const MANY = 1_000_000;
const IN_FLIGHT = 200;
/** Until garbage of the filling is collected and files are merged. */
const SETTLE_MS = 5000;

export const keyspaceSize: Line = {
  name: 'keys',
  what: 'puts over 10,000 and over 1,000,000 keys (64 B + 256 B, any order), memory, cold open',
  figures: [
    { name: 'put, 10,000 keys', unit: '/s', better: 'more' },
    { name: 'put, 1,000,000 keys', unit: '/s', better: 'more' },
    { name: 'cost of a put, many : few', unit: 'x', better: 'less', goal: { atMost: 1.3 } },
    { name: 'server CPU a put, 10,000 keys', unit: 'us', better: 'less' },
    { name: 'server CPU a put, 1,000,000 keys', unit: 'us', better: 'less' },
    { name: 'RSS, filled', unit: 'MiB', better: 'less', goal: { ratioAtMost: 1 } },
    { name: 'RSS, filled, without files', unit: 'MiB', better: 'less' },
    { name: 'cold open', unit: 's', better: 'less', goal: { ratioAtMost: 2 } },
    { name: 'RSS, opened', unit: 'MiB', better: 'less', goal: { ratioAtMost: 1 } },
    { name: 'RSS, opened, without files', unit: 'MiB', better: 'less' },
  ],
  run: measure,
};

async function measure(bench: Bench): Promise<Record<string, number>> {
  const server = await bench.start();
  const client = server.connect();
  const [few, many] = [bench.of(FEW), bench.of(MANY)];
  await fill(client, 0, few, keyOf);
  const small = await putsOver(server, client, few, bench.seconds);
  await fill(client, few, many, keyOf);
  await pause(SETTLE_MS);
  const filled = server.memory();
  const large = await putsOver(server, client, many, bench.seconds);
  const openSeconds = await server.reopen();
  await pause(SETTLE_MS);
  const opened = server.memory();
  return {
    'put, 10,000 keys': small.rate,
    'put, 1,000,000 keys': large.rate,
    'cost of a put, many : few': small.rate / large.rate,
    'server CPU a put, 10,000 keys': small.cpuUs,
    'server CPU a put, 1,000,000 keys': large.cpuUs,
    'RSS, filled': filled.rssMiB,
    'RSS, filled, without files': filled.anonymousMiB,
    'cold open': openSeconds,
    'RSS, opened': opened.rssMiB,
    'RSS, opened, without files': opened.anonymousMiB,
  };
}

/** Overwrites keys out of `keys`, scattered. */
async function putsOver(server: Server, client: Client, keys: number, seconds: number) {
  const cpuBefore = server.cpuSeconds();
  let puts = 0;
  const load = await runLoad(IN_FLIGHT, seconds, () =>
    client.kv.put(putOf(keyOf((puts++ * 7919) % keys))),
  );
  const cpuUs = ((server.cpuSeconds() - cpuBefore) / puts) * 1e6;
  return { rate: load.requests / load.seconds, cpuUs };
}
