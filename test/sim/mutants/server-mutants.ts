/** Faults between the core, the disk and the state machine. */
import type { Mutant } from './mutant.js';

export const SERVER_MUTANTS: readonly Mutant[] = [
  {
    name: 'acknowledge-before-fsync',
    fault: 'acknowledgements and votes are sent before what they promise is on disk',
    edits: [
      {
        file: 'server/raft-driver.js',
        find: 'this.#writesInFlight++;\n',
        replace: 'this.#writesInFlight++;\n        this.#hooks.send(messagesAfterAppend);\n',
      },
    ],
    profile: 'raft',
    breaks: ['quorum-commit', 'durable-vote', 'leader-completeness', 'election-safety'],
  },
  {
    name: 'lose-the-vote-at-a-crash',
    fault: 'the term is written to disk without the vote that was given in it',
    edits: [
      {
        file: 'server/raft-driver.js',
        find: '...(hardState && { hardState })',
        replace: '...(hardState && { hardState: { ...hardState, vote: 0n } })',
      },
    ],
    profile: 'raft',
    breaks: ['durable-vote', 'election-safety'],
  },
  {
    name: 'deposed-leader-serves-reads',
    fault: 'who thinks to be the leader answers linearizable reads from its own store',
    edits: [
      {
        file: 'server/member.js',
        find: ': this.#reads.wait();',
        replace: ': this.isLeader ? Promise.resolve() : this.#reads.wait();',
      },
    ],
    profile: 'kv',
    breaks: ['real-time-order', 'read-answer', 'linearizable-key'],
  },
  {
    name: 'conf-change-at-append',
    fault: 'a leader takes up a new configuration when it proposes it, not when it is committed',
    edits: [
      {
        file: 'server/member.js',
        find: 'proposal.takenInTerm = this.raft.term;\n                this.#driver.wake();',
        replace:
          'proposal.takenInTerm = this.raft.term;\n' +
          '                if (this.raft.leader === this.memberId) this.raft.applyConfChange(change);\n' +
          '                this.#driver.wake();',
      },
    ],
    profile: 'raft',
    breaks: ['quorum-commit', 'leader-completeness', 'election-safety'],
  },
  {
    name: 'apply-twice-after-restart',
    fault: 'a restart applies once more the last entry that the keyspace holds already',
    edits: [
      {
        file: 'server/state.js',
        find: 'const applied = readApplied(disk.backend);',
        replace:
          'const applied = readApplied(disk.backend);\n' +
          '    if (applied.index > disk.log.firstIndex()) applied.index--;',
      },
    ],
    profile: 'kv',
    breaks: ['equal-hash', 'equal-members', 'no-lost-write', 'write-answer', 'read-answer'],
  },
  {
    name: 'flush-without-applied-index',
    fault: 'the keyspace is written to disk without the index up to which it is applied',
    edits: [
      {
        file: 'server/member.js',
        find: 'if (!this.#installing)\n                this.markApplied();',
        replace:
          'if (!this.#installing && this.#environment.disk.log.firstIndex() > this.appliedIndex)\n                this.markApplied();',
      },
    ],
    profile: 'kv',
    breaks: ['equal-hash', 'equal-members', 'no-lost-write', 'write-answer', 'read-answer'],
  },
  {
    name: 'compaction-eats-a-tombstone',
    fault: 'a compaction at the very revision of a deletion drops its tombstone',
    edits: [
      {
        file: 'mvcc/key-index.js',
        find: 'isLive(this.markAt(newest)) || this.mainAt(newest) === revision;',
        replace: 'isLive(this.markAt(newest));',
      },
    ],
    profile: 'watch',
    breaks: ['watch-complete', 'watch-reliable'],
  },
];
