/**
 * A watch as a program has it from the client library: one that goes on by itself over whatever happens
 * to its connections and members. To the checkers it is one watch from its first event to its last.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { WatchResponse } from '../../src/api/index.js';
import { type Client, DEFAULT_OPTIONS, createClient } from '../../src/client/index.js';
import type { WatchRecording } from '../../src/sim/history.js';
import { watchRequest } from '../../src/sim/workloads/requests.js';
import type { FireWorld } from './fire-client.js';

/** So many watchers' numbers are left to each client. */
const NUMBERS = 100_000;
/** After an error that the library leaves to its caller: a member without a leader. */
const RETRY_MS = 100;

export class LibraryWatch {
  readonly #world: FireWorld;
  readonly #clientId: number;
  readonly #client: Client;
  #recording: WatchRecording | undefined;
  #watcherId: number;
  /** The first revision that has not come yet. */
  #position = 1;
  #isOver = false;

  constructor(world: FireWorld, clientId: number) {
    this.#world = world;
    this.#clientId = clientId;
    this.#watcherId = clientId * NUMBERS;
    const endpoints = world.members.map((member) => `127.0.0.1:${member.proxiedClientPort}`);
    this.#client = createClient({ ...DEFAULT_OPTIONS, endpoints });
    void this.#run();
  }

  close(): void {
    this.#isOver = true;
    this.#recording?.ended('client');
    this.#client.close();
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      try {
        await this.#watch();
      } catch {
        this.#recording?.ended('lost');
        await pause(RETRY_MS);
      }
    }
  }

  /** One watch of the library's, up to the compaction that ends it; the next is another watcher's. */
  async #watch(): Promise<void> {
    const { history, members } = this.#world;
    const fields = { rangeEnd: '\0', startRevision: this.#position, prevKv: true };
    const request = watchRequest('\0', fields);
    const recording = history.watch(this.#clientId, this.#watcherId, members[0]!.id, request);
    this.#recording = recording;
    // The library keeps the creation to itself.
    recording.arrived(CREATED);
    for await (const response of this.#client.watch.watch(request)) {
      if (this.#isOver) return;
      recording.arrived({ ...response, created: false });
      this.#position = Math.max(this.#position, positionAfter(response));
      if (!response.canceled) continue;
      recording.ended('canceled');
      this.#position = response.compactRevision;
      this.#watcherId++;
      return;
    }
  }
}

const CREATED: WatchResponse = {
  header: { clusterId: 0n, memberId: 0n, revision: 0, raftTerm: 0 },
  watchId: 0n,
  created: true,
  canceled: false,
  compactRevision: 0,
  cancelReason: '',
  fragment: false,
  events: [],
};

function positionAfter({ events, header, canceled }: WatchResponse): number {
  if (canceled) return 0;
  return (events.at(-1)?.kv.modRevision ?? header?.revision ?? 0) + 1;
}
