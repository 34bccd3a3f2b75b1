/** Names that nobody else uses. */
import { randomBytes } from 'node:crypto';

/** `kvorum-conformance/` and eight random letters: the keys of one run. */
export function randomRoot(): string {
  return `kvorum-conformance/${randomBytes(5).toString('hex')}/`;
}

/** A positive lease id below 2^62. */
export function randomLeaseId(): bigint {
  return (randomBytes(8).readBigUInt64BE() >> 2n) | 1n;
}
