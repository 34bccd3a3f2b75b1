/** After faults have ended: everybody must answer again within a bounded time. */
import { setTimeout as pause } from 'node:timers/promises';
import { putRequest, rangeRequest } from '../../src/sim/workloads/requests.js';
import type { FinalState } from '../../src/sim/checkers/no-lost-write.js';
import type { MemberState } from '../../src/sim/checkers/progress-after-heal.js';
import { FireClient, type FireWorld } from './fire-client.js';
import type { FireMember } from './fire-member.js';

/** The client that probes; its number is far from the workloads'. */
const PROBER_ID = 9100;
/** Keys that no workload uses, one for each place: unanswered puts on one key make it hard to judge. */
const probeKey = (place: number) => `probe/${place}`;
const PAUSE_MS = 100;

export type FireMemberState = MemberState & { readonly alive: boolean };

export class FireRecovery {
  readonly #world: FireWorld;
  readonly #client: FireClient;
  /** Makes values that no other put has. */
  #probes = 0;

  constructor(world: FireWorld) {
    this.#world = world;
    this.#client = new FireClient(world, { id: PROBER_ID });
  }

  /**
   * Asks every member for a put and a linearizable read until both are answered and all have applied
   * `index`, or `boundMs` has passed. True when it was done in time.
   */
  async probe(index: number, boundMs: number): Promise<boolean> {
    const untilMs = performance.now() + boundMs;
    const work = this.#world.members.map((_, place) => this.#probe(place, untilMs));
    const answered = (await Promise.all(work)).every(Boolean);
    return answered && (await this.#even(index, untilMs));
  }

  /** What the members are now. Those that do not answer are not alive. */
  async states(): Promise<FireMemberState[]> {
    return Promise.all(this.#world.members.map(stateOf));
  }

  /** Highest index that any member knows to be committed. */
  async committed(): Promise<number> {
    const states = await Promise.all(this.#world.members.map((member) => member.status()));
    return Math.max(0, ...states.map((state) => state?.raftIndex ?? 0));
  }

  /** Asks every member for the hash of what it has. */
  async hashes(): Promise<void> {
    const { members } = this.#world;
    await Promise.all(
      members.map((_, place) => this.#client.call(place, 'hashKv', { revision: 0 })),
    );
  }

  /** Reads everything from every member, as it has it. */
  async dump(): Promise<FinalState[]> {
    const all = rangeRequest('\0', { rangeEnd: '\0', serializable: true });
    const states = this.#world.members.map(async ({ id }, place): Promise<FinalState[]> => {
      const read = await this.#client.call(place, 'range', all);
      if (read.kind !== 'ok') return [];
      const { header, kvs } = read.response;
      return [{ member: id, revision: header!.revision, pairs: kvs }];
    });
    return (await Promise.all(states)).flat();
  }

  close(): void {
    this.#client.close();
  }

  async #probe(place: number, untilMs: number): Promise<boolean> {
    const key = probeKey(place);
    while (performance.now() < untilMs) {
      const put = await this.#client.call(place, 'put', putRequest(key, `probe ${this.#probes++}`));
      if (put.kind === 'ok') {
        const read = await this.#client.call(place, 'range', rangeRequest(key));
        if (read.kind === 'ok') return true;
      }
      await pause(PAUSE_MS);
    }
    return false;
  }

  async #even(index: number, untilMs: number): Promise<boolean> {
    while (performance.now() < untilMs) {
      const states = await this.states();
      const leaders = states.filter(({ role }) => role === 'leader');
      if (leaders.length === 1 && states.every(({ appliedIndex }) => appliedIndex >= index)) {
        return true;
      }
      await pause(PAUSE_MS);
    }
    return false;
  }
}

async function stateOf(member: FireMember): Promise<FireMemberState> {
  const { id } = member;
  const status = await member.status();
  if (status === undefined) return { id, alive: false, role: 'follower', term: 0, appliedIndex: 0 };
  const role = status.leader === id ? 'leader' : 'follower';
  return { id, alive: true, role, term: status.raftTerm, appliedIndex: status.raftAppliedIndex };
}
