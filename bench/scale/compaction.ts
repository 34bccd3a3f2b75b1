/** A compaction of a long history under load. */
import { performance } from 'node:perf_hooks';
import type { Bench, Line } from '../harness/line.js';
import { loadWhile, runLoad } from '../harness/load.js';
import { fill, orderedKey, putOf } from '../harness/requests.js';

const RECORDS = 1_000_000;
const KEYS = 100_000;
const IN_FLIGHT = 10;

export const compaction: Line = {
  name: 'compaction',
  what: '1,000,000 records of 100,000 keys compacted to their newest; 10 puts in flight meanwhile',
  figures: [
    { name: 'until physically done', unit: 's', better: 'less' },
    { name: 'put p99 before', unit: 'ms', better: 'less' },
    { name: 'put p99 meanwhile', unit: 'ms', better: 'less' },
    { name: 'longest put before', unit: 'ms', better: 'less' },
    { name: 'longest put meanwhile', unit: 'ms', better: 'less', goal: { atMost: 50 } },
    { name: 'puts meanwhile', unit: '/s', better: 'more' },
  ],
  run: measure,
};

async function measure(bench: Bench): Promise<Record<string, number>> {
  const server = await bench.start();
  const client = server.connect();
  const [records, keys] = [bench.of(RECORDS), bench.of(KEYS)];
  await fill(client, 0, records, (n) => orderedKey('/compacted/', n % keys));
  const put = (n: number) => client.kv.put(putOf(orderedKey('/live/', n % 1000)));
  const alone = await runLoad(IN_FLIGHT, bench.seconds, put);
  const { header } = await client.kv.put(putOf('last'));
  const compacted = client.kv.compact({ revision: header!.revision, physical: true });
  const begin = performance.now();
  const { load } = await loadWhile(IN_FLIGHT, compacted, put);
  return {
    'until physically done': (performance.now() - begin) / 1000,
    'put p99 before': alone.latencies.quantileMs(0.99),
    'put p99 meanwhile': load.latencies.quantileMs(0.99),
    'longest put before': alone.latencies.longestMs,
    'longest put meanwhile': load.latencies.longestMs,
    'puts meanwhile': load.requests / load.seconds,
  };
}
