/** The simulator's workloads on real processes, and watchers of the client library itself. */
import type { ChanceStreams } from '../../src/sim/chance.js';
import {
  kubernetesWorkload,
  kvWorkload,
  leaseWorkload,
  watchWorkload,
} from '../../src/sim/workloads/index.js';
import type { Plan, Workload } from '../../src/sim/workloads/workload-client.js';
import { FireClient, type FireWorld } from './fire-client.js';
import { LibraryWatch } from './library-watch.js';

interface Part {
  readonly workload: Workload<any>;
  readonly clients: number;
  readonly meanPauseMs: number;
}

const PARTS: readonly Part[] = [
  { workload: kvWorkload, clients: 8, meanPauseMs: 30 },
  { workload: watchWorkload, clients: 3, meanPauseMs: 150 },
  { workload: leaseWorkload, clients: 3, meanPauseMs: 150 },
  { workload: kubernetesWorkload, clients: 3, meanPauseMs: 100 },
];
/** Watchers of the client library; their numbers are far from the workloads'. */
const LIBRARY_ID = 9300;
const LIBRARY_WATCHES = 2;

export class FireTraffic {
  readonly #parts: readonly { readonly workload: Workload<any>; readonly plan: Plan<any> }[];
  readonly #clients: FireClient[] = [];
  readonly #watches: LibraryWatch[] = [];
  #done: Promise<unknown> = Promise.resolve();

  /** Draws what everybody will do, which takes a while: make it before anything runs. */
  constructor(streams: ChanceStreams, durationMs: number) {
    this.#parts = PARTS.map(({ workload, clients, meanPauseMs }) => {
      const random = streams.stream(`traffic ${workload.name}`);
      return { workload, plan: workload.plan(random, { clients, durationMs, meanPauseMs }) };
    });
  }

  start(world: FireWorld): void {
    for (let i = 0; i < LIBRARY_WATCHES; i++) {
      this.#watches.push(new LibraryWatch(world, LIBRARY_ID + i));
    }
    const runs = this.#parts.flatMap(({ workload, plan }) =>
      plan.clients.map((part) => {
        const client = new FireClient(world, { id: this.#clients.length + 1 });
        this.#clients.push(client);
        return workload.run(client, part);
      }),
    );
    this.#done = Promise.all(runs);
    this.#done.catch(() => {}); // end() tells
  }

  /** Resolves when every client has come to its end: false if that takes longer than `withinMs`. */
  async end(withinMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), withinMs);
    });
    try {
      return await Promise.race([this.#done.then(() => true), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends calls and watches. */
  close(): void {
    for (const client of this.#clients) client.close();
    for (const watch of this.#watches) watch.close();
  }
}
