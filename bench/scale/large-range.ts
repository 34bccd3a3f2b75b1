/** Reading a hundred thousand keys while others make small requests. */
import { performance } from 'node:perf_hooks';
import * as codec from '../../src/codec/index.js';
import { DEFAULT_OPTIONS, createClient, rangeOf } from '../../src/client/index.js';
import type { Bench, Line } from '../harness/line.js';
import { loadWhile, runLoad } from '../harness/load.js';
import { fill, orderedKey, putOf } from '../harness/requests.js';
import { elsewhere } from '../harness/worker.js';

const KEYS = 100_000;
const PAGE = 1000;
const IN_FLIGHT = 10;
const RANGE_PATH = '/etcdserverpb.KV/Range';

const MANNERS = ['at once', 'in pages'] as const;

export const largeRange: Line = {
  name: 'range',
  what: '100,000 keys (64 B + 256 B) read again and again; 10 gets and puts in flight meanwhile',
  figures: [
    { name: 'others alone, p99', unit: 'ms', better: 'less' },
    ...MANNERS.flatMap((manner) => [
      { name: `${manner}, keys read`, unit: '/s', better: 'more' as const },
      { name: `${manner}, others p99`, unit: 'ms', better: 'less' as const },
      {
        name: `${manner}, others longest`,
        unit: 'ms',
        better: 'less' as const,
        goal: { atMost: 100 },
      },
    ]),
  ],
  run: measure,
};

async function measure(bench: Bench): Promise<Record<string, number>> {
  const server = await bench.start();
  const client = server.connect();
  const keys = bench.of(KEYS);
  await fill(client, 0, keys, (n) => orderedKey('/listed/', n));
  const others = (n: number) => {
    const key = orderedKey('/live/', n % 1000);
    return n % 2 === 0 ? client.kv.put(putOf(key)) : client.kv.range(rangeOf(key));
  };
  const alone = await runLoad(IN_FLIGHT, bench.seconds, others);
  const figures: Record<string, number> = {
    'others alone, p99': alone.latencies.quantileMs(0.99),
  };
  for (const manner of MANNERS) {
    const limit = manner === 'at once' ? 0 : PAGE;
    const request: Reading = { endpoint: server.endpoint, keys, limit, seconds: bench.seconds };
    const reading = elsewhere<number>(import.meta.url, 'read', request);
    const { result: rate, load } = await loadWhile(IN_FLIGHT, reading, others);
    figures[`${manner}, keys read`] = rate;
    figures[`${manner}, others p99`] = load.latencies.quantileMs(0.99);
    figures[`${manner}, others longest`] = load.latencies.longestMs;
  }
  return figures;
}

interface Reading {
  endpoint: string;
  keys: number;
  /** Of a page; 0: all at once. */
  limit: number;
  seconds: number;
}

/** Reads all of `/listed/` over and over, without decoding it, and says how many keys a second. */
export async function read({ endpoint, keys, limit, seconds }: Reading): Promise<number> {
  const client = createClient({ ...DEFAULT_OPTIONS, endpoints: [endpoint] });
  const pages = limit === 0 ? 1 : Math.ceil(keys / limit);
  const begin = performance.now();
  let rounds = 0;
  while (rounds === 0 || performance.now() - begin < seconds * 1000) {
    for (let page = 0; page < pages; page++) {
      const key = orderedKey('/listed/', page * limit);
      const request = { ...rangeOf(key), rangeEnd: '/listed0', limit };
      const answer = await client.raw.unary(RANGE_PATH, codec.rangeRequest.encode(request));
      if (answer.length < Math.min(keys, limit || keys) * 256) throw new Error('keys are missing');
    }
    rounds++;
  }
  const rate = (rounds * keys) / ((performance.now() - begin) / 1000);
  client.close();
  return rate;
}
