/** A promise was broken: what every checker reports. */

/** Which promise, and what was seen. Data enough to print; `operations` and `watches` are ids. */
export interface Violation {
  /** Stable name of the checker: a promise in kebab case, such as `election-safety`. */
  readonly promise: string;
  /** One sentence with the values. */
  readonly explanation: string;
  /** Ids in {@link History.operations} that show it. */
  readonly operations?: readonly number[];
  /** Ids in {@link History.watches} that show it. */
  readonly watches?: readonly number[];
}

/** Thrown by checkers that look after every step: the run ends where the promise broke. */
export class ViolationError extends Error {
  override readonly name = 'ViolationError';
  readonly violation: Violation;

  constructor(violation: Violation) {
    super(`${violation.promise}: ${violation.explanation}`);
    this.violation = violation;
  }
}
