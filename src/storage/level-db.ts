/**
 * Opening a LevelDB folder: checked first (LevelDB itself drops damaged records without a word), then
 * opened, with every refusal turned into one line that names the folder.
 */
import { Level } from 'level';
import { StorageError, diskRefusal, oneLine } from './errors.js';
import { makeFolder } from './files.js';
import { checkLevelFolder } from './level-check.js';

/** What `level` is on Node: classic-level, whose two extra methods its types leave out. */
export type LevelDb = Level<Buffer, Buffer> & {
  compactRange(start: Buffer, end: Buffer): Promise<void>;
  approximateSize(start: Buffer, end: Buffer): Promise<number>;
};

export interface LevelTuning {
  /** Bytes of decoded blocks kept in memory. */
  cacheBytes: number;
}

/** Size at which LevelDB starts a new journal by itself; {@link LevelWriter} does so long before. */
const WRITE_BUFFER_BYTES = 160 << 20;
/** Fewer, larger files: a listing of the folder stays cheap at the largest quotas. */
const TABLE_BYTES = 8 << 20;

/** Makes an empty database in `folder`, which must not exist (its parent must), and closes it. */
export async function createLevel(folder: string): Promise<void> {
  await makeFolder(folder);
  const db = makeLevel(folder, { cacheBytes: 1 << 20 });
  try {
    await db.open({ createIfMissing: true, errorIfExists: true });
    await db.close();
  } catch (error) {
    throw openRefusal(folder, error);
  }
}

/**
 * Opens what {@link createLevel} made, after verifying every byte that LevelDB would believe or drop.
 * Throws StorageError LOCKED, CORRUPT or IO.
 */
export async function openLevel(folder: string, tuning: LevelTuning): Promise<LevelDb> {
  await checkLevelFolder(folder);
  const db = makeLevel(folder, tuning);
  try {
    await db.open({ createIfMissing: false });
  } catch (error) {
    throw openRefusal(folder, error);
  }
  return db;
}

/**
 * Closes `db` and opens it again, which gives back the pages of its files that reading has mapped: after
 * a start has read everything, that is the whole database. Nobody may use `db` meanwhile.
 */
export async function reopenLevel(db: LevelDb, folder: string): Promise<void> {
  try {
    await db.close();
    await db.open({ createIfMissing: false });
  } catch (error) {
    throw openRefusal(folder, error);
  }
}

function makeLevel(folder: string, tuning: LevelTuning): LevelDb {
  return new Level<Buffer, Buffer>(folder, {
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
    // Uncompressed, the index of a table file can be read, and with it the whole file be verified.
    compression: false,
    cacheSize: tuning.cacheBytes,
    writeBufferSize: WRITE_BUFFER_BYTES,
    maxFileSize: TABLE_BYTES,
  }) as LevelDb;
}

function openRefusal(folder: string, error: unknown): StorageError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  switch ((cause as { code?: string }).code) {
    case 'LEVEL_LOCKED':
      return new StorageError('LOCKED', `${folder} is in use by another process`, { cause });
    case 'LEVEL_CORRUPTION':
      return new StorageError('CORRUPT', `${folder} is damaged: ${oneLine(cause)}`, { cause });
    default:
      return diskRefusal('open', folder, cause);
  }
}
