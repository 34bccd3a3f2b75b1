/** A broken invariant: a bug in this program, never a client's or a disk's doing. Ends the member. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Throws {@link InvariantError} unless `condition` holds. `explain` is called only then; put the
 * values into its text.
 */
export function assert(condition: boolean, explain: () => string): asserts condition {
  if (!condition) throw new InvariantError(explain());
}
