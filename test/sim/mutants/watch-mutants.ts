/** Faults in what watchers are told. */
import type { Mutant } from './mutant.js';

export const WATCH_MUTANTS: readonly Mutant[] = [
  {
    name: 'event-lost-between-history-and-live',
    fault: 'a watcher that catches up counts as synced one revision too early',
    edits: [
      {
        file: 'mvcc/watch-feed.js',
        find: 'else if (watcher.next > currentRevision) {',
        replace: 'else if (watcher.next >= currentRevision) {',
      },
    ],
    profile: 'watch',
    breaks: ['watch-complete', 'watch-reliable'],
  },
  {
    name: 'event-repeated-on-resume',
    fault: 'a watch from a revision begins with the one before it',
    edits: [
      {
        file: 'mvcc/watch-feed.js',
        find: ': Number(startRevision);',
        replace: ': Math.max(1, Number(startRevision) - 1);',
      },
    ],
    profile: 'watch',
    breaks: ['watch-unique', 'watch-ordered', 'watch-true'],
  },
  {
    name: 'progress-too-early',
    fault: 'progress is told to a watcher that still reads history',
    edits: [
      {
        file: 'mvcc/watcher.js',
        find: "this.state === 'synced' && ",
        replace: '',
      },
    ],
    profile: 'watch',
    breaks: ['watch-bookmark', 'watch-ordered'],
  },
];
