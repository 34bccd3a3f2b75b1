/** What a check throws when it is done early. */
import type { Oddity } from './oddities.js';

/** The server did something else than it should. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';

  constructor(
    readonly what: string,
    readonly expected: string,
    readonly got: string,
  ) {
    super(`${what}: expected ${expected}, got ${got}`);
  }
}

/** The server did what some versions of etcd are known to do instead. */
export class KnownOddity extends Error {
  override readonly name = 'KnownOddity';

  constructor(
    readonly oddity: Oddity,
    readonly mismatch: Mismatch,
  ) {
    super(oddity.what);
  }
}

/** The check cannot say anything about this server; the message says why. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}
