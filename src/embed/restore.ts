/** A data dir from a snapshot file. */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { BoltReader, openSnapshotFile } from '../bolt/index.js';
import {
  type MemberConfig,
  type RestoreOptions,
  type Restored,
  RestoreError,
  foundCluster,
  restoreSnapshot,
} from '../server/index.js';
import { RESTORING, openDisk } from '../storage/index.js';
import { syncFolder, syncFolderOf } from './folders.js';
import { withSnapshotFile } from './snapshot-file.js';

export interface RestoreFileOptions extends RestoreOptions {
  dataDir: string;
  /** The member that the data dir is for, and its cluster: name, peer urls, initial cluster and token. */
  config: MemberConfig;
  /** Accept a file without a SHA-256 or with a wrong one. */
  skipHashCheck?: boolean;
}

/**
 * Makes `dataDir`, which must be empty or missing, from the snapshot file at `path`: `kvorum` with the
 * same name and cluster starts on it. The member's folder appears whole by one rename, at the end; a
 * failure leaves everything as it was before. Rejects as restoreSnapshot does; with StorageError; with
 * Node's error when the file cannot be read.
 */
export async function restoreFile(path: string, options: RestoreFileOptions): Promise<Restored> {
  const dataDir = resolve(options.dataDir);
  foundCluster(options.config); // flags are refused before a large file is read
  await refuseUsedDir(options.dataDir);
  return withSnapshotFile(path, async (file) => {
    const reader = await BoltReader.open(await openSnapshotFile(file, options));
    const made = await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const unfinished = join(dataDir, RESTORING);
    await mkdir(unfinished, { mode: 0o700 });
    try {
      const restored = await fill(unfinished, reader, options);
      await rename(join(unfinished, 'member'), join(dataDir, 'member'));
      await syncFolder(dataDir); // the member's name must be safe before its old place goes
      await rm(unfinished, { recursive: true });
      await syncFolder(dataDir);
      await syncMade(dataDir, made);
      return restored;
    } catch (error) {
      await rm(made ?? unfinished, { recursive: true, force: true });
      throw error;
    }
  });
}

/** Refuses a data dir that has anything in it, in etcd's words. */
async function refuseUsedDir(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? [] : undefined,
  );
  if (names?.length === 0) return;
  throw new RestoreError(`data-dir ${JSON.stringify(dataDir)} not empty or could not be read`);
}

async function fill(
  folder: string,
  reader: BoltReader,
  { config, ...options }: RestoreFileOptions,
): Promise<Restored> {
  const disk = await openDisk(folder);
  try {
    return await restoreSnapshot(disk, reader, config, options);
  } finally {
    await disk.close();
  }
}

/** Makes the names of the folders from `made` (the topmost new one) down to `dataDir` durable. */
async function syncMade(dataDir: string, made: string | undefined): Promise<void> {
  if (made === undefined) return;
  for (let folder = dataDir; folder.length >= made.length; folder = dirname(folder)) {
    await syncFolderOf(folder);
  }
}
