/** Faults in the consensus core. */
import type { Mutant } from './mutant.js';

export const RAFT_MUTANTS: readonly Mutant[] = [
  {
    name: 'vote-twice',
    fault: 'a voter grants its vote to a second candidate of the same term',
    edits: [
      {
        file: 'raft/election.js',
        find: 'if (state.vote === 0n && state.leader === 0n)',
        replace: 'if (state.leader === 0n)',
      },
    ],
    profile: 'raft',
    breaks: ['durable-vote', 'election-safety'],
  },
  {
    name: 'vote-for-a-shorter-log',
    fault: 'a voter does not compare logs before it grants its vote',
    edits: [
      {
        file: 'raft/election.js',
        find: 'state.log.isUpToDate({ index: message.index, term: message.logTerm })',
        replace: 'true',
      },
    ],
    profile: 'raft',
    breaks: ['leader-completeness', 'state-machine-safety', 'committed-is-final'],
  },
  {
    name: 'commit-older-term-by-counting',
    fault: 'a leader commits an entry of an older term because a quorum holds it',
    edits: [
      {
        file: 'raft/replication.js',
        find: 'if (index <= log.committed || log.term(index) !== term)',
        replace: 'if (index <= log.committed)',
      },
    ],
    profile: 'raft',
    breaks: ['current-term-commit', 'leader-completeness'],
  },
  {
    name: 'skip-the-log-term-check',
    fault: 'a follower appends behind an entry of another term than the leader has there',
    edits: [
      {
        file: 'raft/log.js',
        find: 'if (!this.matches(previous))\n            return false;',
        replace: 'if (previous.index > this.lastIndex)\n            return false;',
      },
    ],
    profile: 'raft',
    breaks: ['log-matching', 'state-machine-safety', 'leader-completeness'],
  },
  {
    name: 'truncate-committed-entries',
    fault: 'a follower lets a late append cut off what came after it',
    edits: [
      {
        file: 'raft/log.js',
        find: 'assert(first > this.committed, () => `entry ${first} would replace a committed one`);',
        replace: '',
      },
      {
        file: 'raft/log.js',
        find: 'const from = this.#firstNew(entries);',
        replace: 'const from = 0;',
      },
      {
        file: 'raft/replication.js',
        find: 'if (index < log.committed) {',
        replace: 'if (index < 0) {',
      },
    ],
    profile: 'raft',
    breaks: ['committed-is-final', 'quorum-commit', 'leader-completeness'],
  },
  {
    name: 'learner-in-quorum',
    fault: 'a learner counts when a leader asks whether a quorum holds an entry',
    edits: [
      {
        file: 'raft/replication.js',
        find: 'quorumIndex(state.configuration, (id)',
        replace:
          'quorumIndex({ ...state.configuration, voters: new Set([...state.configuration.voters, ' +
          '...state.configuration.learners]) }, (id)',
      },
    ],
    profile: 'raft',
    breaks: ['quorum-commit', 'leader-completeness'],
  },
  {
    name: 'read-index-without-a-round',
    fault: 'a leader answers a read index without asking whether it still leads',
    edits: [
      {
        file: 'raft/read-queue.js',
        find: 'const confirmed = quorumIndex(sets, (id) => id === self ? Infinity : (this.#echoes.get(id) ?? 0));',
        replace: 'const confirmed = Infinity;',
      },
    ],
    profile: 'kv',
    breaks: ['real-time-order', 'read-answer', 'linearizable-key'],
  },
  {
    name: 'transfer-leaves-two-leaders',
    fault: 'who is asked to take over leads at once, in the term of the leader that asked',
    edits: [
      {
        file: 'raft/election.js',
        find: "hup(state, 'transfer');",
        replace: 'becomeTermLeader(state);',
      },
    ],
    profile: 'raft',
    breaks: ['election-safety'],
  },
];
