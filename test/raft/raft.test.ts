/** What the core promises beside the algorithm: limits, robustness, and the bookkeeping of Readys. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EntryType, MessageType, Raft, SeededRandom, makeMessage } from '../../src/raft/index.js';
import { emptyAppend, incoming, typesOf } from './support/incoming.js';
import { MemoryDisk, confOf } from './support/memory-disk.js';
import { TestCluster } from './support/test-cluster.js';
import { DEFAULTS, TestMember, bytes, entriesOf } from './support/test-member.js';

const { append, appendResponse, heartbeatResponse, voteResponse } = MessageType;

function single(options: ConstructorParameters<typeof TestMember>[0] = {}): TestMember {
  const member = new TestMember({ confState: confOf([1n]), ...options });
  member.raft.campaign();
  return member.pump();
}

/** Leads 2 and 3 in term 1, both up to date with the no-op. */
function leaderOfThree(options: ConstructorParameters<typeof TestMember>[0] = {}): TestMember {
  const member = new TestMember(options);
  member.raft.campaign();
  member.pump();
  member.answer(incoming(voteResponse, 1));
  for (const from of [2n, 3n]) member.answer(incoming(appendResponse, 1, { index: 1 }, from));
  member.takeSent();
  return member;
}

describe('limits', () => {
  test('an append carries no more than maxBytesPerMessage, but one entry at least', () => {
    const member = leaderOfThree({ maxBytesPerMessage: 4 });
    member.raft.propose(['aa', 'bb', 'cc', 'dddddd', 'e'].map(bytes));
    const sizes = member
      .pump()
      .takeSent()
      .filter(({ to }) => to === 2n)
      .map(({ entries }) => entries.length);
    assert.deepEqual(sizes, [2]);
    const more = member.answer(incoming(appendResponse, 1, { index: 3 }));
    const rest = more.filter(({ to, entries }) => to === 2n && entries.length > 0);
    assert.deepEqual(
      rest.map(({ entries }) => entries.length),
      [1, 1, 1],
    );
  });

  test('a follower’s window is limited in messages and in bytes', () => {
    for (const limits of [{ maxInflightMessages: 2 }, { maxInflightBytes: 2 }]) {
      const member = leaderOfThree(limits);
      for (const data of ['a', 'b', 'c']) member.raft.propose([bytes(data)]);
      const sent = member.pump().takeSent();
      assert.equal(sent.filter(({ to }) => to === 2n).length, 2);
      assert.equal(member.raft.status().progress.get(2n)?.inflightMessages, 2);
    }
  });

  test('beyond maxUncommittedBytes proposals are refused until some are committed', () => {
    const member = leaderOfThree({ maxUncommittedBytes: 4 });
    const propose = (data: string): string => member.raft.propose([bytes(data)]);
    assert.equal(propose('large, but alone'), 'accepted');
    assert.equal(propose('x'), 'tooLarge');
    assert.equal(member.raft.propose([new Uint8Array(0)]), 'accepted', 'empty ones always pass');
    member.pump();
    member.answer(incoming(appendResponse, 1, { index: 3 }));
    assert.equal(propose('abc'), 'accepted');
    assert.equal(propose('de'), 'tooLarge');
    assert.equal(propose('d'), 'accepted');
  });

  test('a Ready hands out no more than maxCommittedBytesPerReady to apply', () => {
    const member = single({ maxCommittedBytesPerReady: 2 });
    member.raft.propose(['a', 'b', 'c', 'd', 'e'].map(bytes));
    member.takeReady();
    member.persist();
    const counts: number[] = [];
    while (member.raft.hasReady()) counts.push(member.raft.ready().committedEntries.length);
    assert.deepEqual(counts, [2, 2, 1]);
  });
});

describe('proposals', () => {
  test('are one entry an item, in order, under the leader’s term', () => {
    const member = single();
    assert.equal(member.raft.propose(['a', 'b'].map(bytes)), 'accepted');
    assert.deepEqual(member.raft.ready().entries, [
      { type: EntryType.normal, term: 1, index: 2, data: bytes('a') },
      { type: EntryType.normal, term: 1, index: 3, data: bytes('b') },
    ]);
  });

  test('find nobody at a candidate or a member without a leader', () => {
    const member = new TestMember();
    assert.equal(member.raft.propose([bytes('a')]), 'noLeader');
    member.raft.campaign();
    assert.equal(member.raft.propose([bytes('a')]), 'noLeader');
  });

  test('from a follower carry no term, and the leader gives them one', () => {
    const cluster = new TestCluster([1n, 2n, 3n]);
    cluster.elect(1n);
    cluster.at(2n).raft.propose([bytes('a')]);
    const [message] = cluster.at(2n).pump().takeSent();
    assert.deepEqual([message?.term, message?.to, message?.entries[0]?.index], [0, 1n, 0]);
    cluster.at(1n).raft.step(message!);
    cluster.settle();
    assert.equal(cluster.at(3n).applied.at(-1)?.term, 1);
  });

  test('that reach a follower are passed on, with their origin', () => {
    const member = new TestMember();
    member.answer(emptyAppend(1));
    const entries = [{ type: EntryType.normal, term: 0, index: 0, data: bytes('a') }];
    const [passed] = member.answer(makeMessage(MessageType.propose, 9n, 1n, { entries }));
    assert.deepEqual([passed?.to, passed?.from, passed?.term], [2n, 9n, 0]);
  });
});

describe('robustness', () => {
  test('what members only tell themselves is ignored when it comes from outside', () => {
    const { hup, beat, unreachable, snapshotStatus, checkQuorum } = MessageType;
    for (const type of [hup, beat, unreachable, snapshotStatus, checkQuorum]) {
      const member = leaderOfThree();
      const before = member.raft.status();
      assert.deepEqual(member.answer(incoming(type, 1)), []);
      assert.deepEqual(member.raft.status(), before);
    }
  });

  test('answers from strangers are ignored, even with a higher term', () => {
    const member = leaderOfThree();
    for (const type of [appendResponse, voteResponse, heartbeatResponse]) {
      assert.deepEqual(member.answer(incoming(type, 9, {}, 77n)), []);
    }
    assert.equal(member.raft.role, 'leader');
  });

  test('a message without a term that should have one is ignored', () => {
    const member = new TestMember();
    assert.deepEqual(member.answer(emptyAppend(0, { entries: entriesOf([1]) })), []);
    assert.equal(member.raft.leader, 0n);
  });

  test('an append whose entries do not follow each other is ignored', () => {
    const member = new TestMember();
    const [first, , third] = entriesOf([1, 1, 1]);
    assert.deepEqual(member.answer(emptyAppend(1, { entries: [first!, third!] })), []);
    assert.equal(member.raft.lastIndex, 0);
  });

  test('an acknowledgement beyond the leader’s log is ignored', () => {
    const member = leaderOfThree();
    member.answer(incoming(appendResponse, 1, { index: 99 }));
    assert.equal(member.raft.status().progress.get(2n)?.match, 1);
  });

  test('a commit index that a member cannot have shows that its log was lost', () => {
    const member = new TestMember();
    const message = incoming(MessageType.heartbeat, 1, { commit: 5 });
    assert.throws(() => member.raft.step(message), /was the log lost/);
  });

  test('impossible configurations are refused', () => {
    const make = (overrides: object): Raft =>
      new Raft({
        ...DEFAULTS,
        id: 1n,
        storage: new MemoryDisk(),
        random: new SeededRandom(1),
        applied: 0,
        ...overrides,
      });
    assert.ok(make({}));
    for (const bad of [
      { id: 0n },
      { heartbeatTicks: 0 },
      { electionTicks: 1 },
      { maxInflightMessages: 0 },
      { applied: 3 },
    ]) {
      assert.throws(() => make(bad), { name: 'RaftInvariantError' });
    }
  });

  test('a follower that lost a whole window recovers at the next heartbeat', () => {
    const member = leaderOfThree({ maxInflightMessages: 1 });
    member.raft.propose([bytes('a')]);
    member.pump().takeSent();
    const [retry] = member.answer(incoming(heartbeatResponse, 1));
    assert.deepEqual([retry?.type, retry?.index, retry?.entries.length], [append, 2, 0]);
    const again = member.answer(
      incoming(appendResponse, 1, { index: 2, reject: true, rejectHint: 1, logTerm: 1 }),
    );
    assert.deepEqual(again[0]?.entries.length, 1);
  });

  test('a member that was unreachable is probed again from what it is known to have', () => {
    const member = leaderOfThree();
    member.raft.propose([bytes('a')]);
    member.raft.reportUnreachable(2n);
    const progress = member.raft.status().progress.get(2n);
    assert.deepEqual([progress?.state, progress?.next], ['probe', 2]);
  });
});

describe('Readys', () => {
  test('there is none when there is nothing to do', () => {
    const member = single();
    assert.equal(member.raft.hasReady(), false);
    assert.deepEqual(
      { ...member.raft.ready(), number: 0 },
      {
        number: 0,
        hardState: undefined,
        entries: [],
        snapshot: undefined,
        committedEntries: [],
        messages: [],
        messagesAfterAppend: [],
        readStates: [],
        events: [],
        mustSync: false,
      },
    );
  });

  test('a commit index alone need not be synced', () => {
    const member = leaderOfThree();
    member.raft.propose([bytes('a')]);
    member.pump();
    member.raft.step(incoming(appendResponse, 1, { index: 2 }));
    const ready = member.raft.ready();
    assert.deepEqual([ready.hardState?.commit, ready.mustSync], [2, false]);
  });

  test('several can be under way; the last report covers those before', () => {
    const member = single();
    member.raft.propose([bytes('a')]);
    const first = member.raft.ready();
    member.raft.propose([bytes('b')]);
    const second = member.raft.ready();
    assert.deepEqual([first.entries.length, second.entries.length], [1, 1]);
    for (const ready of [first, second]) member.disk.write(ready);
    member.raft.appended(second);
    assert.equal(member.raft.commitIndex, 3);
    member.raft.appended(first);
    assert.equal(member.raft.commitIndex, 3);
  });

  test('a report of a Ready that was never handed out is a bug', () => {
    const member = single();
    const ready = { ...member.raft.ready(), number: 1000 };
    assert.throws(() => member.raft.appended(ready), /never handed out/);
  });

  test('the events tell the story of an election', () => {
    const cluster = new TestCluster([1n, 2n, 3n]);
    const told = cluster.elect(1n).events.map(({ type }) => type);
    assert.deepEqual(told.slice(0, 2), ['campaignStarted', 'becameCandidate']);
    assert.deepEqual(told.slice(-2), ['becameLeader', 'leaderChanged']);
  });

  test('the status shows the progress of all members, at the leader only', () => {
    const cluster = new TestCluster([1n, 2n, 3n]);
    cluster.elect(1n);
    cluster.propose(1n, 'a');
    const { progress, ...rest } = cluster.at(1n).raft.status();
    assert.deepEqual(
      [...progress].map(([id, { match, state }]) => [id, match, state]),
      [1n, 2n, 3n].map((id) => [id, 2, 'replicate']),
    );
    assert.deepEqual(
      [rest.role, rest.leader, rest.commitIndex, rest.applied],
      ['leader', 1n, 2, 2],
    );
    assert.equal(cluster.at(2n).raft.status().progress.size, 0);
  });

  test('snapshots that were delivered or lost put the member back to probing', () => {
    const cluster = new TestCluster([1n, 2n, 3n]);
    const { raft } = cluster.elect(1n);
    cluster.isolate(3n);
    cluster.propose(1n, 'a');
    cluster.at(1n).compact();
    cluster.rejoin(3n);
    cluster.filter = ({ type }) => type !== MessageType.snapshot;
    cluster.tick(1);
    assert.equal(raft.status().progress.get(3n)?.state, 'snapshot');
    raft.reportSnapshot(3n, false);
    assert.deepEqual(raft.status().progress.get(3n)?.state, 'probe');
    cluster.filter = () => true;
    cluster.tick(1);
    assert.equal(cluster.at(3n).raft.applied, 2);
  });

  test('no snapshot is sent to a member that does not answer', () => {
    const cluster = new TestCluster([1n, 2n, 3n], { checkQuorum: true });
    const member = cluster.elect(1n);
    cluster.isolate(3n);
    cluster.tick(20);
    cluster.propose(1n, 'a');
    member.compact();
    member.raft.reportUnreachable(3n);
    member.raft.propose([bytes('b')]);
    const sent = member.pump().takeSent();
    assert.ok(!typesOf(sent).includes('snapshot>3'), typesOf(sent).join());
  });
});
