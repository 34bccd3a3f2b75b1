/** A broken invariant of the consensus core: a bug, or a disk that lost what it had acknowledged. */
export class RaftInvariantError extends Error {
  override readonly name = 'RaftInvariantError';
}

/**
 * Throws {@link RaftInvariantError} unless `condition` holds. `explain` is called only then; put the
 * values into its text. A core that threw must not be used again.
 */
export function assert(condition: boolean, explain: () => string): asserts condition {
  if (!condition) throw new RaftInvariantError(explain());
}
