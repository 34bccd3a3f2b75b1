/** Ten thousand watchers over a hundred streams: all of one key, or each of its own. */
import { performance } from 'node:perf_hooks';
import type { Client } from '../../src/client/index.js';
import { watchOf } from '../../src/client/index.js';
import { Histogram } from '../harness/histogram.js';
import type { Bench, Line } from '../harness/line.js';
import { runCount, runLoad } from '../harness/load.js';
import { orderedKey, putOf } from '../harness/requests.js';

const WATCHERS = 10_000;
const STREAMS = 100;
const PUTS_IN_FLIGHT = 100;

const FIGURES = [
  { name: 'events', unit: '/s', better: 'more' },
  { name: 'put to event, p50', unit: 'ms', better: 'less' },
  { name: 'put to event, p99', unit: 'ms', better: 'less' },
  { name: 'server CPU an event', unit: 'us', better: 'less' },
  { name: 'memory a watcher', unit: 'KiB', better: 'less' },
] as const;

export const watchOneKey: Line = {
  name: 'watch-one',
  what: '10,000 watchers of one key over 100 streams; a put when all have the last one',
  figures: FIGURES,
  run: (bench) => measure(bench, 1),
};

export const watchManyKeys: Line = {
  name: 'watch-many',
  what: '10,000 watchers of as many keys over 100 streams; 100 puts in flight',
  figures: FIGURES,
  run: (bench) => measure(bench, bench.of(WATCHERS)),
};

async function measure(bench: Bench, keys: number): Promise<Record<string, number>> {
  const watchers = bench.of(WATCHERS);
  const server = await bench.start();
  const client = server.connect();
  await client.kv.put(putOf('warm-up'));
  const memoryBefore = server.memory().rssMiB;
  const events = new Events(watchers / keys);
  await openWatches(client, watchers, keys, events);
  const memoryAfter = server.memory().rssMiB;
  const cpuBefore = server.cpuSeconds();
  const inFlight = Math.min(keys, PUTS_IN_FLIGHT);
  const begin = performance.now();
  // A key is put again only when all its watchers have the last event.
  const free = Array.from({ length: keys }, (_, n) => keyOf(n));
  await runLoad(inFlight, bench.seconds, async () => {
    const key = free.shift()!;
    const seen = events.expect(key);
    await client.kv.put(putOf(key));
    await seen;
    free.push(key);
  });
  const seconds = (performance.now() - begin) / 1000;
  return {
    events: events.latencies.count / seconds,
    'put to event, p50': events.latencies.quantileMs(0.5),
    'put to event, p99': events.latencies.quantileMs(0.99),
    'server CPU an event': ((server.cpuSeconds() - cpuBefore) / events.latencies.count) * 1e6,
    'memory a watcher': ((memoryAfter - memoryBefore) * 1024) / watchers,
  };
}

function keyOf(n: number): string {
  return orderedKey('/watched/', n);
}

async function openWatches(client: Client, watchers: number, keys: number, events: Events) {
  const streams = Math.min(STREAMS, watchers);
  await runCount(streams, streams, async (stream) => {
    const perStream = Math.ceil((watchers - stream) / streams);
    const watch = await client.raw.watch();
    const created = new Promise<void>((resolve, reject) => {
      void (async () => {
        let missing = perStream;
        for await (const answer of watch) {
          if (answer.created && --missing === 0) resolve();
          for (const event of answer.events) events.arrived(event.kv.key);
        }
      })().catch(reject);
    });
    for (let i = 0; i < perStream; i++) {
      watch.send({ kind: 'create', request: watchOf(keyOf((stream + i * streams) % keys)) });
    }
    await created;
  });
}

/** Who still waits for the event of which put. */
class Events {
  readonly latencies = new Histogram();
  readonly #perKey: number;
  readonly #expected = new Map<string, { sentMs: number; missing: number; all: () => void }>();

  constructor(perKey: number) {
    this.#perKey = perKey;
  }

  /** A put of `key` is being sent; resolves when every watcher of the key has seen it. */
  expect(key: string): Promise<void> {
    return new Promise((all) => {
      this.#expected.set(key, { sentMs: performance.now(), missing: this.#perKey, all });
    });
  }

  arrived(key: string): void {
    const expected = this.#expected.get(key);
    if (expected === undefined) throw new Error(`an event of ${key}, which nobody has put`);
    this.latencies.record(performance.now() - expected.sentMs);
    if (--expected.missing > 0) return;
    this.#expected.delete(key);
    expected.all();
  }
}
