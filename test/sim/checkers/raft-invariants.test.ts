/** Raft's promises, each broken by hand in a small world of made-up nodes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  EntryType,
  MessageType,
  makeMessage,
  type ConfState,
  type Entry,
  type Role,
} from '../../../src/raft/index.js';
import { RaftInvariants } from '../../../src/sim/checkers/raft-invariants.js';
import { ViolationError } from '../../../src/sim/checkers/violation.js';
import type { NodeView, WorldView } from '../../../src/sim/checkers/world-view.js';

class FakeNode implements NodeView {
  alive = true;
  incarnation = 0;
  role: Role = 'follower';
  term = 0;
  vote = 0n;
  commitIndex = 0;
  appliedIndex = 0;
  firstIndex = 1;
  entries: Entry[] = [];
  /** How much of the log is on disk. */
  durableIndex = 0;

  constructor(
    readonly id: bigint,
    public confState: ConfState,
  ) {}

  get lastIndex(): number {
    return this.firstIndex + this.entries.length - 1;
  }

  entryAt(index: number): Entry | undefined {
    return this.entries[index - this.firstIndex];
  }

  get durable() {
    return {
      firstIndex: this.firstIndex,
      lastIndex: this.durableIndex,
      termAt: (index: number) =>
        index <= this.durableIndex ? this.entryAt(index)?.term : undefined,
    };
  }

  append(term: number, text = ''): this {
    const index = this.lastIndex + 1;
    this.entries.push({ type: EntryType.normal, term, index, data: Buffer.from(text) });
    return this;
  }

  truncate(from: number): this {
    this.entries.length = from - this.firstIndex;
    this.durableIndex = Math.min(this.durableIndex, this.lastIndex);
    return this;
  }

  sync(): this {
    this.durableIndex = this.lastIndex;
    return this;
  }

  lead(term: number): this {
    this.role = 'leader';
    this.term = term;
    this.vote = this.id;
    return this;
  }

  follow(term: number): this {
    if (term > this.term) this.vote = 0n;
    this.role = 'follower';
    this.term = term;
    return this;
  }

  commit(index: number): this {
    this.commitIndex = index;
    return this;
  }

  apply(index: number): this {
    this.appliedIndex = index;
    return this;
  }

  restart(): this {
    this.incarnation++;
    this.truncate(this.durableIndex + 1);
    this.role = 'follower';
    this.commitIndex = 0;
    this.appliedIndex = 0;
    return this;
  }

  installSnapshot(index: number): this {
    this.firstIndex = index + 1;
    this.entries = [];
    this.durableIndex = index;
    return this.commit(index).apply(index);
  }
}

class FakeWorld implements WorldView {
  nowMs = 0;
  readonly members: readonly [FakeNode, FakeNode, FakeNode];
  readonly invariants = new RaftInvariants();

  constructor() {
    const confState: ConfState = {
      voters: [1n, 2n, 3n],
      learners: [],
      votersOutgoing: [],
      learnersNext: [],
      autoLeave: false,
    };
    const node = (id: bigint) => new FakeNode(id, confState);
    this.members = [node(1n), node(2n), node(3n)];
  }

  nodes(): readonly FakeNode[] {
    return this.members;
  }

  step(): void {
    this.nowMs++;
    this.invariants.step(this);
  }

  /** The next look must find `promise` broken. */
  breaks(promise: string, act: () => void = () => this.step()): void {
    assert.throws(act, (error) => {
      assert.ok(error instanceof ViolationError);
      assert.equal(error.violation.promise, promise, error.message);
      return true;
    });
  }
}

/** Node 1 leads term 1; two entries are committed and applied everywhere. */
function settled(): { world: FakeWorld; a: FakeNode; b: FakeNode; c: FakeNode } {
  const world = new FakeWorld();
  const [a, b, c] = world.members;
  world.step();
  a.lead(1);
  b.follow(1);
  c.follow(1);
  for (const node of world.members) node.append(1).append(1, 'x').sync();
  world.step();
  for (const node of world.members) {
    node.commit(2).apply(2);
    world.step();
  }
  return { world, a, b, c };
}

function grant(from: bigint, to: bigint, term: number) {
  return makeMessage(MessageType.voteResponse, from, to, { term });
}

describe('a right run', () => {
  test('breaks nothing, and leaves the applied entries with their times', () => {
    const { world, a, b, c } = settled();
    const applied = world.invariants.appliedEntries();
    assert.deepEqual(applied, a.entries);
    assert.equal(world.invariants.appliedAtMs(2), 3);
    assert.equal(world.invariants.appliedAtMs(3), undefined);
    // An uncommitted tail is replaced by the next leader; a laggard gets a snapshot.
    a.append(1, 'lost').sync();
    world.step();
    b.lead(2).append(2, 'y').sync();
    a.follow(2);
    c.follow(2).append(2, 'y').sync();
    world.step();
    a.truncate(3).append(2, 'y').sync();
    b.commit(3).apply(3);
    world.step();
    c.restart();
    world.step();
    c.commit(3).apply(3);
    world.step();
    a.installSnapshot(3);
    world.step();
    b.firstIndex = 3;
    b.entries.splice(0, 2);
    world.step();
    world.invariants.finish(world);
    assert.equal(world.invariants.commitIndex, 3);
    assert.equal(world.invariants.appliedEntries().length, 3);
  });

  test('a deposed leader that wins late lacks what a later term has committed', () => {
    const { world, a, b, c } = settled();
    a.follow(3);
    b.lead(3).append(3, 'y').sync();
    c.follow(3).append(3, 'y').sync();
    world.step();
    b.commit(3);
    world.step();
    // Votes for term 2 that arrive only now: node 1 thinks it leads, and will find out.
    const late = new FakeNode(4n, a.confState);
    late.append(1).append(1, 'x').sync().lead(2);
    world.invariants.step({ nowMs: 9, nodes: () => [...world.members, late] });
  });
});

describe('election-safety', () => {
  test('two leaders in a term, seen as roles', () => {
    const { world, b } = settled();
    b.lead(1);
    world.breaks('election-safety');
  });

  test('two leaders in a term, seen by their messages', () => {
    const { world } = settled();
    const append = makeMessage(MessageType.append, 2n, 3n, { term: 1 });
    world.breaks('election-safety', () => world.invariants.message(append));
    const beat = makeMessage(MessageType.heartbeat, 3n, 2n, { term: 1 });
    world.breaks('election-safety', () => world.invariants.message(beat));
  });
});

describe('durable-vote', () => {
  test('two grants in a term, a crash between them', () => {
    const { world, c } = settled();
    world.invariants.message(grant(3n, 1n, 2));
    c.restart();
    world.step();
    world.invariants.message(grant(3n, 1n, 2));
    world.breaks('durable-vote', () => world.invariants.message(grant(3n, 2n, 2)));
  });

  test('a process that begins without the vote that an earlier one gave', () => {
    const { world, c } = settled();
    c.term = 2;
    c.vote = 1n;
    world.invariants.message(grant(3n, 1n, 2));
    world.step();
    c.restart();
    c.vote = 0n;
    world.breaks('durable-vote');
  });

  test('a leader that has granted its vote to another', () => {
    const { world, b } = settled();
    world.invariants.message(grant(2n, 1n, 2));
    b.lead(2);
    world.breaks('durable-vote');
  });

  test('a vote that changes in memory', () => {
    const { world, c } = settled();
    c.term = 2;
    c.vote = 1n;
    world.step();
    c.vote = 2n;
    world.breaks('durable-vote');
  });

  test('a rejection, a pre-vote and another term are no second vote', () => {
    const { world } = settled();
    world.invariants.message(grant(3n, 1n, 2));
    world.invariants.message({ ...grant(3n, 2n, 2), reject: true });
    world.invariants.message(makeMessage(MessageType.preVoteResponse, 3n, 2n, { term: 2 }));
    world.invariants.message(grant(3n, 2n, 3));
  });
});

describe('logs', () => {
  test('leader-append-only: a leader drops an entry of its own', () => {
    const { world, a } = settled();
    a.append(1, 'y');
    world.step();
    a.truncate(3);
    world.breaks('leader-append-only');
  });

  test('leader-append-only: a leader replaces one', () => {
    const { world, a } = settled();
    a.append(1, 'y');
    world.step();
    a.truncate(3).append(2, 'z');
    world.breaks('leader-append-only');
  });

  test('log-matching: one index and term, two contents', () => {
    const { world, a, b } = settled();
    a.append(1, 'y');
    world.step();
    b.append(1, 'z');
    world.breaks('log-matching');
  });

  test('log-matching: one entry, two predecessors', () => {
    const { world, b, c } = settled();
    b.append(1, 'y').append(3, 'z');
    world.step();
    c.append(2, 'q').append(3, 'z');
    world.breaks('log-matching');
  });

  test('log-matching: a change below an unchanged end is found at the end of the run', () => {
    const { world, b } = settled();
    b.entries[0] = { ...b.entries[0]!, data: Buffer.from('?') };
    world.step();
    world.breaks('log-matching', () => world.invariants.finish(world));
  });

  test('committed-is-final: a follower drops what it knows as committed', () => {
    const { world, b } = settled();
    b.truncate(2);
    world.breaks('committed-is-final');
  });

  test('leader-completeness: a new leader lacks a committed entry', () => {
    const { world, a, b } = settled();
    a.append(1, 'y').sync();
    b.append(1, 'y').sync();
    world.step();
    a.commit(3);
    world.step();
    world.members[2].lead(2);
    world.breaks('leader-completeness');
  });
});

describe('commits', () => {
  test('quorum-commit: committed before a majority has it on disk', () => {
    const { world, a, b } = settled();
    a.append(1, 'y').sync();
    b.append(1, 'y');
    world.step();
    a.commit(3);
    world.breaks('quorum-commit');
  });

  test('quorum-commit: a learner does not count', () => {
    const { world, a, b } = settled();
    const confState = { ...a.confState, voters: [1n, 3n], learners: [2n] };
    for (const node of world.members) node.confState = confState;
    a.append(1, 'y').sync();
    b.append(1, 'y').sync();
    world.step();
    a.commit(3);
    world.breaks('quorum-commit');
  });

  test('quorum-commit: in a joint configuration each half counts', () => {
    const { world, a, b } = settled();
    const confState = { ...a.confState, voters: [1n, 2n], votersOutgoing: [1n, 3n] };
    for (const node of world.members) node.confState = confState;
    a.append(1, 'y').sync();
    b.append(1, 'y').sync();
    world.step();
    a.commit(3);
    world.breaks('quorum-commit');
  });

  test('quorum-commit: the disk of a node that is down counts, and a snapshot on it', () => {
    const { world, a, c } = settled();
    a.append(1, 'y').sync();
    c.append(1, 'y').sync();
    c.alive = false;
    world.step();
    a.commit(3);
    world.step();
  });

  test('current-term-commit: an older term’s entry is committed because a majority has it', () => {
    const { world, a, b, c } = settled();
    a.append(1, 'y').sync();
    world.step();
    a.lead(3);
    b.follow(3).append(1, 'y').sync();
    c.follow(3);
    world.step();
    a.commit(3);
    world.breaks('current-term-commit');
  });

  test('state-machine-safety: two nodes commit different entries', () => {
    const { world, a, b, c } = settled();
    a.append(1, 'y').sync();
    b.append(1, 'y').sync();
    world.step();
    a.commit(3);
    world.step();
    c.term = 2;
    c.append(2, 'z').sync();
    world.step();
    c.commit(3);
    world.breaks('state-machine-safety');
  });

  test('state-machine-safety: an old entry comes back after a restart', () => {
    const { world, b } = settled();
    b.alive = false;
    world.step();
    b.restart().truncate(2).append(4, 'z').sync();
    b.term = 4;
    b.alive = true;
    b.commit(2).apply(2);
    world.breaks('state-machine-safety');
  });
});

describe('monotonic-node', () => {
  const spoilers: Record<string, (node: FakeNode) => void> = {
    'term falls': (node) => (node.term = 0),
    'commit index falls': (node) => node.commit(1).apply(1),
    'applied index falls': (node) => node.apply(1),
    'applies what is not committed': (node) => node.append(1).apply(3),
  };
  for (const [name, spoil] of Object.entries(spoilers)) {
    test(name, () => {
      const { world, c } = settled();
      spoil(c);
      world.breaks('monotonic-node');
    });
  }

  test('a new process starts over', () => {
    const { world, c } = settled();
    c.restart();
    world.step();
  });
});

/** A run of one leader after the other, each of which brings the others to its log. */
function playTerms(world: FakeWorld, terms: readonly { leader: number; entries: number }[]): void {
  let term = 0;
  for (const { leader: place, entries } of terms) {
    term++;
    const leader = world.members[place]!;
    for (const node of world.members) node.follow(term);
    leader.lead(term);
    world.step();
    for (let i = 0; i < entries; i++) leader.append(term, `${term}.${i}`);
    leader.sync();
    world.step();
    for (const node of world.members) {
      if (node !== leader) node.entries = [...leader.entries];
      node.sync();
    }
    world.step();
    for (const node of [leader, ...world.members]) {
      node.commit(leader.lastIndex).apply(leader.lastIndex);
      world.step();
    }
  }
}

const terms = fc.array(fc.record({ leader: fc.nat(2), entries: fc.integer({ min: 1, max: 4 }) }), {
  minLength: 1,
  maxLength: 6,
});

test('any sequence of complete leaders breaks nothing', () => {
  fc.assert(
    fc.property(terms, (plan) => {
      const world = new FakeWorld();
      world.step();
      playTerms(world, plan);
      world.invariants.finish(world);
    }),
    { numRuns: 100 },
  );
});

test('one changed entry, wherever, is caught by the end of the run', () => {
  fc.assert(
    fc.property(terms, fc.nat(2), fc.nat(), fc.boolean(), (plan, place, pick, isTerm) => {
      const world = new FakeWorld();
      world.step();
      playTerms(world, plan);
      const node = world.members[place]!;
      const at = pick % node.entries.length;
      const entry = node.entries[at]!;
      node.entries[at] = isTerm
        ? { ...entry, term: entry.term + 1 }
        : { ...entry, data: Buffer.from('spoilt') };
      assert.throws(() => world.invariants.finish(world), ViolationError);
    }),
    { numRuns: 100 },
  );
});
