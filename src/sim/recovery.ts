/** After the last fault: the cluster must work again, everywhere, within a bounded time. */
import { SortOrder, SortTarget } from '../api/index.js';
import type { FinalState } from './checkers/no-lost-write.js';
import { SimulatedClient } from './client.js';
import type { Node } from './node.js';
import type { World } from './world.js';

/** The client that probes; its number is far from the workloads'. */
const PROBER_ID = 9100;
/** A key that no workload uses. */
const PROBE_KEY = 'probe';
const PAUSE_MS = 200;

export class Recovery {
  readonly #world: World;
  readonly #client: SimulatedClient;
  readonly #answered = new Set<bigint>();
  #isOver = false;

  constructor(world: World) {
    this.#world = world;
    this.#client = new SimulatedClient(PROBER_ID, world);
  }

  /** Nodes of the members that may serve clients, as the leader lists them. */
  voters(): Node[] {
    const listed = this.#world.leader?.member?.membership.list() ?? [];
    return listed
      .filter(({ isLearner }) => !isLearner)
      .flatMap(({ id }) => this.#world.members.find((node) => node.id === id) ?? []);
  }

  /** Asks every voter for a put and a linearizable read, again and again until both are answered. */
  start(): void {
    void this.#probe();
  }

  /** Asks no more. */
  stop(): void {
    this.#isOver = true;
  }

  /** True when every voter has answered since {@link Recovery.start}. */
  get hasAnswered(): boolean {
    const voters = this.voters();
    return voters.length > 0 && voters.every(({ id }) => this.#answered.has(id));
  }

  async #probe(): Promise<void> {
    while (!this.#isOver) {
      const silent = this.voters().filter(({ id }) => !this.#answered.has(id));
      await Promise.all(silent.map((node) => this.#ask(node)));
      await this.#world.loop.sleep(PAUSE_MS);
    }
  }

  /** True when all voters run and have applied all that is committed. */
  get isEven(): boolean {
    const voters = this.voters();
    const commit = this.#world.leader?.commitIndex;
    return voters.length > 0 && voters.every((node) => node.alive && node.appliedIndex === commit);
  }

  /** Asks every voter for the hash of what it has: for the equal-hash checker. */
  async hashes(): Promise<void> {
    const revision = 0;
    await Promise.all(this.voters().map((node) => this.#client.ask(node, 'hashKv', { revision })));
  }

  /** Reads everything from every voter, as it has it. */
  async dump(): Promise<FinalState[]> {
    const states = await Promise.all(this.voters().map((node) => this.#dumpOf(node)));
    return states.flatMap((state) => state ?? []);
  }

  async #ask(node: Node): Promise<void> {
    const put = await this.#client.ask(node, 'put', {
      key: PROBE_KEY,
      value: node.host,
      lease: 0n,
      prevKv: false,
      ignoreValue: false,
      ignoreLease: false,
    });
    if (put.kind !== 'ok') return;
    const read = await this.#client.ask(node, 'range', rangeOf(PROBE_KEY, '', false));
    if (read.kind === 'ok') this.#answered.add(node.id);
  }

  async #dumpOf(node: Node): Promise<FinalState | undefined> {
    const read = await this.#client.ask(node, 'range', rangeOf('\0', '\0', true));
    if (read.kind !== 'ok') return undefined;
    return { member: node.id, revision: read.response.header!.revision, pairs: read.response.kvs };
  }
}

function rangeOf(key: string, rangeEnd: string, serializable: boolean) {
  return {
    key,
    rangeEnd,
    limit: 0,
    revision: 0,
    sortOrder: SortOrder.none,
    sortTarget: SortTarget.key,
    serializable,
    keysOnly: false,
    countOnly: false,
    minModRevision: 0,
    maxModRevision: 0,
    minCreateRevision: 0,
    maxCreateRevision: 0,
  };
}
