/** Arithmetic of majorities and of joint majorities (paper, section 6). Knows no messages. */

/** The two halves of a configuration; `votersOutgoing` is empty outside a joint configuration. */
export interface VoterSets {
  readonly voters: ReadonlySet<bigint>;
  readonly votersOutgoing: ReadonlySet<bigint>;
}

/** `pending` can still turn into either. */
export type VoteResult = 'won' | 'lost' | 'pending';

/**
 * The largest index that a majority of each half has reached. A half without voters restricts
 * nothing, so two empty halves give Infinity.
 */
export function quorumIndex(sets: VoterSets, indexOf: (id: bigint) => number): number {
  const incoming = majorityIndex(sets.voters, indexOf);
  if (sets.votersOutgoing.size === 0) return incoming;
  return Math.min(incoming, majorityIndex(sets.votersOutgoing, indexOf));
}

/** Won when both halves are won, lost when either is. A half without voters is won. */
export function quorumVote(
  sets: VoterSets,
  voteOf: (id: bigint) => boolean | undefined,
): VoteResult {
  const incoming = majorityVote(sets.voters, voteOf);
  if (sets.votersOutgoing.size === 0) return incoming;
  const outgoing = majorityVote(sets.votersOutgoing, voteOf);
  if (incoming === outgoing) return incoming;
  return incoming === 'lost' || outgoing === 'lost' ? 'lost' : 'pending';
}

/** The largest index that a majority of `voters` has reached; Infinity when there are none. */
export function majorityIndex(
  voters: ReadonlySet<bigint>,
  indexOf: (id: bigint) => number,
): number {
  if (voters.size === 0) return Infinity;
  const ascending: number[] = [];
  for (const id of voters) insertAscending(ascending, indexOf(id));
  return ascending[Math.ceil(voters.size / 2) - 1]!;
}

/** Configurations have a handful of voters: insertion beats a sort with a comparator. */
function insertAscending(sorted: number[], value: number): void {
  let at = sorted.length;
  while (at > 0 && sorted[at - 1]! > value) {
    sorted[at] = sorted[at - 1]!;
    at--;
  }
  sorted[at] = value;
}

/** The outcome for one set; `undefined` is a voter that has not answered. */
export function majorityVote(
  voters: ReadonlySet<bigint>,
  voteOf: (id: bigint) => boolean | undefined,
): VoteResult {
  const needed = Math.floor(voters.size / 2) + 1;
  let granted = 0;
  let open = 0;
  for (const id of voters) {
    const vote = voteOf(id);
    if (vote === undefined) open++;
    else if (vote) granted++;
  }
  if (voters.size === 0 || granted >= needed) return 'won';
  return granted + open >= needed ? 'pending' : 'lost';
}
