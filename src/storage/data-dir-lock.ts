/**
 * One opener at a time. Node cannot lock a file, LevelDB can: an empty database is kept open for as
 * long as the data dir is in use. The system drops its lock with the process, however that ends.
 */
import { rm } from 'node:fs/promises';
import { Level } from 'level';
import { StorageError, diskRefusal } from './errors.js';
import { makeFolder } from './files.js';

export interface DataDirLock {
  release(): Promise<void>;
}

/** Locks `dataDir` by the database in `folder`. Throws StorageError LOCKED or IO. */
export async function lockDataDir(dataDir: string, folder: string): Promise<DataDirLock> {
  await makeFolder(folder);
  const db = (await openLock(dataDir, folder)) ?? (await makeLockAnew(dataDir, folder));
  return { release: () => db.close() };
}

/** Undefined when the lock is free but its database, which holds nothing, does not open. */
async function openLock(dataDir: string, folder: string): Promise<Level | undefined> {
  const db = new Level(folder);
  try {
    await db.open();
    return db;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const { code } = cause as { code?: string };
    if (code === 'LEVEL_LOCKED') {
      const message = `data dir ${dataDir} is in use by another process`;
      throw new StorageError('LOCKED', message, { cause });
    }
    if (code === 'LEVEL_CORRUPTION' || code === 'LEVEL_INVALID_ARGUMENT') return undefined;
    throw diskRefusal('lock', dataDir, cause);
  }
}

async function makeLockAnew(dataDir: string, folder: string): Promise<Level> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    throw diskRefusal('lock', dataDir, error);
  }
  const db = await openLock(dataDir, folder);
  if (db === undefined) throw new StorageError('IO', `cannot lock data dir ${dataDir}`);
  return db;
}
