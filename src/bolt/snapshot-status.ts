/** What `snapshot status` says of a bbolt file. */
import { crc32c, crc32cLatin1, latin1FromBytes } from '../bytes/index.js';
import type { BoltReader } from './bolt-reader.js';
import { BoltError } from './errors.js';
import { userKeyOfRecord } from './record-key.js';

export interface SnapshotStatus {
  /** CRC-32C over each bucket's name, keys and values. Not the hash that the Hash request answers. */
  hash: number;
  /** Of the last record in bucket `key`; 0 when there is none. */
  revision: number;
  totalKey: number;
  /** Bytes of the pages in use. */
  totalSize: number;
  /** Storage version, as 3.6 shows it: '' before it was decided. */
  version: string;
}

/**
 * Which etcd's answer: up to 3.5, `totalKey` is the number of entries in all buckets and there is no
 * version (''); from 3.6, it is the number of user keys that are alive, which takes memory for each.
 */
export type StatusEdition = '3.5' | '3.6';

const KEY_BUCKET = 'key';
const TOMBSTONE_KEY_BYTES = 18;
const TOMBSTONE_MARK = 't';

/**
 * Checks the file first, as etcd does, and rejects with CHECK_FAILED when there are problems (etcd's
 * words, then a line for each); CORRUPT when a record in bucket `key` is malformed.
 */
export async function snapshotStatus(
  reader: BoltReader,
  edition: StatusEdition = '3.6',
): Promise<SnapshotStatus> {
  await requireSound(reader);
  const tally = edition === '3.6' ? new LiveKeys() : new Entries();
  let hash = 0;
  let lastRecord: string | undefined;
  for (const bucket of reader.buckets()) {
    hash = crc32cLatin1(bucket, hash);
    for await (const chunk of reader.pairs(bucket)) {
      for (const [key, value] of chunk) {
        hash = crc32c(value, crc32cLatin1(key, hash));
        tally.add(bucket, key, value);
      }
      if (bucket === KEY_BUCKET) lastRecord = chunk.at(-1)![0];
    }
  }
  return {
    hash,
    revision: lastRecord === undefined ? 0 : mainRevision(lastRecord),
    totalKey: tally.total,
    totalSize: reader.sizeBytes,
    version: edition === '3.6' ? await storageVersion(reader) : '',
  };
}

/** Runs the file's check; rejects with CHECK_FAILED as {@link snapshotStatus} does. */
export async function requireSound(reader: BoltReader): Promise<void> {
  const problems = await reader.check();
  if (problems.length === 0) return;
  const count = `snapshot file integrity check failed. ${problems.length} errors found.`;
  throw new BoltError('CHECK_FAILED', [count, ...problems].join('\n'));
}

async function storageVersion(reader: BoltReader): Promise<string> {
  const version = await reader.get('meta', 'storageVersion');
  return version === undefined ? '' : latin1FromBytes(version);
}

/** Records are keyed by their revision: eight bytes of the main one, big endian, first. */
function mainRevision(record: string): number {
  let main = 0;
  for (let i = 0; i < 8; i++) main = main * 256 + record.charCodeAt(i);
  if (Number.isSafeInteger(main)) return main;
  throw new BoltError('CORRUPT', 'the last key of bucket key is not a revision');
}

class Entries {
  total = 0;

  add(): void {
    this.total++;
  }
}

class LiveKeys {
  readonly #keys = new Set<string>();

  get total(): number {
    return this.#keys.size;
  }

  add(bucket: string, record: string, value: Uint8Array): void {
    if (bucket !== KEY_BUCKET) return;
    const key = userKeyOfRecord(value);
    if (key === undefined) throw new BoltError('CORRUPT', 'bucket key holds a malformed record');
    if (isTombstone(record)) this.#keys.delete(key);
    else this.#keys.add(key);
  }
}

function isTombstone(record: string): boolean {
  return record.length === TOMBSTONE_KEY_BYTES && record.endsWith(TOMBSTONE_MARK);
}
