/** What is read off a member when its metrics are asked for. */
import { AlarmType } from '../../api/index.js';
import { hexId } from '../../bytes/index.js';
import type { Member } from '../member.js';
import { SERVER_VERSION } from '../versions.js';
import type { Sample } from './registry.js';

/** Puts the member's state on its metrics' page. Call it once for a member. */
export function exposeMember(member: Member): void {
  exposeServer(member);
  exposeFailures(member);
  exposeCluster(member);
  exposeKeyspace(member);
}

function exposeServer(member: Member): void {
  const { raft } = member;
  const gauge = (name: string, help: string, value: () => number | boolean): void =>
    member.metrics.registry.read(`etcd_server_${name}`, help, 'gauge', () => Number(value()));
  gauge('has_leader', 'Whether a leader exists.', () => member.leader !== 0n);
  gauge('is_leader', 'Whether this member leads.', () => member.isLeader);
  gauge('is_learner', 'Whether this member is a learner.', () => member.isLearner);
  gauge('proposals_committed_total', 'Proposals committed.', () => raft.commitIndex);
  gauge('proposals_applied_total', 'Proposals applied.', () => member.appliedIndex);
  gauge(
    'proposals_pending',
    'Proposals that wait to be applied.',
    () => member.proposalCounts.pending,
  );
  gauge('quota_backend_bytes', 'Quota of the backend in bytes.', () =>
    Math.max(0, member.quota.limitBytes),
  );
  gauge(
    'snapshot_apply_in_progress_total',
    'Whether a snapshot is being installed.',
    () => member.isInstalling,
  );
}

function exposeFailures(member: Member): void {
  const counter = (name: string, help: string, value: () => number): void =>
    member.metrics.registry.read(`etcd_server_${name}`, help, 'counter', value);
  counter(
    'proposals_failed_total',
    'Proposals that failed.',
    () => member.proposalCounts.failedTotal,
  );
  counter(
    'slow_read_indexes_total',
    'Read indexes that were not answered in time.',
    () => member.readIndexCounts.slowTotal,
  );
  counter(
    'read_indexes_failed_total',
    'Read indexes that failed.',
    () => member.readIndexCounts.failedTotal,
  );
}

function exposeCluster(member: Member): void {
  const { registry } = member.metrics;
  const id = hexId(member.memberId);
  const one = (name: string, help: string, label: string, value: () => string): void =>
    registry.readEach(name, help, 'gauge', [label], () => {
      const text = value();
      return text === '' ? [] : [[[text], 1]];
    });
  one('etcd_server_id', 'This member.', 'server_id', () => id);
  one('etcd_server_version', 'Version of this server.', 'server_version', () => SERVER_VERSION);
  one('etcd_cluster_version', 'Version of the cluster.', 'cluster_version', () =>
    (member.membership.clusterVersion ?? '').split('.').slice(0, 2).join('.'),
  );
  const peers = (value: (peer: bigint) => number) => (): Sample[] =>
    member.membership
      .list()
      .filter((peer) => peer.id !== member.memberId)
      .map((peer) => [[id, hexId(peer.id)], value(peer.id)]);
  const ends = ['Local', 'Remote'];
  registry.readEach(
    'etcd_network_known_peers',
    'Peers that are known.',
    'gauge',
    ends,
    peers(() => 1),
  );
  registry.readEach(
    'etcd_network_active_peers',
    'Peers that are connected.',
    'gauge',
    ends,
    peers((peer) => Number(member.activeForMs(peer) !== undefined)),
  );
  registry.readEach(
    'etcd_debugging_server_alarms',
    'Alarms that are raised.',
    'gauge',
    ['server_id', 'alarm_type'],
    () =>
      member.alarms
        .list(AlarmType.none)
        .map(({ memberId, alarm }) => [[hexId(memberId), alarmName(alarm)], 1]),
  );
}

function alarmName(alarm: number): string {
  if (alarm === AlarmType.noSpace) return 'NOSPACE';
  return alarm === AlarmType.corrupt ? 'CORRUPT' : String(alarm);
}

function exposeKeyspace(member: Member): void {
  const { store, backend, metrics } = member;
  const gauge = (name: string, help: string, value: () => number): void =>
    metrics.registry.read(name, help, 'gauge', value);
  const mvcc = 'etcd_mvcc_';
  gauge(`${mvcc}db_total_size_in_bytes`, 'Size of the backend on disk.', () => backend.sizeBytes());
  gauge(`${mvcc}db_total_size_in_use_in_bytes`, 'Bytes of it that are in use.', () =>
    Math.min(backend.sizeInUseBytes(), backend.sizeBytes()),
  );
  const debugging = 'etcd_debugging_mvcc_';
  gauge(`${debugging}current_revision`, 'The current revision.', () => store.currentRevision);
  gauge(`${debugging}compact_revision`, 'The last compacted revision.', () =>
    Math.max(0, store.compactRevision),
  );
  gauge(`${debugging}keys_total`, 'Keys that exist.', () => store.keyCount);
  gauge(`${debugging}watcher_total`, 'Watchers.', () => store.watch.counts().watchers);
  gauge(`${debugging}watch_stream_total`, 'Watch streams.', () => store.watch.counts().streams);
  gauge(
    `${debugging}slow_watcher_total`,
    'Watchers that are behind.',
    () => store.watch.counts().slow,
  );
}
