/** Faults in the life of leases. */
import type { Mutant } from './mutant.js';

export const LEASE_MUTANTS: readonly Mutant[] = [
  {
    name: 'snapshot-forgets-leases',
    fault: 'a snapshot for a member that lags has all but the leases',
    edits: [
      {
        file: 'server/snapshot-source.js',
        find: 'buckets: () => BUCKETS,',
        replace: "buckets: () => BUCKETS.filter((bucket) => bucket !== 'lease'),",
      },
    ],
    profile: 'lease',
    breaks: [
      'write-answer',
      'equal-hash',
      'equal-members',
      'lease-alive',
      'lease-takes-keys',
      'lease-expires',
    ],
  },
  {
    name: 'follower-expires-leases',
    fault: 'every member counts the time of leases from their grant, and revokes them',
    edits: [
      {
        file: 'lease/lessor.js',
        find: 'if (this.#primary)\n            this.#restart(lease, nowMs',
        replace: 'this.#restart(lease, nowMs',
      },
      {
        file: 'server/lease-keeper.js',
        find: 'if (!lessor.isPrimary) {',
        replace: 'if (this.#stopped) {',
      },
      {
        file: 'server/lease-keeper.js',
        find: 'if (lessor.isPrimary && lessor.has(id))',
        replace: 'if (lessor.has(id))',
      },
      {
        file: 'server/member.js',
        find: 'propose: (op) => this.proposeAsLeader(op),',
        replace: 'propose: (op) => this.propose(op),',
      },
    ],
    profile: 'lease',
    breaks: ['lease-not-early', 'lease-alive'],
  },
  {
    name: 'old-leader-renews',
    fault: 'a leader that was deposed goes on renewing leases',
    edits: [
      {
        file: 'server/member.js',
        find: 'this.lessor.demote();',
        replace: '',
      },
      {
        file: 'server/lease-router.js',
        find: 'if (id === memberId)\n',
        replace: 'if (id === memberId || this.#options.lessor.isPrimary)\n',
      },
    ],
    profile: 'lease',
    breaks: ['lease-not-early', 'lease-alive', 'lease-ttl'],
  },
];
