/**
 * What a member counts while it works, under etcd's names (server.md 6), so that etcd's dashboards and
 * alert rules read it. What can be read off the member is not counted: see member-gauges.ts.
 */
import { exponentialBounds, Registry } from './registry.js';

const MILLISECOND_14 = exponentialBounds(0.001, 2, 14);

export class MemberMetrics {
  readonly registry = new Registry();
  /** --metrics=extensive: latency of gRPC calls, too. */
  readonly extensive: boolean;

  readonly leaderChanges;
  readonly heartbeatSendFailures;
  readonly slowApplies;
  readonly applySeconds;
  readonly healthSuccesses;
  readonly healthFailures;
  readonly healthchecks;
  /** What each check of a probe (`readyz/linearizable_read`) said last: 1 or 0. */
  readonly lastHealthchecks = new Map<string, number>();

  readonly walFsyncSeconds;
  readonly walWriteSeconds;
  readonly walBytes;
  readonly commitSeconds;
  readonly defragSeconds;
  /** Defragmentations under way. */
  defragsInflight = 0;

  readonly ranges;
  readonly puts;
  readonly deletes;
  readonly txns;
  readonly putBytes;
  readonly hashRevSeconds;

  readonly leasesGranted;
  readonly leasesRevoked;
  readonly leasesRenewed;
  readonly leasesExpired;

  readonly peerSentBytes;
  readonly peerReceivedBytes;
  readonly peerSentFailures;
  readonly peerReceivedFailures;
  readonly peerRoundTripSeconds;
  readonly peersDisconnected;
  readonly clientSentBytes;
  readonly clientReceivedBytes;
  readonly snapshotsSent;
  readonly snapshotsNotSent;
  readonly snapshotsReceived;

  readonly grpcStarted;
  readonly grpcHandled;
  readonly grpcReceived;
  readonly grpcSent;
  /** Only with {@link MemberMetrics.extensive}. */
  readonly grpcSeconds;

  constructor(extensive = false) {
    this.extensive = extensive;
    const { registry: r } = this;
    const server = 'etcd_server_';
    this.leaderChanges = r.counter(`${server}leader_changes_seen_total`, 'Leader changes seen.');
    this.heartbeatSendFailures = r.counter(
      `${server}heartbeat_send_failures_total`,
      'Heartbeats that left late: the leader is overloaded, likely by a slow disk.',
    );
    this.slowApplies = r.counter(`${server}slow_apply_total`, 'Requests whose apply was slow.');
    this.applySeconds = r.histograms(
      `${server}apply_duration_seconds`,
      'Time that applying a request took.',
      ['version', 'op', 'success'],
      exponentialBounds(0.0001, 2, 20),
    );
    this.healthSuccesses = r.counter(`${server}health_success`, 'Successful health checks.');
    this.healthFailures = r.counter(`${server}health_failures`, 'Failed health checks.');
    this.healthchecks = r.counters(`${server}healthchecks_total`, 'Results of health checks.', [
      'type',
      'name',
      'status',
    ]);

    r.readEach(
      `${server}healthcheck`,
      'What each health check said last.',
      'gauge',
      ['type', 'name'],
      () => [...this.lastHealthchecks].map(([check, value]) => [check.split('/'), value]),
    );

    const disk = 'etcd_disk_';
    this.walFsyncSeconds = r.histogram(
      `${disk}wal_fsync_duration_seconds`,
      'Time that a write of the raft log with fsync took.',
      MILLISECOND_14,
    );
    this.walWriteSeconds = r.histogram(
      `${disk}wal_write_duration_seconds`,
      'Time that a write of the raft log took.',
      MILLISECOND_14,
    );
    this.walBytes = r.counter(`${disk}wal_write_bytes_total`, 'Bytes written to the raft log.');
    this.commitSeconds = r.histogram(
      `${disk}backend_commit_duration_seconds`,
      'Time that a commit of the backend took.',
      MILLISECOND_14,
    );
    this.defragSeconds = r.histogram(
      `${disk}backend_defrag_duration_seconds`,
      'Time that a defragmentation took.',
      exponentialBounds(0.1, 2, 13),
    );
    r.read(
      `${disk}defrag_inflight`,
      'Is a defragmentation under way?',
      'gauge',
      () => this.defragsInflight,
    );

    const mvcc = 'etcd_mvcc_';
    this.ranges = r.counter(`${mvcc}range_total`, 'Ranges read by this member.');
    this.puts = r.counter(`${mvcc}put_total`, 'Puts that this member has seen.');
    this.deletes = r.counter(`${mvcc}delete_total`, 'Deletes that this member has seen.');
    this.txns = r.counter(`${mvcc}txn_total`, 'Transactions that this member has seen.');
    this.hashRevSeconds = r.histogram(
      `${mvcc}hash_rev_duration_seconds`,
      'Time that hashing the keyspace took.',
      exponentialBounds(0.01, 2, 15),
    );
    this.putBytes = r.counter(
      'etcd_debugging_mvcc_total_put_size_in_bytes',
      'Bytes of the keys and values that this member has seen put.',
    );

    const lease = 'etcd_debugging_lease_';
    this.leasesGranted = r.counter(`${lease}granted_total`, 'Leases granted.');
    this.leasesRevoked = r.counter(`${lease}revoked_total`, 'Leases revoked.');
    this.leasesRenewed = r.counter(`${lease}renewed_total`, 'Renewals seen by the leader.');
    this.leasesExpired = r.counter(
      'etcd_debugging_server_lease_expired_total',
      'Leases that ran out.',
    );

    const network = 'etcd_network_';
    this.peerSentBytes = r.counters(`${network}peer_sent_bytes_total`, 'Bytes sent to peers.', [
      'To',
    ]);
    this.peerReceivedBytes = r.counters(
      `${network}peer_received_bytes_total`,
      'Bytes received from peers.',
      ['From'],
    );
    this.peerSentFailures = r.counters(
      `${network}peer_sent_failures_total`,
      'Messages that could not be sent to peers.',
      ['To'],
    );
    this.peerReceivedFailures = r.counters(
      `${network}peer_received_failures_total`,
      'Failures to receive from peers.',
      ['From'],
    );
    this.peerRoundTripSeconds = r.histograms(
      `${network}peer_round_trip_time_seconds`,
      'Round-trip times between peers.',
      ['To'],
      exponentialBounds(0.0001, 2, 16),
    );
    this.peersDisconnected = r.counters(
      `${network}disconnected_peers_total`,
      'How often peers were lost.',
      ['Local', 'Remote'],
    );
    this.clientSentBytes = r.counter(
      `${network}client_grpc_sent_bytes_total`,
      'Bytes sent to gRPC clients.',
    );
    this.clientReceivedBytes = r.counter(
      `${network}client_grpc_received_bytes_total`,
      'Bytes received from gRPC clients.',
    );
    this.snapshotsSent = r.counters(`${network}snapshot_send_success`, 'Snapshots sent to peers.', [
      'To',
    ]);
    this.snapshotsNotSent = r.counters(
      `${network}snapshot_send_failures`,
      'Snapshots that could not be sent to peers.',
      ['To'],
    );
    this.snapshotsReceived = r.counters(
      `${network}snapshot_receive_success`,
      'Snapshots received from peers.',
      ['From'],
    );

    const call = ['grpc_type', 'grpc_service', 'grpc_method'];
    this.grpcStarted = r.counters('grpc_server_started_total', 'RPCs started.', call);
    this.grpcHandled = r.counters('grpc_server_handled_total', 'RPCs completed.', [
      ...call,
      'grpc_code',
    ]);
    this.grpcReceived = r.counters(
      'grpc_server_msg_received_total',
      'RPC messages received.',
      call,
    );
    this.grpcSent = r.counters('grpc_server_msg_sent_total', 'RPC messages sent.', call);
    this.grpcSeconds = extensive
      ? r.histograms(
          'grpc_server_handling_seconds',
          'Time that RPCs took.',
          call,
          [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
        )
      : undefined;
  }
}
