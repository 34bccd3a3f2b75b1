/** etcdserverpb.Maintenance (semantics.md 6). */
import {
  AlarmType,
  type AlarmMember,
  type AlarmRequest,
  type AlarmResponse,
  type HashKvRequest,
  type HashKvResponse,
  type HashResponse,
  type HeaderResponse,
  type MoveLeaderRequest,
  type SnapshotResponse,
  type StatusResponse,
} from '../../api/index.js';
import * as codec from '../../codec/index.js';
import { hashBackend } from '../backend-hash.js';
import type { Member } from '../member.js';
import type { CallContext, Method, StreamReader, StreamWriter } from '../rpc.js';
import { SERVER_VERSION } from '../versions.js';
import { admit, stream, unary } from './methods.js';
import { streamSnapshot } from './snapshot-stream.js';

export class MaintenanceService {
  readonly #member: Member;

  constructor(member: Member) {
    this.#member = member;
  }

  status(context: CallContext): StatusResponse {
    admit(this.#member, context, true);
    const { backend, raft } = this.#member;
    return {
      header: this.#member.header(),
      version: SERVER_VERSION,
      dbSize: backend.sizeBytes(),
      leader: this.#member.leader,
      raftIndex: raft.commitIndex,
      raftTerm: raft.term,
      raftAppliedIndex: this.#member.appliedIndex,
      errors: this.#errors(),
      dbSizeInUse: Math.min(backend.sizeInUseBytes(), backend.sizeBytes()),
      isLearner: this.#member.isLearner,
      storageVersion: this.#member.storageVersion,
      dbSizeQuota: this.#member.quota.limitBytes,
      downgradeInfo: { enabled: false, targetVersion: '' },
    };
  }

  async alarm(request: AlarmRequest, context: CallContext): Promise<AlarmResponse> {
    admit(this.#member, context);
    return this.#member.propose<AlarmResponse>({ kind: 'alarm', request });
  }

  async hashKv(request: HashKvRequest, context: CallContext): Promise<HashKvResponse> {
    admit(this.#member, context);
    const { revision } = request;
    const begunMs = this.#member.monotonicMs();
    const result = await this.#member.store.hashKv(revision);
    this.#member.metrics.hashRevSeconds.observe((this.#member.monotonicMs() - begunMs) / 1000);
    // Below 0 nothing is hashed, and the answer says what was asked, exactly.
    const hashRevision = revision < 0 ? revision : result.hashRevision;
    return { header: this.#member.header(), ...result, hashRevision };
  }

  async hash(context: CallContext): Promise<HashResponse> {
    admit(this.#member, context);
    const header = this.#member.header();
    return { header, hash: await hashBackend(this.#member.backend) };
  }

  /** No header, as etcd sends none. */
  async defragment(context: CallContext): Promise<HeaderResponse> {
    admit(this.#member, context);
    const { metrics, clock, backend } = this.#member;
    const begunMs = clock.monotonicMs();
    metrics.defragsInflight++;
    try {
      await backend.defragment();
      metrics.defragSeconds.observe((clock.monotonicMs() - begunMs) / 1000);
      return {};
    } finally {
      metrics.defragsInflight--;
    }
  }

  async moveLeader(request: MoveLeaderRequest, context: CallContext): Promise<HeaderResponse> {
    admit(this.#member, context);
    await this.#member.transferLeadership(request.targetId);
    return {};
  }

  openSnapshot(
    out: StreamWriter<SnapshotResponse>,
    context: CallContext,
  ): StreamReader<codec.EmptyMessage> {
    admit(this.#member, context, true);
    return streamSnapshot(this.#member, out);
  }

  #errors(): string[] {
    const noLeader = this.#member.leader === 0n ? ['etcdserver: no leader'] : [];
    return [...noLeader, ...this.#member.alarms.list(AlarmType.none).map(alarmText)];
  }
}

/** etcd's text form of an alarm, as Status and etcdctl show it. */
function alarmText({ memberId, alarm }: AlarmMember): string {
  const name =
    alarm === AlarmType.noSpace ? 'NOSPACE' : alarm === AlarmType.corrupt ? 'CORRUPT' : alarm;
  return `memberID:${memberId} alarm:${name} `;
}

export function maintenanceMethods(service: MaintenanceService): Method[] {
  const path = '/etcdserverpb.Maintenance/';
  return [
    unary(`${path}Status`, codec.statusRequest, codec.statusResponse, (_request, context) =>
      service.status(context),
    ),
    unary(`${path}Alarm`, codec.alarmRequest, codec.alarmResponse, (request, context) =>
      service.alarm(request, context),
    ),
    unary(`${path}HashKV`, codec.hashKvRequest, codec.hashKvResponse, (request, context) =>
      service.hashKv(request, context),
    ),
    unary(`${path}Hash`, codec.hashRequest, codec.hashResponse, (_request, context) =>
      service.hash(context),
    ),
    unary(
      `${path}Defragment`,
      codec.defragmentRequest,
      codec.defragmentResponse,
      (_request, context) => service.defragment(context),
    ),
    unary(
      `${path}MoveLeader`,
      codec.moveLeaderRequest,
      codec.moveLeaderResponse,
      (request, context) => service.moveLeader(request, context),
    ),
    stream(
      `${path}Snapshot`,
      codec.snapshotRequest,
      codec.snapshotResponse,
      false,
      (out, context) => service.openSnapshot(out, context),
    ),
  ];
}
