import { MemoryBackend } from '../backend/index.js';
import { MemoryRaftLog } from './memory-raft-log.js';
import { MemorySpool } from './memory-spool.js';
import type { StorageDisk } from './open-disk.js';

/** A disk that lives as long as the process: for the library and for tests. */
export function openMemoryDisk(): StorageDisk {
  const log = new MemoryRaftLog();
  const backend = new MemoryBackend();
  return {
    location: 'memory',
    log,
    backend,
    createSpool: async () => new MemorySpool(),
    close: async () => {
      await backend.close();
      await log.close();
    },
  };
}
