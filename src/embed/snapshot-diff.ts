/** What two snapshot files differ in, read in place. */
import { createHash } from 'node:crypto';
import type { BoltReader } from '../bolt/index.js';
import { latin1FromBytes } from '../bytes/index.js';
import { decodeRecord, isTombstoneKey } from '../mvcc/index.js';

/** Keys in ascending order, as latin1 strings. */
export interface SnapshotDifferences {
  /** Only in the first. */
  removed: string[];
  /** Only in the second. */
  added: string[];
  /** In both, with another value or another lease. */
  changed: string[];
}

/**
 * Compares the newest state of the keys that start with `prefix`. Takes memory for the keys of
 * both, not for values. Rejects with MalformedRecordError and BoltError.
 */
export async function diffSnapshots(
  first: BoltReader,
  second: BoltReader,
  prefix: string,
): Promise<SnapshotDifferences> {
  const before = await liveKeys(first, prefix);
  const after = await liveKeys(second, prefix);
  const differences: SnapshotDifferences = { removed: [], added: [], changed: [] };
  for (const [key, mark] of before) {
    const now = after.get(key);
    if (now === undefined) differences.removed.push(key);
    else if (now !== mark) differences.changed.push(key);
  }
  for (const key of after.keys()) if (!before.has(key)) differences.added.push(key);
  for (const list of Object.values(differences)) (list as string[]).sort();
  return differences;
}

/** What stands for value and lease of each key that is alive. */
async function liveKeys(reader: BoltReader, prefix: string): Promise<Map<string, string>> {
  const marks = new Map<string, string>();
  for await (const chunk of reader.pairs('key')) {
    for (const [name, bytes] of chunk) {
      const { key, value, lease } = decodeRecord(bytes, name);
      if (!key.startsWith(prefix)) continue;
      if (isTombstoneKey(name)) marks.delete(key);
      else marks.set(key, markOf(value, lease));
    }
  }
  return marks;
}

function markOf(value: string, lease: bigint): string {
  const digest = createHash('sha256').update(value, 'latin1').digest();
  return `${latin1FromBytes(digest)}${lease}`;
}
