/** Members and the network between them, which loses, repeats, reorders, delays and parts. */
import assert from 'node:assert/strict';
import {
  ConfChangeType,
  EntryType,
  MessageType,
  SeededRandom,
  type Message,
} from '../../../src/raft/index.js';
import { change, encodeChange } from '../support/conf-change-data.js';
import { MemoryDisk } from '../support/memory-disk.js';
import { Checker } from './checker.js';
import { SimulatedMember } from './member.js';
import { randomChange } from './random-change.js';
import type { Life, Setup } from './schedule.js';

type Below = (limit: number) => number;
type Percent = (chance: number) => boolean;

const ALL_IDS = [1n, 2n, 3n, 4n, 5n] as const;
/** Generous: many elections in a row may fail. */
const HEAL_ROUNDS = 600;

export class World {
  readonly checker = new Checker();
  readonly members = new Map<bigint, SimulatedMember>();
  readonly #setup: Setup;
  network: Message[] = [];
  /** Members on side `true` cannot talk to those on side `false`. */
  readonly #sides = new Map<bigint, boolean>();
  #proposals = 0;

  constructor(setup: Setup) {
    this.#setup = setup;
    for (const id of ALL_IDS) this.members.set(id, this.#newMember(id));
    for (const id of this.#founders) this.members.get(id)!.start();
  }

  get #founders(): readonly bigint[] {
    return ALL_IDS.slice(0, this.#setup.founders);
  }

  /** As etcd founds a cluster: the first entries add the founders, and are committed by agreement. */
  #newMember(id: bigint): SimulatedMember {
    const disk = new MemoryDisk();
    if (this.#founders.includes(id)) {
      const entries = this.#founders.map((founder, i) => ({
        type: EntryType.confChange,
        term: 1,
        index: i + 1,
        data: encodeChange(change([[ConfChangeType.addNode, founder]])),
      }));
      disk.found(entries, { term: 1, vote: 0n, commit: entries.length });
    }
    return new SimulatedMember(this.#coreOptions(id), disk, this.checker, (message) =>
      this.#post(message),
    );
  }

  #coreOptions(id: bigint): ConstructorParameters<typeof SimulatedMember>[0] {
    const { preVote, checkQuorum, seed, tightLimits } = this.#setup;
    return {
      id,
      random: new SeededRandom(seed + Number(id)),
      electionTicks: 5,
      heartbeatTicks: 1,
      preVote,
      checkQuorum,
      maxBytesPerMessage: tightLimits ? 4 : 1000,
      maxInflightMessages: tightLimits ? 2 : 16,
      maxInflightBytes: tightLimits ? 8 : 0,
      maxUncommittedBytes: tightLimits ? 60 : 0,
      maxCommittedBytesPerReady: tightLimits ? 3 : 1000,
    };
  }

  member(n: number): SimulatedMember {
    return this.members.get(ALL_IDS[n % ALL_IDS.length]!)!;
  }

  /** Snapshot messages may carry newer state than the core described, as etcd's server sends them. */
  #post(message: Message): void {
    const sender = this.members.get(message.from);
    if (message.type === MessageType.snapshot && this.#setup.freshSnapshots) {
      const raft = sender!.raft!;
      const term = sender!.disk.term(raft.applied);
      if (term !== undefined && raft.applied >= message.snapshot!.metadata.index) {
        const metadata = { index: raft.applied, term, confState: raft.confState };
        this.network.push({ ...message, snapshot: { metadata, data: new Uint8Array(0) } });
        return;
      }
    }
    this.network.push(message);
  }

  deliver(slot: number): void {
    const message = this.#take(slot);
    if (message === undefined) return;
    const receiver = this.members.get(message.to)?.raft;
    const connected = this.#sides.get(message.from) === this.#sides.get(message.to);
    const arrives = receiver !== undefined && connected;
    if (arrives) receiver.step(message);
    this.#reportSnapshot(message, arrives);
  }

  drop(slot: number): void {
    const message = this.#take(slot);
    if (message !== undefined) this.#reportSnapshot(message, false);
  }

  duplicate(slot: number): void {
    if (this.network.length > 0) this.network.push(this.network[slot % this.network.length]!);
  }

  #take(slot: number): Message | undefined {
    if (this.network.length === 0) return undefined;
    return this.network.splice(slot % this.network.length, 1)[0];
  }

  /** The transport promises to say how the sending of a snapshot ended. */
  #reportSnapshot({ type, from, to }: Message, ok: boolean): void {
    if (type === MessageType.snapshot) this.members.get(from)!.raft?.reportSnapshot(to, ok);
  }

  part(mask: number): void {
    for (const [i, id] of ALL_IDS.entries()) this.#sides.set(id, ((mask >> i) & 1) === 1);
  }

  propose(member: SimulatedMember, count: number): void {
    const data: Uint8Array[] = [];
    for (let i = 0; i < count; i++) data.push(new TextEncoder().encode(`${this.#proposals++}`));
    member.raft?.propose(data);
  }

  read(member: SimulatedMember): void {
    const context = new TextEncoder().encode(`${this.checker.readBegins()}`);
    member.raft?.readIndex(context);
  }

  /** Rounds of life with trouble; everything is drawn from the step's seed. */
  live(life: Life): void {
    const random = new SeededRandom(life.seed);
    const below = (limit: number): number => random.uint32() % limit;
    const percent = (chance: number): boolean => below(100) < chance;
    for (let round = 0; round < life.rounds; round++) {
      for (const member of this.members.values()) this.#liveMember(member, life, below, percent);
      this.#liveNetwork(life, below, percent);
    }
  }

  #liveMember(member: SimulatedMember, life: Life, below: Below, percent: Percent): void {
    if (!percent(life.lag)) member.raft?.tick();
    if (percent(life.requests)) this.propose(member, 1 + below(3));
    if (percent(life.requests)) this.read(member);
    if (percent(life.changes)) member.propose(randomChange(below));
    if (percent(life.changes)) member.raft?.transferLeader(this.member(below(5)).id);
    if (percent(life.campaigns)) member.raft?.campaign();
    if (percent(10)) member.flush();
    if (percent(3)) member.compact(below(3));
    if (!percent(life.lag)) member.takeReady();
    this.check();
    if (percent(life.crashes)) member.crash(percent(50) ? 0 : below(4), percent(50));
    if (percent(50) && this.#mayStart(member)) member.start();
    if (!percent(life.lag)) member.persist(1 + below(3), percent(50));
    if (!percent(life.lag)) member.apply(1 + below(4));
    this.check();
  }

  #liveNetwork(life: Life, below: Below, percent: Percent): void {
    if (percent(life.partitions)) this.part(percent(50) ? 0 : below(32));
    for (let left = this.network.length; left > 0; left--) {
      const slot = percent(life.lag) ? below(this.network.length) : 0;
      if (!percent(2 * life.lag)) this.deliver(slot);
      else this.#trouble(slot, below(3));
    }
    this.check();
  }

  #trouble(slot: number, kind: number): void {
    if (kind === 0) this.drop(slot);
    else if (kind === 1) this.duplicate(slot);
    else this.network.push(this.#take(slot)!);
  }

  /** Those that were never added are not there to be started. */
  #mayStart(member: SimulatedMember): boolean {
    return this.#founders.includes(member.id) || this.checker.wasMember(member.id);
  }

  check(): void {
    for (const member of this.members.values()) member.check();
  }

  /** Ends all trouble and demands that writes and reads get through on every member of the cluster. */
  heal(): void {
    this.#sides.clear();
    let target = Infinity;
    let reads = Infinity;
    for (let round = 0; round < HEAL_ROUNDS; round++) {
      const leader = this.#quietRound();
      if (leader?.raft === undefined) continue;
      if (round % 20 === 0 && leader.raft.transferee === 0n) {
        this.propose(leader, 1);
        target = leader.raft.lastIndex;
        reads = this.checker.readsAnswered + 1;
        this.read(leader);
      }
      if (this.#allApplied(target, leader) && this.checker.readsAnswered >= reads) return;
    }
    if (this.#removalIsSecret()) return;
    assert.fail(`no progress after healing: ${this.describe()}`);
  }

  /** Everybody who belongs to the cluster runs, nobody else (a removed member is shut down). */
  #quietRound(): SimulatedMember | undefined {
    const leader = this.#leader();
    const conf = leader?.raft?.confState;
    const belongs = conf && new Set([...conf.voters, ...conf.votersOutgoing, ...conf.learners]);
    for (const member of this.members.values()) {
      if (belongs === undefined || belongs.has(member.id)) member.start();
      else if (member !== leader) member.crash(Infinity, false);
      member.raft?.tick();
      do {
        member.takeReady();
        member.persist(Infinity, false);
        member.apply(Infinity);
      } while (member.raft?.hasReady());
    }
    for (let left = this.network.length; left > 0; left--) this.deliver(0);
    this.check();
    return leader;
  }

  /**
   * The one known hole of configurations that take effect when applied (etcd has it too): only members
   * that were removed or demoted know that this is committed, and they lost the leadership before they
   * could tell (or those whom they told lost it in a crash: a commit index is not synced). The voters who remain may need their votes, and not get them for want of an uncommitted
   * tail of the log.
   */
  #removalIsSecret(): boolean {
    const { index, voters } = this.checker.newestConf;
    return voters.every((id) => this.members.get(id)!.applied < index);
  }

  #leader(): SimulatedMember | undefined {
    const leaders = [...this.members.values()].filter(({ raft }) => raft?.role === 'leader');
    return leaders.toSorted((a, b) => b.raft!.term - a.raft!.term)[0];
  }

  #allApplied(target: number, leader: SimulatedMember): boolean {
    const { voters, votersOutgoing, learners } = leader.raft!.confState;
    return [...voters, ...votersOutgoing, ...learners].every(
      (id) => (this.members.get(id)!.raft?.applied ?? 0) >= target,
    );
  }

  describe(): string {
    return [...this.members.values()]
      .map(({ id, raft }) =>
        raft === undefined
          ? `${id} down`
          : `${id} ${raft.role} term ${raft.term} leader ${raft.leader} applied ${raft.applied}` +
            ` commit ${raft.commitIndex} last ${raft.lastIndex} voters ${raft.confState.voters}`,
      )
      .join('; ');
  }
}
