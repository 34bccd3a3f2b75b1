/** How the core is set up: etcd's figures (peer-protocol 2.4), and the log as the core may see it. */
import type { RaftConfig, RaftStorage } from '../raft/index.js';
import type { RaftLog } from '../storage/index.js';
import type { Environment } from './environment.js';
import type { MemberConfig } from './member-config.js';
import type { State } from './state.js';

const MIB = 1024 * 1024;
const NO_DATA = new Uint8Array(0);

export function raftConfig(
  config: MemberConfig,
  { random, disk }: Environment,
  id: bigint,
  state: State,
): RaftConfig {
  return {
    id,
    storage: storageFor(disk.log, state),
    random,
    applied: state.applied.index,
    electionTicks: Math.ceil(config.electionMs / config.heartbeatMs),
    heartbeatTicks: 1,
    preVote: config.preVote,
    checkQuorum: true,
    maxBytesPerMessage: MIB,
    maxInflightMessages: 512,
    maxInflightBytes: 64 * MIB,
    maxUncommittedBytes: 256 * MIB,
    maxCommittedBytesPerReady: MIB,
  };
}

/**
 * The log, with the configuration that belongs to the applied state (it is stored with it, so that both
 * agree after any crash), and the applied state as the newest snapshot: that is what would be sent.
 */
function storageFor(log: RaftLog, state: State): RaftStorage {
  return {
    initialState: () => {
      const { hardState } = log.initialState();
      const commit = Math.max(hardState.commit, state.applied.index);
      return { hardState: { ...hardState, commit }, confState: state.applied.confState };
    },
    entries: (low, high, maxBytes) => log.entries(low, high, maxBytes),
    term: (index) => log.term(index),
    firstIndex: () => log.firstIndex(),
    lastIndex: () => log.lastIndex(),
    snapshot: () => ({ metadata: { ...state.applied }, data: NO_DATA }),
  };
}
