/**
 * One member's data dir:
 *
 *     <dataDir>/lock/              held while the dir is in use
 *     <dataDir>/member/log/        the raft log
 *     <dataDir>/member/keyspace/   the keyspace, in generations
 *     <dataDir>/spool/             temporary files, emptied at each start
 *
 * `member` appears whole, by one rename, so that a part which is missing later is known to be lost.
 */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Backend } from '../backend/index.js';
import { type DataDirLock, lockDataDir } from './data-dir-lock.js';
import { StorageError, diskRefusal } from './errors.js';
import { FileSpool } from './file-spool.js';
import { makeFolder, syncFolder } from './files.js';
import { LevelBackend, type LevelBackendOptions } from './level-backend.js';
import { LevelRaftLog, type LevelRaftLogOptions } from './level-raft-log.js';
import type { RaftLog } from './raft-log.js';
import type { Spool } from './spool.js';

/**
 * While a snapshot is being restored, the data dir's folder of this name holds what is there so far. A
 * start must not take that for a new, empty store.
 */
export const RESTORING = 'restoring';

/** What a member keeps, opened: nobody else can open it until it is closed. */
export interface StorageDisk {
  /** The data dir, or what stands for one. */
  readonly location: string;
  readonly log: RaftLog;
  readonly backend: Backend;
  /** A new temporary file; close it to delete it. */
  createSpool(): Promise<Spool>;
  /** Commits the backend durably and closes everything. */
  close(): Promise<void>;
}

export interface DiskOptions {
  log?: LevelRaftLogOptions;
  backend?: LevelBackendOptions;
}

/** Opens the data dir, making it where it is missing. Throws {@link StorageError}. */
export async function openDisk(dataDir: string, options: DiskOptions = {}): Promise<StorageDisk> {
  await makeDataDir(dataDir);
  await refuseEtcd(dataDir);
  await refuseUnfinished(dataDir);
  const lock = await lockDataDir(dataDir, join(dataDir, 'lock'));
  try {
    return await openLocked(dataDir, options, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openLocked(
  dataDir: string,
  options: DiskOptions,
  lock: DataDirLock,
): Promise<StorageDisk> {
  const member = join(dataDir, 'member');
  const spools = join(dataDir, 'spool');
  await emptyFolder(spools);
  await makeMember(dataDir, member);
  const log = await LevelRaftLog.open(join(member, 'log'), options.log);
  let backend: LevelBackend;
  try {
    backend = await LevelBackend.open(join(member, 'keyspace'), options.backend);
  } catch (error) {
    await log.close();
    throw error;
  }
  return makeDisk(dataDir, log, backend, spools, lock);
}

function makeDisk(
  location: string,
  log: LevelRaftLog,
  backend: LevelBackend,
  spools: string,
  lock: DataDirLock,
): StorageDisk {
  let spoolsMade = 0;
  let closed: Promise<void> | undefined;
  const close = async () => {
    try {
      await backend.close();
    } finally {
      await log.close();
      await lock.release();
    }
  };
  return {
    location,
    log,
    backend,
    createSpool: () => FileSpool.create(join(spools, String(++spoolsMade))),
    close: () => (closed ??= close()),
  };
}

async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolders(dataDir);
  } catch (error) {
    throw diskRefusal('create', dataDir, error);
  }
}

/** Node's recursive mkdir never ends where a folder that exists takes no folders (/proc). */
async function makeFolders(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    const parent = dirname(folder);
    if (code !== 'ENOENT' || parent === folder || (await exists(parent))) throw error;
    await makeFolders(parent);
    await mkdir(folder, { mode: 0o700 });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function refuseEtcd(dataDir: string): Promise<void> {
  const names = await list(join(dataDir, 'member'));
  if (!names.includes('wal') && !names.includes('snap')) return;
  throw new StorageError(
    'FORMAT',
    `${dataDir} is an etcd data dir and cannot be opened; restore a snapshot of it instead`,
  );
}

/** What is being restored is made in there; see {@link RESTORING}. */
async function refuseUnfinished(dataDir: string): Promise<void> {
  const names = await list(dataDir);
  if (!names.includes(RESTORING)) return;
  throw new StorageError(
    'CORRUPT',
    `${dataDir} was not restored to the end; remove it and restore it again`,
  );
}

/** Makes `member` unless it is there. */
async function makeMember(dataDir: string, member: string): Promise<void> {
  const names = await list(member);
  if (names.length > 0) return requireWhole(member, names);
  const unfinished = `${member}.unfinished`;
  await emptyFolder(unfinished);
  await LevelRaftLog.create(join(unfinished, 'log'));
  await LevelBackend.create(join(unfinished, 'keyspace'));
  try {
    await syncFolder(unfinished);
    await rename(unfinished, member);
    await syncFolder(dataDir);
  } catch (error) {
    throw diskRefusal('create', member, error);
  }
}

function requireWhole(member: string, names: readonly string[]): void {
  for (const name of ['log', 'keyspace']) {
    if (names.includes(name)) continue;
    throw new StorageError('CORRUPT', `${join(member, name)} is missing`);
  }
}

async function emptyFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    throw diskRefusal('remove', folder, error);
  }
  await makeFolder(folder);
}

/** Names in `folder`; none when it does not exist. */
async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw diskRefusal('read', folder, error);
  }
}
