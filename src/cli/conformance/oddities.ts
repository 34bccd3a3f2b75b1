/**
 * What real versions of etcd are known to do instead of what they should. A check tells an oddity by
 * what the server does, never by the version that it reports: another server may have it as well.
 */

export interface Oddity {
  /** Stable name. */
  name: string;
  /** What the server does, in one sentence without a full stop. */
  what: string;
  /** The releases of etcd that do it. */
  versions: string;
}

function oddity(name: string, versions: string, what: string): Oddity {
  return { name, what, versions };
}

export const ODDITIES = {
  unknownSortOrder: oddity(
    'unknown-sort-order-ignored',
    'up to 3.5',
    'a sort_order that does not exist is taken for none',
  ),
  keysOnlyWithoutLease: oddity(
    'keys-only-without-lease',
    'from 3.7',
    'keys_only leaves the lease out, since it is answered from the index',
  ),
  progressWithoutWatch: oddity(
    'progress-answered-unconditionally',
    'before 3.4.25 and 3.5.8',
    'a progress request is answered though no watch of the stream is synced, so that the answer may promise events that are still to come',
  ),
  noProgressForQuietWatch: oddity(
    'no-progress-for-quiet-watch',
    '3.4.25 to 3.4.30 and 3.5.8 to 3.5.12',
    'a watch that has never had an event does not answer progress requests',
  ),
  progressBeforeFutureStart: oddity(
    'progress-ignores-future-start',
    'before 3.4.38, 3.5.22 and 3.6.2',
    'a progress request is answered though a watch of the stream starts at a later revision',
  ),
  negativeStart: oddity(
    'negative-start-revision-accepted',
    'before 3.4.38, 3.5.24 and 3.6.6',
    'a watch from a negative revision is not refused',
  ),
  tombstoneAtCompaction: oddity(
    'tombstone-lost-at-compaction',
    'before 3.4.34 and 3.5.16',
    'compaction at the very revision of a deletion drops it, so that a watch from there never hears of it',
  ),
  tombstoneRace: oddity(
    'tombstone-lost-in-race',
    'before 3.4.36 and 3.5.18',
    'a watch that is created at the revision of a deletion while that is compacted never hears of it',
  ),
  compactedAnswersLost: oddity(
    'compacted-answers-lost',
    'before 3.4.31 and 3.5.13',
    'of hundreds of compacted watches on one stream some are never canceled',
  ),
  noHashRevision: oddity(
    'hash-revision-missing',
    'up to 3.5',
    'HashKV does not say which revision it has hashed',
  ),
  alarmWithoutHeader: oddity('alarm-without-header', '3.4', 'the answer to Alarm has no header'),
} as const satisfies Record<string, Oddity>;
