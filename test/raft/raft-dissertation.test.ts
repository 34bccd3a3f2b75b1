/** A test per rule of "Consensus: Bridging Theory and Practice" that goes beyond the paper. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ConfChangeTransition,
  ConfChangeType,
  EntryType,
  MessageType,
  type ConfChangeProposal,
} from '../../src/raft/index.js';
import { change, encodeChange } from './support/conf-change-data.js';
import { incoming, typesOf } from './support/incoming.js';
import { confOf } from './support/memory-disk.js';
import { TestCluster } from './support/test-cluster.js';
import { TestMember, bytes, text } from './support/test-member.js';

const { addNode, addLearnerNode, removeNode } = ConfChangeType;
const { appendResponse, heartbeatResponse, preVote, preVoteResponse, timeoutNow, vote } =
  MessageType;

function v1(type: ConfChangeType, id: bigint): ConfChangeProposal {
  return { type: 'v1', data: encodeChange(change([[type, id]])) };
}

const three = [1n, 2n, 3n];

describe('3.10, leadership transfer', () => {
  test('the transferee leads after one election, without a timeout', () => {
    const cluster = new TestCluster(three, { preVote: true, checkQuorum: true });
    cluster.elect(1n).raft.transferLeader(2n);
    cluster.settle();
    assert.deepEqual([cluster.at(2n).raft.role, cluster.at(1n).raft.leader], ['leader', 2n]);
  });

  test('a transferee that lags is brought up to date first', () => {
    const cluster = new TestCluster(three);
    cluster.elect(1n);
    cluster.isolate(2n);
    cluster.propose(1n, 'a', 'b');
    cluster.rejoin(2n);
    cluster.at(1n).raft.transferLeader(2n);
    cluster.settle().tick(1);
    assert.equal(cluster.at(2n).raft.role, 'leader');
    assert.deepEqual(cluster.appliedTexts(2n), ['a', 'b']);
  });

  test('no proposals are taken meanwhile; after an election timeout they are again', () => {
    const cluster = new TestCluster(three);
    const { raft } = cluster.elect(1n);
    cluster.isolate(2n);
    raft.transferLeader(2n);
    assert.equal(raft.propose([bytes('a')]), 'transferring');
    assert.equal(raft.transferee, 2n);
    cluster.tick(10, [1n]);
    assert.equal(raft.transferee, 0n);
    assert.equal(raft.propose([bytes('a')]), 'accepted');
  });

  test('another transfer replaces the first; the same one does not start anew', () => {
    const cluster = new TestCluster(three);
    const member = cluster.elect(1n);
    for (const id of [2n, 3n]) cluster.isolate(id);
    member.raft.transferLeader(2n);
    member.raft.transferLeader(2n);
    member.raft.transferLeader(3n);
    assert.equal(member.raft.transferee, 3n);
    member.pump();
    const started = member.events.filter(({ type }) => type === 'transferStarted');
    assert.equal(started.length, 2);
  });

  test('nothing is handed to itself, a learner or a stranger', () => {
    const confState = confOf(three, [4n]);
    const cluster = new TestCluster([...three, 4n], { confState });
    const { raft } = cluster.elect(1n);
    for (const id of [1n, 4n, 9n]) {
      raft.transferLeader(id);
      assert.equal(raft.transferee, 0n);
    }
  });

  test('a follower passes the wish on to the leader', () => {
    const cluster = new TestCluster(three);
    cluster.elect(1n);
    cluster.at(3n).raft.transferLeader(2n);
    cluster.settle();
    assert.equal(cluster.at(2n).raft.role, 'leader');
  });

  test('a transferee that was removed ends the transfer', () => {
    const cluster = new TestCluster(three);
    const { raft } = cluster.elect(1n);
    raft.proposeConfChange(v1(removeNode, 2n));
    cluster.filter = ({ type }) => type !== timeoutNow;
    raft.transferLeader(2n);
    cluster.settle();
    assert.deepEqual([raft.transferee, raft.confState.voters], [0n, [1n, 3n]]);
  });

  test('who is no voter does not campaign, even when told to', () => {
    const member = new TestMember({ id: 1n, confState: confOf([2n, 3n], [1n]) });
    member.answer(incoming(timeoutNow, 1));
    assert.equal(member.raft.role, 'follower');
  });
});

describe('4.1, one change at a time', () => {
  test('a change takes effect when it is applied', () => {
    const cluster = new TestCluster([1n]);
    const { raft } = cluster.elect(1n);
    raft.proposeConfChange(v1(addNode, 2n));
    assert.deepEqual(raft.confState.voters, [1n]);
    cluster.settle();
    assert.deepEqual(raft.confState.voters, [1n, 2n]);
  });

  test('a second change while one is not applied becomes an empty entry', () => {
    const member = new TestMember({ confState: confOf([1n]) });
    member.raft.campaign();
    member.pump();
    member.raft.proposeConfChange(v1(addLearnerNode, 2n));
    member.raft.proposeConfChange(v1(addLearnerNode, 3n));
    member.pump();
    assert.deepEqual(member.raft.confState, confOf([1n], [2n]));
    assert.equal(member.applied.at(-1)?.data.length, 0);
    member.raft.proposeConfChange(v1(addLearnerNode, 3n));
    member.pump();
    assert.deepEqual(member.raft.confState, confOf([1n], [2n, 3n]));
  });

  test('a new leader takes no change before it has applied all that it found in its log', () => {
    const member = new TestMember({ confState: confOf([1n]), log: [1, 1] });
    member.raft.campaign();
    member.takeReady();
    member.persist();
    assert.equal(member.raft.role, 'leader');
    member.raft.proposeConfChange(v1(addNode, 2n));
    member.pump();
    assert.deepEqual(member.raft.confState, confOf([1n]));
  });

  test('nobody campaigns with a committed change that it has not applied', () => {
    const cluster = new TestCluster(three);
    cluster.elect(1n).raft.proposeConfChange(v1(removeNode, 3n));
    const follower = cluster.at(2n);
    cluster.filter = ({ to }) => to === 1n || to === 2n;
    for (let i = 0; i < 6; i++) {
      for (const { to, ...rest } of cluster.at(1n).pump().takeSent()) {
        if (to === 2n) follower.raft.step({ to, ...rest });
      }
      if (follower.raft.hasReady()) follower.takeReady();
      follower.persist();
      for (const message of follower.takeSent()) cluster.at(1n).raft.step(message);
    }
    assert.equal(follower.raft.commitIndex, 2);
    follower.raft.campaign();
    assert.equal(follower.raft.role, 'follower');
    follower.apply();
    follower.raft.campaign();
    assert.equal(follower.raft.role, 'candidate');
  });

  test('a smaller quorum commits what the larger one could not', () => {
    const cluster = new TestCluster([1n, 2n]);
    const { raft } = cluster.elect(1n);
    raft.proposeConfChange(v1(removeNode, 2n));
    cluster.filter = ({ from, index }) => from !== 2n || index < 3;
    cluster.propose(1n, 'a');
    assert.deepEqual(raft.confState.voters, [1n]);
    assert.deepEqual(cluster.appliedTexts(1n).at(-1), 'a');
  });
});

describe('4.2.1, learners', () => {
  const confState = confOf([1n, 2n], [3n]);

  test('a learner gets the log but counts for nothing', () => {
    const cluster = new TestCluster(three, { confState });
    cluster.elect(1n);
    cluster.propose(1n, 'a');
    assert.deepEqual(cluster.appliedTexts(3n), ['a']);
    cluster.isolate(2n);
    cluster.propose(1n, 'b').tick(2);
    assert.deepEqual(cluster.appliedTexts(3n), ['a']);
  });

  test('a learner does not campaign', () => {
    const cluster = new TestCluster(three, { confState });
    cluster.tick(50, [3n]);
    assert.equal(cluster.at(3n).raft.role, 'follower');
  });

  test('a learner votes when asked: it may have been promoted without knowing', () => {
    const member = new TestMember({ confState: confOf([2n, 3n], [1n]) });
    assert.equal(member.answer(incoming(vote, 1))[0]?.reject, false);
  });

  test('a promoted learner counts and campaigns', () => {
    const cluster = new TestCluster(three, { confState });
    cluster.elect(1n).raft.proposeConfChange(v1(addNode, 3n));
    cluster.settle();
    assert.deepEqual(cluster.at(3n).raft.confState, confOf(three));
    cluster.elect(3n);
    assert.equal(cluster.at(3n).raft.role, 'leader');
  });
});

describe('4.2.2, removing the leader', () => {
  test('it takes no proposals, hands over, and is left a follower', () => {
    const cluster = new TestCluster(three);
    const { raft } = cluster.elect(1n);
    raft.proposeConfChange(v1(removeNode, 1n));
    cluster.settle();
    assert.equal(raft.propose([bytes('a')]), 'noLeader');
    cluster.tick(1);
    assert.equal(raft.role, 'follower');
    assert.ok([2n, 3n].some((id) => cluster.at(id).raft.role === 'leader'));
    cluster.tick(50, [1n]);
    assert.equal(raft.role, 'follower', 'it never campaigns again');
  });

  test('it hands over even to one that has not learned that the removal is committed', () => {
    const cluster = new TestCluster([1n, 2n]);
    const { raft } = cluster.elect(1n);
    cluster.filter = ({ from, commit }) => from !== 1n || commit < 2;
    raft.proposeConfChange(v1(removeNode, 1n));
    cluster.settle();
    assert.equal(cluster.at(2n).raft.role, 'leader');
  });

  test('it leads on until somebody takes over', () => {
    const cluster = new TestCluster([1n, 2n]);
    const { raft } = cluster.elect(1n);
    cluster.filter = ({ type }) => type !== timeoutNow;
    raft.proposeConfChange(v1(removeNode, 1n));
    cluster.settle().tick(30, [1n]);
    assert.deepEqual([raft.confState.voters, raft.role], [[2n], 'leader']);
    cluster.filter = () => true;
    cluster.tick(15, [1n]);
    assert.equal(cluster.at(2n).raft.role, 'leader');
  });

  test('a leader that is demoted to a learner hands over as well', () => {
    const cluster = new TestCluster(three);
    cluster.elect(1n).raft.proposeConfChange(v1(addLearnerNode, 1n));
    cluster.settle().tick(1);
    assert.ok([2n, 3n].some((id) => cluster.at(id).raft.role === 'leader'));
    assert.equal(cluster.at(1n).raft.role, 'follower');
  });
});

describe('4.2.3, disruptive servers', () => {
  test('a vote request is ignored while a leader was heard within the minimum timeout', () => {
    const member = new TestMember({ checkQuorum: true });
    member.answer(incoming(MessageType.heartbeat, 1));
    member.tick(9);
    assert.deepEqual(member.answer(incoming(vote, 5, {}, 3n)), []);
    assert.equal(member.raft.term, 1);
    member.raft.tick();
    assert.equal(member.answer(incoming(vote, 5, {}, 3n))[0]?.reject, false);
  });

  test('a transfer passes the lease', () => {
    const member = new TestMember({ checkQuorum: true });
    member.answer(incoming(MessageType.heartbeat, 1));
    const context = bytes('CampaignTransfer');
    assert.equal(member.answer(incoming(vote, 2, { context }, 3n))[0]?.reject, false);
  });

  test('a leader ignores them too, as long as it has a quorum', () => {
    const cluster = new TestCluster(three, { checkQuorum: true });
    cluster.elect(1n);
    cluster.tick(25);
    assert.deepEqual(cluster.at(1n).answer(incoming(vote, 9, {}, 3n)), []);
    assert.equal(cluster.at(1n).raft.role, 'leader');
  });
});

describe('4.3, joint consensus', () => {
  const swap = change([
    [addNode, 4n],
    [removeNode, 3n],
  ]);

  function jointCluster(transition: ConfChangeTransition): TestCluster {
    const cluster = new TestCluster(three);
    cluster.add(new TestMember({ id: 4n, confState: confOf(three) }));
    const data = encodeChange({ ...swap, transition });
    cluster.elect(1n).raft.proposeConfChange({ type: 'v2', data });
    return cluster.settle();
  }

  test('the leader leaves the joint configuration by itself once it is applied', () => {
    const cluster = jointCluster(ConfChangeTransition.auto);
    assert.deepEqual(cluster.at(1n).raft.confState, confOf([1n, 2n, 4n]));
    assert.deepEqual(cluster.at(4n).raft.confState, confOf([1n, 2n, 4n]));
  });

  test('while joint, a decision needs a majority of both halves', () => {
    const cluster = jointCluster(ConfChangeTransition.jointExplicit);
    cluster.isolate(2n);
    cluster.isolate(4n);
    cluster.propose(1n, 'a');
    assert.deepEqual(cluster.appliedTexts(3n).includes('a'), false);
    cluster.rejoin(4n);
    cluster.tick(2);
    assert.deepEqual(cluster.appliedTexts(3n).includes('a'), true);
  });

  test('while joint, an election needs a majority of both halves', () => {
    const cluster = jointCluster(ConfChangeTransition.jointExplicit);
    cluster.isolate(1n);
    cluster.isolate(4n);
    cluster.elect(2n);
    assert.equal(cluster.at(2n).raft.role, 'candidate');
    cluster.rejoin(4n);
    cluster.elect(2n);
    assert.equal(cluster.at(2n).raft.role, 'leader');
  });

  test('a leader elected while joint leaves it as well', () => {
    const cluster = new TestCluster(three);
    cluster.filter = ({ entries }) =>
      entries.every(({ data, type }) => type === EntryType.normal || data.length > 0);
    const data = encodeChange(swap);
    cluster.add(new TestMember({ id: 4n, confState: confOf(three) }));
    cluster.elect(1n).raft.proposeConfChange({ type: 'v2', data });
    cluster.settle();
    assert.equal(cluster.at(2n).raft.confState.autoLeave, true);
    cluster.filter = () => true;
    cluster.isolate(1n);
    cluster.elect(2n);
    cluster.tick(2, [2n, 3n, 4n]);
    assert.deepEqual(cluster.at(2n).raft.confState, confOf([1n, 2n, 4n]));
  });

  test('leaving waits for a transfer to end', () => {
    const cluster = new TestCluster(three);
    const { raft } = cluster.elect(1n);
    raft.proposeConfChange({ type: 'v2', data: encodeChange(swap) });
    cluster.filter = ({ type }) => type !== timeoutNow;
    raft.transferLeader(2n);
    cluster.settle();
    assert.equal(raft.confState.autoLeave, true);
    cluster.add(new TestMember({ id: 4n, confState: confOf(three) }));
    cluster.tick(12, [1n]);
    assert.deepEqual(raft.confState, confOf([1n, 2n, 4n]));
  });
});

describe('6.2, check quorum', () => {
  test('a leader that hears no quorum for an election timeout steps down', () => {
    const cluster = new TestCluster(three, { checkQuorum: true });
    const { raft } = cluster.elect(1n);
    cluster.tick(30);
    assert.equal(raft.role, 'leader');
    cluster.isolate(1n);
    cluster.tick(20, [1n]);
    assert.deepEqual([raft.role, raft.leader], ['follower', 0n]);
  });

  test('without the option it leads on', () => {
    const cluster = new TestCluster(three);
    cluster.elect(1n);
    cluster.isolate(1n);
    cluster.tick(40, [1n]);
    assert.equal(cluster.at(1n).raft.role, 'leader');
  });

  test('a newcomer counts as heard until the next check', () => {
    const cluster = new TestCluster([1n], { checkQuorum: true });
    const { raft } = cluster.elect(1n);
    cluster.tick(9, [1n]);
    raft.proposeConfChange(v1(addNode, 2n));
    cluster.settle().tick(1, [1n]);
    assert.equal(raft.role, 'leader');
    cluster.tick(10, [1n]);
    assert.equal(raft.role, 'follower');
  });
});

describe('6.4, ReadIndex', () => {
  test('the answer is the commit index at the time of the question', () => {
    const cluster = new TestCluster(three);
    const member = cluster.elect(1n);
    cluster.propose(1n, 'a');
    member.raft.readIndex(bytes('r'));
    member.raft.propose([bytes('b')]);
    cluster.settle();
    assert.deepEqual(member.reads, [{ index: 2, context: bytes('r') }]);
  });

  test('a leader that was deposed does not answer', () => {
    const cluster = new TestCluster(three);
    const old = cluster.elect(1n);
    cluster.isolate(1n);
    cluster.elect(2n);
    cluster.propose(2n, 'a');
    old.raft.readIndex(bytes('r'));
    cluster.settle().tick(3, [1n]);
    cluster.rejoin(1n);
    cluster.tick(3);
    assert.deepEqual(old.reads, []);
  });

  test('a round that was lost is repeated with the heartbeats', () => {
    const cluster = new TestCluster(three);
    const member = cluster.elect(1n);
    cluster.filter = ({ type }) => type !== heartbeatResponse;
    member.raft.readIndex(bytes('r'));
    cluster.settle();
    assert.deepEqual(member.reads, []);
    cluster.filter = () => true;
    cluster.tick(1);
    assert.equal(member.reads.length, 1);
  });

  test('an echo of a later round confirms earlier ones, each with its own index', () => {
    const cluster = new TestCluster(three);
    const member = cluster.elect(1n);
    member.raft.readIndex(bytes('first'));
    member.takeReady();
    member.raft.readIndex(bytes('second'));
    const beats = member.takeReady().messages.filter(({ to }) => to === 2n);
    const { context } = beats.at(-1)!;
    member.answer(incoming(heartbeatResponse, 1, { context }));
    assert.deepEqual(
      member.reads.map((read) => text(read.context)),
      ['first', 'second'],
    );
  });

  test('a learner’s echo does not count', () => {
    const cluster = new TestCluster(three, { confState: confOf([1n, 2n], [3n]) });
    const member = cluster.elect(1n);
    cluster.isolate(2n);
    member.raft.readIndex(bytes('r'));
    cluster.settle();
    assert.deepEqual(member.reads, []);
  });

  test('followers and learners ask the leader, under the same name at the same time', () => {
    const cluster = new TestCluster(three, { confState: confOf([1n, 2n], [3n]) });
    assert.equal(cluster.at(2n).raft.readIndex(bytes('r')), 'noLeader');
    cluster.elect(1n);
    for (const id of [2n, 3n]) assert.equal(cluster.at(id).raft.readIndex(bytes('r')), 'accepted');
    cluster.settle();
    for (const id of [2n, 3n]) {
      assert.deepEqual(cluster.at(id).reads, [{ index: 1, context: bytes('r') }]);
    }
  });

  test('a single voter answers at once, but not before it has committed in its term', () => {
    const member = new TestMember({ confState: confOf([1n]), log: [1] });
    member.raft.campaign();
    member.takeReady();
    member.persist();
    member.raft.readIndex(bytes('early'));
    member.takeReady();
    assert.deepEqual(member.reads, []);
    member.pump();
    assert.deepEqual(member.reads, [{ index: 2, context: bytes('early') }]);
    member.raft.readIndex(bytes('late'));
    assert.deepEqual(member.raft.ready().readStates, [{ index: 2, context: bytes('late') }]);
  });

  test('a quorum that shrinks can confirm a read', () => {
    const cluster = new TestCluster([1n, 2n]);
    const member = cluster.elect(1n);
    member.raft.proposeConfChange(v1(removeNode, 2n));
    cluster.filter = ({ type }) => type !== heartbeatResponse;
    member.raft.readIndex(bytes('r'));
    cluster.settle();
    assert.equal(member.reads.length, 1);
  });
});

describe('9.6, pre-vote', () => {
  test('nobody’s term or vote moves before a majority would vote', () => {
    const member = new TestMember({ preVote: true });
    member.raft.campaign();
    const sent = member.pump().takeSent();
    assert.deepEqual(typesOf(sent), ['preVote>2', 'preVote>3']);
    assert.deepEqual([sent[0]?.term, member.raft.term, member.raft.role], [1, 0, 'preCandidate']);
    const votes = member.answer(incoming(preVoteResponse, 1));
    assert.deepEqual(typesOf(votes), ['vote>2', 'vote>3']);
    assert.deepEqual([member.raft.term, member.raft.role], [1, 'candidate']);
  });

  test('a pre-vote is granted in the term asked for, to several, and binds nobody', () => {
    const member = new TestMember({ preVote: true });
    for (const from of [2n, 3n]) {
      const [answer] = member.answer(incoming(preVote, 1, {}, from));
      assert.deepEqual([answer?.term, answer?.reject], [1, false]);
    }
    assert.deepEqual([member.raft.term, member.raft.status().vote], [0, 0n]);
  });

  test('it is refused to one whose log is behind, in the own term', () => {
    const member = new TestMember({ preVote: true, log: [2, 2] });
    const [answer] = member.answer(incoming(preVote, 3, { index: 1, logTerm: 2 }));
    assert.deepEqual([answer?.term, answer?.reject], [2, true]);
  });

  test('a refusal of a higher term ends the campaign in that term', () => {
    const member = new TestMember({ preVote: true });
    member.raft.campaign();
    member.pump();
    member.answer(incoming(preVoteResponse, 4, { reject: true }));
    assert.deepEqual([member.raft.role, member.raft.term], ['follower', 4]);
  });

  test('a pre-candidate of an old term hears the newer one', () => {
    const member = new TestMember({ preVote: true, hardState: { term: 5, vote: 0n, commit: 0 } });
    const [answer] = member.answer(incoming(preVote, 3));
    assert.deepEqual([answer?.type, answer?.term, answer?.reject], [preVoteResponse, 5, true]);
  });

  test('a late grant of an earlier pre-election does not count', () => {
    const member = new TestMember({ preVote: true, hardState: { term: 1, vote: 0n, commit: 0 } });
    member.raft.campaign();
    member.pump();
    member.answer(incoming(preVoteResponse, 1));
    assert.equal(member.raft.role, 'preCandidate');
  });

  test('a member that was cut off does not disturb the cluster when it returns', () => {
    const cluster = new TestCluster(three, { preVote: true, checkQuorum: true });
    cluster.elect(1n);
    cluster.isolate(3n);
    cluster.propose(1n, 'a').tick(60);
    cluster.rejoin(3n);
    cluster.tick(25);
    assert.deepEqual([cluster.at(1n).raft.role, cluster.at(3n).raft.term], ['leader', 1]);
    assert.deepEqual(cluster.appliedTexts(3n), ['a']);
  });
});

describe('10.2.1, writing to the leader’s disk in parallel', () => {
  test('a leader sends before it has written; its followers can commit without it', () => {
    const member = new TestMember();
    member.raft.campaign();
    member.pump();
    member.raft.step(incoming(MessageType.voteResponse, 1));
    const ready = member.takeReady();
    assert.deepEqual(typesOf(ready.messages), ['append>2', 'append>3']);
    for (const from of [2n, 3n]) member.raft.step(incoming(appendResponse, 1, { index: 1 }, from));
    assert.equal(member.raft.commitIndex, 1);
    assert.deepEqual(
      member.takeReady().committedEntries,
      [],
      'not applied before it is durable here',
    );
    member.persist();
    assert.equal(member.takeReady().committedEntries.length, 1);
  });

  test('a candidate counts its own vote only when it is durable', () => {
    const member = new TestMember({ confState: confOf([1n]) });
    member.raft.campaign();
    const ready = member.takeReady();
    assert.deepEqual([member.raft.role, ready.hardState?.vote], ['candidate', 1n]);
    member.persist();
    assert.equal(member.raft.role, 'leader');
  });

  test('and asks for others only then: a crash could take back the log end that it shows', () => {
    const member = new TestMember();
    member.raft.campaign();
    const { messages, messagesAfterAppend } = member.takeReady();
    assert.deepEqual([typesOf(messages), typesOf(messagesAfterAppend)], [[], ['vote>2', 'vote>3']]);
  });
});
