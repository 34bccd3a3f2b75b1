/**
 * Equal HashKV at equal revision (`equal-hash`): members that have applied the same have the same.
 *
 * Verifies that all answers for one revision, made with the same compaction behind it, carry one hash.
 * Does not verify which hash is right: test/mvcc does, against etcd's.
 */
import type { History } from '../history.js';
import type { Violation } from './violation.js';

export function checkEqualHash({ operations }: History): Violation[] {
  const first = new Map<string, { id: number; hash: number; member: bigint }>();
  const violations: Violation[] = [];
  for (const { kind, id, member, outcome } of operations) {
    if (kind !== 'hashKv' || outcome.kind !== 'ok') continue;
    const { hash, hashRevision, compactRevision } = outcome.response;
    const where = `${hashRevision} ${compactRevision}`;
    const other = first.get(where);
    if (other === undefined) first.set(where, { id, hash, member });
    else if (other.hash !== hash) {
      const explanation =
        `at revision ${hashRevision} (compacted at ${compactRevision}) member ${member} has hash ${hash}, ` +
        `member ${other.member} ${other.hash}`;
      violations.push({ promise: 'equal-hash', explanation, operations: [other.id, id] });
    }
  }
  return violations;
}
