/** A watcher far behind reads all of history while others write. */
import { performance } from 'node:perf_hooks';
import { DEFAULT_OPTIONS, createClient, watchOf } from '../../src/client/index.js';
import type { Bench, Line } from '../harness/line.js';
import { loadWhile, runLoad } from '../harness/load.js';
import { fill, orderedKey, putOf } from '../harness/requests.js';
import { elsewhere } from '../harness/worker.js';

const EVENTS = 1_000_000;
const KEYS = 10_000;
const IN_FLIGHT = 10;

export const watchBehind: Line = {
  name: 'watch-behind',
  what: 'a watcher 1,000,000 events behind catches up; 10 puts in flight meanwhile',
  figures: [
    { name: 'catching up', unit: 'events/s', better: 'more' },
    { name: 'put p99 before', unit: 'ms', better: 'less' },
    { name: 'put p99 meanwhile', unit: 'ms', better: 'less' },
    { name: 'longest put meanwhile', unit: 'ms', better: 'less', goal: { atMost: 100 } },
    { name: 'puts meanwhile', unit: '/s', better: 'more' },
  ],
  run: measure,
};

async function measure(bench: Bench): Promise<Record<string, number>> {
  const server = await bench.start();
  const client = server.connect();
  const [events, keys] = [bench.of(EVENTS), bench.of(KEYS)];
  await fill(client, 0, events, (n) => orderedKey('/history/', n % keys));
  const put = (n: number) => client.kv.put(putOf(orderedKey('/live/', n % keys)));
  const alone = await runLoad(IN_FLIGHT, bench.seconds, put);
  const request: CatchUp = { endpoint: server.endpoint, prefix: '/history/', events };
  const catchUpSeconds = elsewhere<number>(import.meta.url, 'catchUp', request);
  const { result: seconds, load } = await loadWhile(IN_FLIGHT, catchUpSeconds, put);
  return {
    'catching up': events / seconds,
    'put p99 before': alone.latencies.quantileMs(0.99),
    'put p99 meanwhile': load.latencies.quantileMs(0.99),
    'longest put meanwhile': load.latencies.longestMs,
    'puts meanwhile': load.requests / load.seconds,
  };
}

interface CatchUp {
  endpoint: string;
  prefix: string;
  events: number;
}

/** Watches `prefix` from the first revision and says how many seconds `events` events took. */
export async function catchUp({ endpoint, prefix, events }: CatchUp): Promise<number> {
  const client = createClient({ ...DEFAULT_OPTIONS, endpoints: [endpoint] });
  const begin = performance.now();
  const watch = await client.raw.watch();
  const rangeEnd = prefix.slice(0, -1) + '0'; // '0' follows '/'
  const request = { ...watchOf(prefix), rangeEnd, startRevision: 1 };
  watch.send({ kind: 'create', request });
  let seen = 0;
  for await (const answer of watch) {
    seen += answer.events.length;
    if (answer.canceled) throw new Error(`the watch was canceled: ${answer.cancelReason}`);
    if (seen >= events) break;
  }
  const seconds = (performance.now() - begin) / 1000;
  client.close();
  return seconds;
}
