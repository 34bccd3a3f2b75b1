/** Everything that applying the log changes, opened together and replaced together. */
import { MetaKey, type Backend, decodeUint64 } from '../backend/index.js';
import { hexId } from '../bytes/index.js';
import { confStateJson } from '../codec/index.js';
import { Lessor } from '../lease/index.js';
import { Store } from '../mvcc/index.js';
import type { ConfState, SnapshotMetadata } from '../raft/index.js';
import type { LogIdentity } from '../storage/index.js';
import { Alarms } from './alarms.js';
import type { Environment } from './environment.js';
import {
  type MemberConfig,
  StartError,
  minLeaseTtlSeconds,
  requestTimeoutMs,
} from './member-config.js';
import { Membership } from './membership.js';
import { completeInstall } from './snapshot-transfer.js';

export interface State {
  readonly store: Store;
  readonly lessor: Lessor;
  readonly membership: Membership;
  readonly alarms: Alarms;
  /** How far the log is applied, and the configuration as of there. */
  applied: SnapshotMetadata;
}

/** How often the time left of a long lease is written down (etcd's figure). */
const CHECKPOINT_INTERVAL_MS = 5 * 60 * 1000;

const NOBODY: ConfState = {
  voters: [],
  learners: [],
  votersOutgoing: [],
  learnersNext: [],
  autoLeave: false,
};

/** Opens the state that the backend holds; finishes a snapshot installation that a crash cut short. */
export async function openState(
  config: MemberConfig,
  environment: Environment,
  onFailure: (error: unknown) => void,
): Promise<State> {
  const { disk, clock } = environment;
  const applied = readApplied(disk.backend);
  if (await completeInstall(disk.log, applied)) {
    environment.log('info', 'completed the installation of a snapshot', {
      'snapshot-index': applied.index,
    });
  }
  const membership = new Membership(disk.backend, config.maxLearners);
  await membership.load();
  const alarms = new Alarms(disk.backend);
  await alarms.load();
  const lessor = await Lessor.open(disk.backend, {
    minTtlSeconds: minLeaseTtlSeconds(config),
    retryAfterMs: requestTimeoutMs(config),
    checkpointIntervalMs: CHECKPOINT_INTERVAL_MS,
  });
  const store = await Store.open(disk.backend, {
    leases: lessor,
    cacheBytes: config.valueCacheBytes,
    yieldTurn: () => new Promise<void>((resolve) => clock.nextTurn(resolve)),
    fragmentBytes: config.maxRequestBytes + 512 * 1024,
    onFailure,
  });
  return { store, lessor, membership, alarms, applied };
}

/**
 * The log and the keyspace of one data dir must be of one member: a keyspace in which this member has
 * never been comes from elsewhere. Throws {@link StartError}.
 */
export function checkBelongsTogether(
  { memberId, clusterId }: LogIdentity,
  state: State,
  location: string,
): void {
  const { membership, applied } = state;
  if (applied.index === 0 || membership.list().length === 0) return;
  if (membership.get(memberId) !== undefined || membership.isRemoved(memberId)) return;
  throw new StartError(
    `the raft log in ${location} is that of member ${hexId(memberId)} of cluster ${hexId(clusterId)},` +
      ' but the keyspace beside it knows no such member',
  );
}

/** Has the backend's content replaced by `replace`, and reads everything anew. */
export async function replaceState(state: State, replace: () => Promise<void>): Promise<void> {
  await state.store.reload(async () => {
    await replace();
    await state.membership.load();
    await state.alarms.load();
    await state.lessor.reload();
  });
}

function readApplied(backend: Backend): SnapshotMetadata {
  const confState = backend.get('meta', MetaKey.confState);
  return {
    index: decodeUint64(backend.get('meta', MetaKey.consistentIndex)) ?? 0,
    term: decodeUint64(backend.get('meta', MetaKey.term)) ?? 0,
    confState: confState === undefined ? NOBODY : confStateJson.decode(confState),
  };
}
