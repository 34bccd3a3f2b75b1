/** What the bolt room refuses. `code` is stable; the message is one line unless said otherwise. */
export type BoltErrorCode =
  /** Neither meta page is valid: not a bbolt file (bbolt: "invalid database"). */
  | 'NOT_BOLT'
  /** A bbolt file with something wrong in it; the message names the page. */
  | 'CORRUPT'
  /** A source that no bbolt file can hold: order, key or value size. */
  | 'BAD_SOURCE'
  /** A source that gave other pairs in the second walk than in the first. */
  | 'SOURCE_CHANGED'
  /** A snapshot file without the SHA-256 at its end. */
  | 'MISSING_HASH'
  /** A snapshot file whose SHA-256 is not that of its content. */
  | 'HASH_MISMATCH'
  /** The check that snapshot status runs first found problems; the message has a line for each. */
  | 'CHECK_FAILED';

export class BoltError extends Error {
  override readonly name = 'BoltError';
  readonly code: BoltErrorCode;

  constructor(code: BoltErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Something is wrong with page `pageId`. */
export function corruptPage(pageId: number, problem: string): BoltError {
  return new BoltError('CORRUPT', `page ${pageId}: ${problem}`);
}
