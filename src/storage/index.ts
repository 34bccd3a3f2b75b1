export { StorageError, type StorageErrorCode } from './errors.js';
export type { AppendBatch, LogIdentity, RaftLog } from './raft-log.js';
export { LevelRaftLog, type LevelRaftLogOptions } from './level-raft-log.js';
export { MemoryRaftLog } from './memory-raft-log.js';
export { LevelBackend, type LevelBackendOptions } from './level-backend.js';
export type { Spool } from './spool.js';
export { MemorySpool } from './memory-spool.js';
export { type DiskOptions, RESTORING, type StorageDisk, openDisk } from './open-disk.js';
export { openMemoryDisk } from './open-memory-disk.js';
