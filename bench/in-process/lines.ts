/** What the bench measures; each line runs in a process of its own, so that memory is its own too. */
import { performance } from 'node:perf_hooks';
import { type Kvorum, LocalSwitch, open, openMember, realClock } from '../../src/embed/index.js';
import { type Outcome, runLoad } from '../harness/load.js';
import { temporaryDir } from '../harness/temporary-dir.js';

export interface Line {
  name: string;
  what: string;
  run: (seconds: number) => Promise<Figures>;
}

export interface Figures {
  /** Requests (or keys) per second. */
  rate: number;
  p50Ms?: number;
  p99Ms?: number;
  /** Wall time of a line that is one piece of work. */
  seconds?: number;
}

const IN_FLIGHT = 500;
const VALUE = 'v'.repeat(256);
const MANY_KEYS = 1_000_000;

export const LINES: readonly Line[] = [
  {
    name: 'put',
    what: 'in-process durable puts of new keys in order, 256 B, 500 in flight',
    run: (seconds) => onDisk((store) => puts(store, seconds, nextKey)),
  },
  {
    name: 'put-random',
    what: 'in-process durable puts of new keys anywhere, 256 B, 500 in flight',
    run: (seconds) => onDisk((store) => puts(store, seconds, keyOf)),
  },
  {
    name: 'get',
    what: 'in-process linearizable gets, 500 in flight',
    run: (seconds) => onDisk((store) => gets(store, seconds)),
  },
  {
    name: 'cluster-put',
    what: 'three members in one process, durable puts, 256 B, 500 in flight',
    run: (seconds) => onCluster((leader) => puts(leader, seconds, nextKey)),
  },
  {
    name: 'open',
    what: 'open 1,000,000 keys of 64 B with 256 B values',
    run: openManyKeys,
  },
];

/** 64 bytes, each behind the one before: how names with a time or a counter in them arrive. */
function nextKey(n: number): string {
  return `/bench/${String(n).padStart(12, '0')}`.padEnd(64, '-');
}

/** 64 bytes, spread so that neighbours in time are not neighbours in order. */
function keyOf(n: number): string {
  return `/bench/${((n * 2654435761) >>> 0).toString(16).padStart(8, '0')}/${n}`.padEnd(64, '-');
}

async function onDisk(run: (store: Kvorum) => Promise<Figures>): Promise<Figures> {
  const dir = temporaryDir();
  try {
    const store = await open({ dataDir: dir.path });
    const figures = await run(store);
    await store.close();
    return figures;
  } finally {
    dir.remove();
  }
}

async function puts(store: Kvorum, seconds: number, key: (n: number) => string): Promise<Figures> {
  return figuresOf(await runLoad(IN_FLIGHT, seconds, (n) => store.put(key(n), VALUE)));
}

async function gets(store: Kvorum, seconds: number): Promise<Figures> {
  const keys = 10_000;
  await fill(store, keys);
  return figuresOf(await runLoad(IN_FLIGHT, seconds, (n) => store.get(keyOf(n % keys))));
}

async function onCluster(run: (leader: Kvorum) => Promise<Figures>): Promise<Figures> {
  const dir = temporaryDir();
  const network = new LocalSwitch(realClock);
  const initialCluster = [1, 2, 3].map((i) => ({
    name: `m${i}`,
    peerUrls: [`http://member-${i}:1`],
  }));
  try {
    const stores = await Promise.all(
      initialCluster.map(({ name, peerUrls }) =>
        openMember({
          dataDir: `${dir.path}/${name}`,
          name,
          peerUrls,
          initialCluster,
          network: network.connect(peerUrls),
        }),
      ),
    );
    await Promise.all(stores.map((store) => store.member.ready));
    const figures = await run(stores.find((store) => store.member.isLeader)!);
    await Promise.all(stores.map((store) => store.close()));
    return figures;
  } finally {
    dir.remove();
  }
}

async function openManyKeys(): Promise<Figures> {
  const dir = temporaryDir();
  try {
    await fillInChild(dir.path);
    const begin = performance.now();
    const store = await open({ dataDir: dir.path });
    const seconds = (performance.now() - begin) / 1000;
    const { count } = store.member.store.range(countAll());
    if (count !== MANY_KEYS) throw new Error(`opened ${count} keys, not ${MANY_KEYS}`);
    await store.close();
    return { rate: MANY_KEYS / seconds, seconds };
  } finally {
    dir.remove();
  }
}

/** In another process: filling leaves garbage that would count as this one's memory. */
async function fillInChild(dataDir: string): Promise<void> {
  const { spawnSync } = await import('node:child_process');
  const args = [process.argv[1]!, '--fill', dataDir, String(MANY_KEYS)];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error('filling the store failed');
}

/** Puts `count` keys into a store at `dataDir` (or an open one). */
export async function fill(store: Kvorum, count: number): Promise<void> {
  let next = 0;
  const caller = async () => {
    while (next < count) await store.put(keyOf(next++), VALUE);
  };
  await Promise.all(Array.from({ length: 1000 }, caller));
}

function countAll() {
  const zero = { limit: 0, revision: 0, sortOrder: 0, sortTarget: 0 };
  const noFilter = {
    minModRevision: 0,
    maxModRevision: 0,
    minCreateRevision: 0,
    maxCreateRevision: 0,
  };
  const flags = { serializable: true, keysOnly: false, countOnly: true };
  return { key: '\0', rangeEnd: '\0', ...zero, ...noFilter, ...flags };
}

function figuresOf({ requests, seconds, latencies }: Outcome): Figures {
  return {
    rate: requests / seconds,
    p50Ms: latencies.quantileMs(0.5),
    p99Ms: latencies.quantileMs(0.99),
  };
}
