/** HashKV: a checksum of the keyspace at a revision, equal on all members and to etcd's. */
import { compareInt64, etcdError, type Int64 } from '../api/index.js';
import { crc32c, crc32cLatin1 } from '../bytes/index.js';
import { NOWHERE } from './key-index.js';
import type { Keyspace } from './keyspace.js';
import { decodeRecordUserKey } from './record.js';
import { firstRecordKey, isTombstoneKey, mainOfRecordKey, subOfRecordKey } from './revision.js';
import { scanRecords, type YieldTurn } from './scan.js';

/** How many finished compactions leave their hash behind. */
const STORED_HASHES = 10;

export interface KeyspaceHash {
  /** CRC-32C, unsigned. */
  readonly hash: number;
  /** The compact revision it was taken under; -1 when never compacted. */
  readonly compactRevision: number;
  /** The revision it is of. */
  readonly hashRevision: number;
}

/**
 * The running checksum. Records have to be added in ascending order; those that a reader of
 * `revision` under a compaction at `compactRevision` must not count are left out:
 *
 * - above `revision`;
 * - at or below `compactRevision` and not in the keep-set (the record that each key has at
 *   `revision`): compaction may or may not have deleted them by now. Only if the keep-set of the whole
 *   keyspace is empty, etcd counts them;
 * - tombstones exactly at `compactRevision`, which some versions of etcd delete and some keep.
 *
 * Whether the keep-set is empty shows only while reading; until its first member turns up both sums
 * are carried.
 */
export class KeyspaceHasher {
  readonly #keyspace: Keyspace;
  readonly #compactRevision: number;
  readonly #revision: number;
  readonly #keepTombstones: boolean;
  #crc = crc32cLatin1('key');
  #crcIfNothingKept: number | undefined = this.#crc;

  /** `keepTombstones`: does a tombstone exactly at `revision` belong to the keep-set? */
  constructor(
    keyspace: Keyspace,
    compactRevision: number,
    revision: number,
    keepTombstones: boolean,
  ) {
    this.#keyspace = keyspace;
    this.#compactRevision = compactRevision;
    this.#revision = revision;
    this.#keepTombstones = keepTombstones;
  }

  /** Adds the record called `name`. The index must not have forgotten it yet if it is to be kept. */
  add(name: string, bytes: Uint8Array): void {
    const main = mainOfRecordKey(name);
    if (main > this.#revision) return;
    const kept = this.#isKept(name, main, bytes);
    if (kept && this.#crcIfNothingKept !== undefined) this.#crcIfNothingKept = undefined;
    if (main === this.#compactRevision && isTombstoneKey(name)) return;
    if (this.#crcIfNothingKept !== undefined) {
      this.#crcIfNothingKept = crc32c(bytes, crc32cLatin1(name, this.#crcIfNothingKept));
    }
    if (kept || main > this.#compactRevision) {
      this.#crc = crc32c(bytes, crc32cLatin1(name, this.#crc));
    }
  }

  result(): KeyspaceHash {
    return {
      hash: this.#crcIfNothingKept ?? this.#crc,
      compactRevision: this.#compactRevision,
      hashRevision: this.#revision,
    };
  }

  /** Is the record in the keep-set? Asked only as long as the answer matters. */
  #isKept(name: string, main: number, bytes: Uint8Array): boolean {
    if (main > this.#compactRevision && this.#crcIfNothingKept === undefined) return false;
    const index = this.#keyspace.tree.get(decodeRecordUserKey(bytes, name));
    if (index === undefined) return false;
    const position = index.keepPosition(this.#revision, this.#keepTombstones);
    return (
      position !== NOWHERE &&
      index.mainAt(position) === main &&
      index.subAt(position) === subOfRecordKey(name)
    );
  }
}

/** Hashes of the last finished compactions, taken while their records were being deleted. */
export class CompactionHashes {
  #hashes: KeyspaceHash[] = [];

  add(hash: KeyspaceHash): void {
    this.#hashes.push(hash);
    if (this.#hashes.length > STORED_HASHES) this.#hashes.shift();
  }

  find(revision: Int64): KeyspaceHash | undefined {
    return this.#hashes.find(({ hashRevision }) => compareInt64(revision, hashRevision) === 0);
  }

  /** All of them, oldest first: what a corruption check compares between members. */
  list(): readonly KeyspaceHash[] {
    return this.#hashes;
  }

  clear(): void {
    this.#hashes = [];
  }
}

/** The revision that a HashKV request means: 0 is the current one. Throws compacted and futureRev. */
export function hashRevision(keyspace: Keyspace, asked: Int64): number {
  if (asked > 0 && asked < keyspace.compactRevision) throw etcdError('compacted');
  if (asked > keyspace.currentRevision) throw etcdError('futureRev');
  return compareInt64(asked, 0) === 0 ? keyspace.currentRevision : Number(asked);
}

/**
 * Hashes the keyspace at `revision` in slices. No deletion may pass `revision` meanwhile; `yieldTurn`
 * may reject, which ends it.
 */
export async function hashKeyspace(
  keyspace: Keyspace,
  revision: number,
  yieldTurn: YieldTurn,
): Promise<KeyspaceHash> {
  const hasher = new KeyspaceHasher(keyspace, keyspace.compactRevision, revision, false);
  if (revision < 0) return hasher.result();
  const to = firstRecordKey(revision + 1);
  for await (const slice of scanRecords(keyspace.backend, '', to)) {
    for (const [name, bytes] of slice) hasher.add(name, bytes);
    await yieldTurn();
  }
  return hasher.result();
}
