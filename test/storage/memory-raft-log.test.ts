import { MemoryRaftLog } from '../../src/storage/index.js';
import { raftLogContract } from './raft-log-contract.js';

raftLogContract(
  'MemoryRaftLog',
  async () => {
    const log = new MemoryRaftLog();
    return { log, close: () => log.close() };
  },
  200,
);
