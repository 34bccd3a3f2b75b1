/** Sorts of messages, as they are coloured and filtered. */
export const GROUPS = [
  'append',
  'heartbeat',
  'vote',
  'snapshot',
  'readIndex',
  'propose',
  'other',
] as const;
export type Group = (typeof GROUPS)[number];

/** Too many to be drawn when much time is in view. */
export const ROUTINE_GROUPS: ReadonlySet<Group> = new Set([
  'append',
  'heartbeat',
  'readIndex',
  'propose',
]);

const BY_TYPE: Readonly<Record<string, Group>> = {
  append: 'append',
  appendResponse: 'append',
  heartbeat: 'heartbeat',
  heartbeatResponse: 'heartbeat',
  vote: 'vote',
  voteResponse: 'vote',
  preVote: 'vote',
  preVoteResponse: 'vote',
  snapshot: 'snapshot',
  readIndex: 'readIndex',
  readIndexResponse: 'readIndex',
  propose: 'propose',
};

/** `type`: as in a trace. */
export function groupOf(type: string): Group {
  return BY_TYPE[type] ?? 'other';
}
