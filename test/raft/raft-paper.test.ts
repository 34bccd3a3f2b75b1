/** A test per rule of "In Search of an Understandable Consensus Algorithm" (extended version). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConfChangeType, EntryType, MessageType } from '../../src/raft/index.js';
import { change, encodeChange } from './support/conf-change-data.js';
import { confOf } from './support/memory-disk.js';
import { emptyAppend, incoming, typesOf } from './support/incoming.js';
import { TestCluster } from './support/test-cluster.js';
import { TestMember, bytes, entriesOf } from './support/test-member.js';

const { append, appendResponse, heartbeat, snapshot, vote, voteResponse } = MessageType;

function candidate(): TestMember {
  const member = new TestMember();
  member.raft.campaign();
  member.pump();
  return member;
}

/** Member 1 leads 2 and 3 in term 1; its no-op at index 1 is not committed. */
function leader(): TestMember {
  const member = candidate();
  member.answer(incoming(voteResponse, member.raft.term));
  assert.equal(member.raft.role, 'leader');
  return member;
}

describe('figure 2, rules for all servers (5.1)', () => {
  for (const [name, member] of [
    ['follower', new TestMember()],
    ['candidate', candidate()],
    ['leader', leader()],
  ] as const) {
    test(`a ${name} that hears of a higher term adopts it and becomes a follower`, () => {
      member.answer(emptyAppend(5));
      assert.deepEqual(
        [member.raft.role, member.raft.term, member.raft.leader],
        ['follower', 5, 2n],
      );
    });
  }

  test('a request with a stale term is rejected with the newer one', () => {
    const member = new TestMember({ hardState: { term: 4, vote: 0n, commit: 0 } });
    const [answer] = member.answer(emptyAppend(3));
    assert.deepEqual([answer?.type, answer?.term, answer?.index], [appendResponse, 4, 0]);
    assert.equal(member.raft.leader, 0n);
  });

  test('a vote request with a stale term is refused with the newer one', () => {
    const member = new TestMember({ hardState: { term: 4, vote: 0n, commit: 0 } });
    const [answer] = member.answer(incoming(vote, 3, { index: 9, logTerm: 3 }));
    assert.deepEqual([answer?.type, answer?.term, answer?.reject], [voteResponse, 4, true]);
    assert.equal(member.raft.status().vote, 0n);
  });

  test('an answer with a stale term is ignored', () => {
    const member = leader();
    member.answer(emptyAppend(2));
    member.answer(incoming(voteResponse, 1, {}, 3n));
    assert.equal(member.raft.role, 'follower');
  });

  test('what is committed is applied, in log order, once', () => {
    const member = new TestMember();
    member.answer(emptyAppend(1, { entries: entriesOf([1, 1, 1]), commit: 2 }));
    member.answer(emptyAppend(1, { index: 3, logTerm: 1, commit: 3 }));
    assert.deepEqual(
      member.applied.map(({ index }) => index),
      [1, 2, 3],
    );
  });
});

describe('figure 2, followers (5.2)', () => {
  test('servers start as followers, with the term and vote that survived', () => {
    const member = new TestMember({ hardState: { term: 7, vote: 3n, commit: 0 } });
    assert.equal(member.raft.role, 'follower');
    assert.deepEqual([member.raft.term, member.raft.status().vote], [7, 3n]);
  });

  test('without a word from a leader the election timeout makes a candidate', () => {
    const member = new TestMember();
    member.tick(9);
    assert.equal(member.raft.role, 'follower');
    member.tick(10);
    assert.equal(member.raft.role, 'candidate');
  });

  for (const [name, type] of [
    ['an append', append],
    ['a heartbeat', heartbeat],
  ] as const) {
    test(`${name} of the current leader puts the election off`, () => {
      const member = new TestMember();
      for (let i = 0; i < 10; i++) {
        member.tick(9);
        member.answer(incoming(type, 1));
      }
      assert.deepEqual([member.raft.role, member.raft.leader], ['follower', 2n]);
    });
  }

  test('granting a vote puts the election off, refusing it does not', () => {
    const granting = new TestMember({ log: [1] });
    granting.tick(9);
    granting.answer(incoming(vote, 1, { index: 1, logTerm: 1 }));
    granting.tick(9);
    assert.equal(granting.raft.role, 'follower');
    const refusing = new TestMember({ log: [1] });
    refusing.tick(9);
    refusing.answer(incoming(vote, 1, { index: 0, logTerm: 0 }));
    refusing.tick(10);
    assert.equal(refusing.raft.role, 'candidate');
  });
});

describe('figure 2, candidates (5.2)', () => {
  test('an election raises the term, votes for itself and asks all others', () => {
    const member = new TestMember({ log: [1, 1], hardState: { term: 2, vote: 0n, commit: 0 } });
    member.raft.campaign();
    const sent = member.pump().takeSent();
    assert.deepEqual([member.raft.term, member.raft.status().vote], [3, 1n]);
    assert.deepEqual(typesOf(sent), ['vote>2', 'vote>3']);
    assert.deepEqual([sent[0]?.term, sent[0]?.index, sent[0]?.logTerm], [3, 2, 1]);
  });

  const cases: [size: number, grants: number, rejections: number, role: string][] = [
    [1, 0, 0, 'leader'],
    [3, 1, 0, 'leader'],
    [3, 0, 0, 'candidate'],
    [3, 0, 1, 'candidate'],
    [3, 0, 2, 'follower'],
    [5, 2, 0, 'leader'],
    [5, 1, 1, 'candidate'],
    [5, 1, 3, 'follower'],
    [5, 2, 2, 'leader'],
  ];
  for (const [size, grants, rejections, role] of cases) {
    test(`with ${grants} grants and ${rejections} refusals of ${size - 1} it is a ${role}`, () => {
      const ids = Array.from({ length: size }, (_, i) => BigInt(i + 1));
      const member = new TestMember({ confState: confOf(ids) });
      member.raft.campaign();
      member.pump();
      for (let i = 0; i < grants + rejections; i++) {
        const reject = i >= grants;
        member.answer(incoming(voteResponse, member.raft.term, { reject }, BigInt(i + 2)));
      }
      assert.equal(member.raft.role, role);
    });
  }

  test('one vote a server counts, however often it comes', () => {
    const member = new TestMember({ confState: confOf([1n, 2n, 3n, 4n, 5n]) });
    member.raft.campaign();
    member.pump();
    for (let i = 0; i < 3; i++) member.answer(incoming(voteResponse, 1));
    assert.equal(member.raft.role, 'candidate');
  });

  for (const term of [1, 2]) {
    test(`an append of term ${term} makes a candidate of term 1 a follower of its leader`, () => {
      const member = candidate();
      member.answer(emptyAppend(term));
      assert.deepEqual(
        [member.raft.role, member.raft.leader, member.raft.term],
        ['follower', 2n, term],
      );
    });
  }

  test('an election without a winner is followed by another, in a new term', () => {
    const member = candidate();
    member.tick(19);
    assert.deepEqual([member.raft.role, member.raft.term], ['candidate', 2]);
  });

  test('timeouts are random, so that split votes are rare', () => {
    const terms = new Set<number>();
    const member = new TestMember();
    for (let elections = 0; elections < 50; elections++) {
      const { term } = member.raft;
      let ticks = 0;
      for (; member.raft.term === term; ticks++) member.tick(1);
      terms.add(ticks);
    }
    assert.ok(terms.size > 5, `${[...terms]}`);
    assert.ok(Math.min(...terms) >= 10 && Math.max(...terms) <= 19);
  });
});

describe('figure 2, RequestVote receiver (5.2, 5.4.1)', () => {
  const votes: [own: bigint, from: bigint, granted: boolean][] = [
    [0n, 2n, true],
    [0n, 3n, true],
    [2n, 2n, true],
    [3n, 2n, false],
  ];
  for (const [own, from, granted] of votes) {
    test(`having voted for ${own}, it ${granted ? 'grants' : 'refuses'} ${from} its vote`, () => {
      const member = new TestMember({ hardState: { term: 1, vote: own, commit: 0 } });
      const [answer] = member.answer(incoming(vote, 1, {}, from));
      assert.deepEqual([answer?.type, answer?.reject], [voteResponse, !granted]);
    });
  }

  const logs: [own: number[], index: number, logTerm: number, granted: boolean][] = [
    [[1], 1, 1, true],
    [[1], 2, 1, true],
    [[1, 1], 1, 1, false],
    [[1], 1, 2, true],
    [[1, 1], 1, 2, true],
    [[2], 1, 1, false],
    [[2], 5, 1, false],
  ];
  for (const [own, index, logTerm, granted] of logs) {
    test(`a log of terms ${own} ${granted ? 'votes' : 'does not vote'} for one that ends ${index}@${logTerm}`, () => {
      const member = new TestMember({ log: own });
      const [answer] = member.answer(incoming(vote, 5, { index, logTerm }));
      assert.equal(answer?.reject, !granted);
    });
  }

  test('the vote is durable before it is told (persistent state)', () => {
    const member = new TestMember();
    member.raft.step(incoming(vote, 1));
    const ready = member.takeReady();
    assert.deepEqual(ready.hardState, { term: 1, vote: 2n, commit: 0 });
    assert.deepEqual(typesOf(ready.messages), []);
    assert.deepEqual(typesOf(ready.messagesAfterAppend), ['voteResponse>2']);
    assert.equal(ready.mustSync, true);
  });

  test('a vote is kept through a crash', () => {
    const member = new TestMember();
    member.answer(incoming(vote, 1));
    member.restart();
    assert.equal(member.answer(incoming(vote, 1, {}, 3n))[0]?.reject, true);
  });
});

describe('figure 2, AppendEntries receiver (5.3)', () => {
  test('refuses when the log has no entry at prevLogIndex with prevLogTerm', () => {
    const missing = new TestMember({ log: [1, 1] });
    const [answer] = missing.answer(emptyAppend(2, { index: 5, logTerm: 1 }));
    assert.deepEqual([answer?.reject, answer?.index, answer?.rejectHint], [true, 5, 2]);
    const other = new TestMember({ log: [1, 1] });
    assert.equal(other.answer(emptyAppend(3, { index: 2, logTerm: 2 }))[0]?.reject, true);
  });

  const appends: [
    own: number[],
    index: number,
    logTerm: number,
    sent: number[],
    result: number[],
  ][] = [
    [[1, 2], 2, 2, [3], [1, 2, 3]],
    [[1, 2], 1, 1, [3, 4], [1, 3, 4]],
    [[1, 2], 0, 0, [1], [1, 2]],
    [[1, 2], 0, 0, [3], [3]],
    [[1, 2, 2], 1, 1, [2], [1, 2, 2]],
  ];
  for (const [own, index, logTerm, sent, result] of appends) {
    test(`terms ${own} with ${sent} after ${index} give ${result}`, () => {
      const member = new TestMember({ log: own });
      const entries = entriesOf(sent, index + 1);
      const [answer] = member.answer(emptyAppend(5, { index, logTerm, entries }));
      assert.deepEqual(member.logTerms(), result);
      assert.deepEqual([answer?.reject, answer?.index], [false, index + sent.length]);
    });
  }

  const commits: [commit: number, sent: number, expected: number][] = [
    [1, 3, 1],
    [3, 2, 2],
    [9, 3, 3],
    [9, 0, 0],
  ];
  for (const [commit, sent, expected] of commits) {
    test(`leaderCommit ${commit} with ${sent} new entries commits ${expected}`, () => {
      const log = [1, 1, 1];
      const member = new TestMember({ log });
      member.answer(emptyAppend(1, { commit, entries: entriesOf(log.slice(0, sent)) }));
      assert.equal(member.raft.commitIndex, expected);
    });
  }

  test('entries are durable before they are acknowledged', () => {
    const member = new TestMember();
    member.raft.step(emptyAppend(1, { entries: entriesOf([1]) }));
    const ready = member.takeReady();
    assert.deepEqual([ready.messages.length, ready.messagesAfterAppend.length], [0, 1]);
    assert.equal(ready.mustSync, true);
  });

  test('an append before the commit index is old and answered with what is committed', () => {
    const member = new TestMember({ log: [1, 1, 1], hardState: { term: 1, vote: 0n, commit: 2 } });
    const [answer] = member.answer(emptyAppend(1, { index: 1, logTerm: 1 }));
    assert.deepEqual([answer?.index, answer?.reject], [2, false]);
  });
});

describe('figure 2, leaders', () => {
  test('upon election an empty entry goes to everybody (5.2, 8)', () => {
    const member = candidate();
    const sent = member.answer(incoming(voteResponse, 1));
    assert.deepEqual(typesOf(sent), ['append>2', 'append>3']);
    assert.deepEqual(
      sent[0]?.entries.map(({ term, index, data }) => [term, index, data.length]),
      [[1, 1, 0]],
    );
  });

  test('heartbeats go out while idle (5.2)', () => {
    const member = leader();
    member.takeSent();
    member.raft.tick();
    assert.deepEqual(typesOf(member.pump().takeSent()), ['heartbeat>2', 'heartbeat>3']);
  });

  test('a command is appended, replicated, and applied when a majority has it (5.3)', () => {
    const cluster = new TestCluster([1n, 2n, 3n]);
    cluster.elect(1n);
    cluster.isolate(3n);
    cluster.propose(1n, 'a');
    assert.deepEqual(cluster.appliedTexts(1n), ['a']);
    assert.deepEqual(cluster.appliedTexts(2n), ['a']);
    cluster.rejoin(3n);
    cluster.tick(1);
    assert.deepEqual(cluster.appliedTexts(3n), ['a']);
  });

  test('without a majority nothing is committed (5.3)', () => {
    const cluster = new TestCluster([1n, 2n, 3n]);
    cluster.elect(1n);
    cluster.isolate(2n);
    cluster.isolate(3n);
    cluster.propose(1n, 'a').tick(3);
    assert.deepEqual(cluster.appliedTexts(1n), []);
  });

  test('a refused append is retried with an earlier place until the logs agree (5.3)', () => {
    const logs = new Map([
      [1n, { log: [1, 1, 2, 4] }],
      [2n, { log: [1, 1, 2, 2, 3, 3, 3] }],
      [3n, { log: [1] }],
    ]);
    const cluster = new TestCluster([1n, 2n, 3n], {}, logs);
    cluster.elect(1n);
    for (const id of [1n, 2n, 3n]) assert.deepEqual(cluster.at(id).logTerms(), [1, 1, 2, 4, 5]);
  });

  test('every log of figure 7 is made to agree with the leader’s', () => {
    const leads = [1, 1, 1, 4, 4, 5, 5, 6, 6, 6];
    const others = [
      [1, 1, 1, 4, 4, 5, 5, 6, 6],
      [1, 1, 1, 4],
      [1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 6],
      [1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 7, 7],
      [1, 1, 1, 4, 4, 4, 4],
      [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3],
    ];
    for (const [i, log] of others.entries()) {
      const hardState = { term: 7, vote: 0n, commit: 0 };
      const logs = new Map([
        [1n, { log: leads, hardState }],
        [2n, { log, hardState }],
      ]);
      const cluster = new TestCluster([1n, 2n, 3n], {}, logs);
      cluster.elect(1n);
      assert.deepEqual(cluster.at(2n).logTerms(), [...leads, 8], `follower ${'abcdef'[i]}`);
    }
  });

  test('figure 8: an entry of an older term is not committed by counting, but by one of the own (5.4.2)', () => {
    const member = new TestMember({ log: [1, 2], hardState: { term: 3, vote: 0n, commit: 1 } });
    member.raft.campaign();
    member.pump();
    member.answer(incoming(voteResponse, 4));
    member.answer(incoming(appendResponse, 4, { index: 2 }));
    assert.equal(member.raft.commitIndex, 1);
    member.answer(incoming(appendResponse, 4, { index: 3 }));
    assert.equal(member.raft.commitIndex, 3);
  });

  test('the leader’s own log counts only as far as it is durable (5.3, 10.2.1 of the dissertation)', () => {
    const member = leader();
    member.answer(incoming(appendResponse, 1, { index: 1 }));
    member.raft.propose([bytes('a')]);
    member.takeReady();
    member.raft.step(incoming(appendResponse, 1, { index: 2 }));
    assert.equal(member.raft.commitIndex, 1);
    member.persist();
    assert.equal(member.raft.commitIndex, 2);
  });

  test('the commit index is passed on with appends and heartbeats, never beyond what a follower has', () => {
    const member = leader();
    const sent = member.answer(incoming(appendResponse, 1, { index: 1 }));
    assert.deepEqual([sent[0]?.commit, typesOf(sent).includes('append>2')], [1, true]);
    member.raft.tick();
    const beats = member.pump().takeSent();
    assert.deepEqual(
      beats.map(({ to, commit }) => [to, commit]),
      [
        [2n, 1],
        [3n, 0],
      ],
    );
  });

  test('leader append-only: a leader never takes an append of its own term', () => {
    const member = leader();
    assert.throws(() => member.raft.step(emptyAppend(1)), /two leaders in term 1/);
  });
});

describe('section 5.5, follower and candidate crashes', () => {
  test('appends and votes can be repeated without harm', () => {
    const member = new TestMember();
    const message = emptyAppend(1, { entries: entriesOf([1, 1]) });
    const [first] = member.answer(message);
    const [second] = member.answer(message);
    assert.deepEqual(second, first);
    assert.deepEqual(member.logTerms(), [1, 1]);
  });

  test('what was acknowledged is there after a crash', () => {
    const member = new TestMember();
    member.answer(emptyAppend(3, { entries: entriesOf([1, 2]) }));
    member.restart();
    assert.deepEqual([member.raft.term, member.raft.lastIndex], [3, 2]);
  });
});

describe('section 7, log compaction', () => {
  const snapshotMessage = (index: number): ReturnType<typeof incoming> =>
    incoming(snapshot, 2, {
      snapshot: {
        metadata: { index, term: 2, confState: confOf([1n, 2n]) },
        data: new Uint8Array(0),
      },
    });

  test('a snapshot replaces the log and the configuration', () => {
    const member = new TestMember({ log: [1, 1] });
    const [answer] = member.answer(snapshotMessage(9));
    assert.deepEqual([answer?.type, answer?.index], [appendResponse, 9]);
    const { raft } = member;
    assert.deepEqual([raft.commitIndex, raft.applied, raft.lastIndex], [9, 9, 9]);
    assert.deepEqual(raft.confState, confOf([1n, 2n]));
  });

  test('older changes may still be applied before the snapshot is installed', () => {
    const addFour = encodeChange(change([[ConfChangeType.addNode, 4n]]));
    const member = new TestMember();
    const entries = [{ type: EntryType.confChange, term: 1, index: 1, data: addFour }];
    member.raft.step(emptyAppend(1, { entries, commit: 1 }));
    for (let i = 0; i < 2; i++) {
      member.takeReady();
      member.persist();
    }
    member.raft.step(snapshotMessage(9));
    member.apply();
    assert.deepEqual(member.raft.confState, confOf([1n, 2n, 3n, 4n]));
    member.pump();
    assert.deepEqual(member.raft.confState, confOf([1n, 2n]));
  });

  test('a snapshot of what the log has keeps the entries behind it', () => {
    const member = new TestMember({ log: [2, 2, 2] });
    member.answer(snapshotMessage(2));
    assert.deepEqual([member.raft.lastIndex, member.raft.commitIndex], [3, 2]);
  });

  test('a snapshot of what is committed is answered with the commit index', () => {
    const member = new TestMember({ log: [2, 2, 2], hardState: { term: 2, vote: 0n, commit: 3 } });
    assert.equal(member.answer(snapshotMessage(2))[0]?.index, 3);
  });

  test('nobody campaigns and nothing is applied while a snapshot is being installed', () => {
    const member = new TestMember();
    member.raft.step(snapshotMessage(9));
    member.raft.campaign();
    const ready = member.takeReady();
    assert.deepEqual([ready.snapshot?.metadata.index, ready.committedEntries], [9, []]);
    assert.equal(member.raft.role, 'follower');
    assert.equal(typesOf(ready.messagesAfterAppend).join(), 'appendResponse>2');
    member.persist();
    member.raft.campaign();
    assert.equal(member.raft.role, 'candidate');
  });

  test('a follower that needs compacted entries gets the snapshot, then the rest of the log', () => {
    const cluster = new TestCluster([1n, 2n, 3n]);
    cluster.elect(1n);
    cluster.isolate(3n);
    cluster.propose(1n, 'a', 'b');
    cluster.at(1n).compact();
    cluster.propose(1n, 'c');
    cluster.rejoin(3n);
    cluster.tick(2);
    assert.equal(cluster.at(3n).disk.firstIndex(), 4);
    assert.deepEqual(cluster.appliedTexts(3n), ['c']);
    assert.equal(cluster.at(1n).raft.status().progress.get(3n)?.state, 'replicate');
  });
});

describe('section 8, client interaction', () => {
  test('a leader answers reads only after it has committed an entry of its term', () => {
    const member = leader();
    member.raft.readIndex(bytes('r'));
    member.pump();
    assert.deepEqual(member.reads, []);
    const sent = member.answer(incoming(appendResponse, 1, { index: 1 }));
    assert.deepEqual(typesOf(sent).slice(0, 2), ['heartbeat>2', 'heartbeat>3']);
    const context = sent[0]!.context;
    member.answer(incoming(MessageType.heartbeatResponse, 1, { context }));
    assert.deepEqual(member.reads, [{ index: 1, context: bytes('r') }]);
  });

  test('a follower passes commands on to the leader it knows', () => {
    const cluster = new TestCluster([1n, 2n, 3n]);
    assert.equal(cluster.at(2n).raft.propose([bytes('a')]), 'noLeader');
    cluster.elect(1n);
    assert.equal(cluster.at(2n).raft.propose([bytes('a'), bytes('b')]), 'accepted');
    cluster.settle();
    assert.deepEqual(cluster.appliedTexts(3n), ['a', 'b']);
  });
});
