/** A planted fault, as plain data: the program itself knows nothing of mutants. */
import type { ProfileName } from '../../../src/sim/index.js';

/** Replaces `find`, which must occur exactly once in the compiled file, by `replace`. */
export interface Edit {
  /** Below dist/src. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface Mutant {
  readonly name: string;
  /** What is wrong with it, in words. */
  readonly fault: string;
  readonly edits: readonly Edit[];
  /** The traffic and faults that should bring it to light. */
  readonly profile: ProfileName;
  /** Promises whose checkers may find it; what another one says does not count. */
  readonly breaks: readonly string[];
}
