/** Several members whose messages arrive at once and in order, but where a test cuts a link. */
import type { Message } from '../../../src/raft/index.js';
import { confOf } from './memory-disk.js';
import { TestMember, bytes, text, type MemberOptions } from './test-member.js';

export class TestCluster {
  readonly members = new Map<bigint, TestMember>();
  readonly #isolated = new Set<bigint>();
  /** Return false to lose a message. */
  filter: (message: Message) => boolean = () => true;

  /** `options` hold for all; `special` for one. */
  constructor(
    ids: readonly bigint[],
    options: MemberOptions = {},
    special: ReadonlyMap<bigint, MemberOptions> = new Map(),
  ) {
    for (const id of ids) {
      const confState = confOf(ids);
      const own = { confState, ...options, ...special.get(id), id };
      this.members.set(id, new TestMember(own));
    }
  }

  at(id: bigint): TestMember {
    return this.members.get(id)!;
  }

  add(member: TestMember): void {
    this.members.set(member.id, member);
  }

  isolate(id: bigint): void {
    this.#isolated.add(id);
  }

  rejoin(id: bigint): void {
    this.#isolated.delete(id);
  }

  /** Lets everybody do everything until nobody has anything to do. */
  settle(): this {
    for (let moved = true; moved;) {
      moved = false;
      for (const member of this.members.values()) {
        for (const message of member.pump().takeSent()) {
          moved = true;
          this.#carry(message);
        }
      }
    }
    return this;
  }

  #carry(message: Message): void {
    if (this.#isolated.has(message.from) || this.#isolated.has(message.to)) return;
    if (this.filter(message)) this.members.get(message.to)?.raft.step(message);
  }

  elect(id: bigint): TestMember {
    this.at(id).raft.campaign();
    this.settle();
    return this.at(id);
  }

  tick(times: number, ids: Iterable<bigint> = this.members.keys()): this {
    const who = [...ids];
    for (let i = 0; i < times; i++) {
      for (const id of who) this.at(id).raft.tick();
      this.settle();
    }
    return this;
  }

  propose(id: bigint, ...data: string[]): this {
    this.at(id).raft.propose(data.map(bytes));
    return this.settle();
  }

  /** Data of the entries that a member has applied, empty ones left out. */
  appliedTexts(id: bigint): string[] {
    return this.at(id)
      .applied.map(({ data }) => text(data))
      .filter((data) => data !== '');
  }
}
