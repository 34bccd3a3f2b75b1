/** The format `fields`: a line `"Name" : value` per field. */
import type {
  AlarmResponse,
  DeleteRangeResponse,
  KeyValue,
  LeaseLeasesResponse,
  LeaseTimeToLiveResponse,
  Member,
  PutResponse,
  RangeResponse,
  ResponseHeader,
  ResponseOp,
  TxnResponse,
  WatchResponse,
} from '../../api/index.js';
import { hexId, latin1FromUtf8 } from '../../bytes/index.js';
import { goQuote } from '../go-text/quote.js';
import type { SnapshotStatus } from '../../bolt/index.js';
import type {
  EndpointHash,
  EndpointHealth,
  EndpointStatus,
  Result,
  SnapshotHash,
} from '../output.js';
import { alarmName } from './alarm.js';
import { leaseId } from './lease-id.js';
import { unsupported } from './unsupported.js';

export function printFields(result: Result, hex: boolean): string {
  const fields = new Fields(hex);
  fields.result(result);
  return fields.text;
}

class Fields {
  text = '';

  constructor(private readonly hex: boolean) {}

  result(result: Result): void {
    switch (result.kind) {
      case 'get':
        return this.range(result.response);
      case 'put':
        return this.put(result.response);
      case 'del':
        return this.delete(result.response);
      case 'txn':
        return this.txn(result.response);
      case 'watch':
        return this.watch(result.response);
      case 'memberList':
        this.header(result.response.header);
        return result.response.members.forEach((member) => this.member(member));
      case 'endpointStatus':
        return result.list.forEach((entry) => this.status(entry));
      case 'endpointHealth':
        return result.list.forEach((entry) => this.health(entry));
      case 'endpointHashKv':
        return result.list.forEach((entry) => this.hash(entry));
      case 'alarms':
        return this.alarms(result.response);
      case 'snapshotStatus':
        return this.snapshotStatus(result.status);
      case 'snapshotHash':
        return this.snapshotHash(result.hash);
      case 'snapshotDiff':
      case 'memberAdd':
      case 'memberChange':
      case 'moveLeader':
      case 'conformance':
        throw unsupported('fields');
      default:
        return this.lease(result);
    }
  }

  private lease(result: Extract<Result, { kind: `lease${string}` }>): void {
    switch (result.kind) {
      case 'leaseGrant':
      case 'leaseKeepAlive':
        this.header(result.response.header);
        this.plain('ID', this.leaseId(result.response.id));
        return this.plain('TTL', result.response.ttl);
      case 'leaseRevoke':
        return this.header(result.response.header);
      case 'leaseTimeToLive':
        return this.timeToLive(result.response);
      case 'leaseList':
        return this.leases(result.response);
    }
  }

  private plain(name: string, value: string | number | bigint | boolean): void {
    this.text += `"${name}" : ${value}\n`;
  }

  private quoted(name: string, value: string): void {
    this.plain(name, goQuote(value));
  }

  private memberId(id: bigint): string {
    return this.hex ? hexId(id) : id.toString();
  }

  private leaseId(id: bigint): string {
    return this.hex ? leaseId(id) : id.toString();
  }

  private header(header: ResponseHeader | undefined): void {
    this.plain('ClusterID', this.memberId(header?.clusterId ?? 0n));
    this.plain('MemberID', this.memberId(header?.memberId ?? 0n));
    if (header !== undefined && header.revision > 0) this.plain('Revision', header.revision);
    this.plain('RaftTerm', header?.raftTerm ?? 0);
  }

  private pair(kv: KeyValue, prefix = ''): void {
    this.quoted(`${prefix}Key`, kv.key);
    this.plain(`${prefix}CreateRevision`, kv.createRevision);
    this.plain(`${prefix}ModRevision`, kv.modRevision);
    this.plain(`${prefix}Version`, kv.version);
    this.quoted(`${prefix}Value`, kv.value);
    this.plain(`${prefix}Lease`, this.leaseId(kv.lease));
  }

  private range(response: RangeResponse): void {
    this.header(response.header);
    for (const kv of response.kvs) this.pair(kv);
    this.plain('More', response.more);
    this.plain('Count', response.count);
  }

  private put(response: PutResponse): void {
    this.header(response.header);
    if (response.prevKv) this.pair(response.prevKv, 'Prev');
  }

  private delete(response: DeleteRangeResponse): void {
    this.header(response.header);
    this.plain('Deleted', response.deleted);
    for (const kv of response.prevKvs) this.pair(kv, 'Prev');
  }

  private txn(response: TxnResponse): void {
    this.header(response.header);
    this.plain('Succeeded', response.succeeded);
    for (const op of response.responses) this.op(op);
  }

  private op(op: ResponseOp): void {
    switch (op.kind) {
      case 'range':
        return this.range(op.response);
      case 'put':
        return this.put(op.response);
      case 'deleteRange':
        return this.delete(op.response);
      case 'txn':
        return this.txn(op.response);
    }
  }

  private watch(response: WatchResponse): void {
    this.header(response.header);
    for (const { type, kv, prevKv } of response.events) {
      this.plain('Type', type.toUpperCase());
      if (prevKv) this.pair(prevKv, 'Prev');
      this.pair(kv);
    }
  }

  private timeToLive(response: LeaseTimeToLiveResponse): void {
    this.header(response.header);
    this.plain('ID', this.leaseId(response.id));
    this.plain('TTL', response.ttl);
    this.plain('GrantedTTL', response.grantedTtl);
    for (const key of response.keys) this.quoted('Key', key);
  }

  private leases(response: LeaseLeasesResponse): void {
    this.header(response.header);
    for (const { id } of response.leases) this.plain('ID', this.leaseId(id));
  }

  private member(member: Member): void {
    this.plain('ID', this.memberId(member.id));
    this.quoted('Name', latin1FromUtf8(member.name));
    for (const url of member.peerUrls) this.quoted('PeerURL', latin1FromUtf8(url));
    for (const url of member.clientUrls) this.quoted('ClientURL', latin1FromUtf8(url));
    this.plain('IsLearner', member.isLearner);
    this.text += '\n';
  }

  private status({ endpoint, status }: EndpointStatus): void {
    this.header(status.header);
    this.quoted('Version', latin1FromUtf8(status.version));
    this.quoted('StorageVersion', latin1FromUtf8(status.storageVersion));
    this.plain('DBSize', status.dbSize);
    this.plain('DBSizeInUse', status.dbSizeInUse);
    this.plain('DBSizeQuota', status.dbSizeQuota);
    this.plain('Leader', status.leader);
    this.plain('IsLearner', status.isLearner);
    this.plain('RaftIndex', status.raftIndex);
    this.plain('RaftAppliedIndex', status.raftAppliedIndex);
    this.plain('Errors', `[${latin1FromUtf8(status.errors.join(' '))}]`);
    this.quoted('Endpoint', endpoint);
    this.quoted('DowngradeTargetVersion', latin1FromUtf8(status.downgradeInfo.targetVersion));
    this.plain('DowngradeEnabled', status.downgradeInfo.enabled);
    this.text += '\n';
  }

  private health({ endpoint, healthy, took, error }: EndpointHealth): void {
    this.quoted('Endpoint', endpoint);
    this.plain('Health', healthy);
    this.plain('Took', took);
    this.plain('Error', latin1FromUtf8(error));
    this.text += '\n';
  }

  private hash({ endpoint, hash }: EndpointHash): void {
    this.header(hash.header);
    this.quoted('Endpoint', endpoint);
    this.plain('Hash', hash.hash);
    this.plain('HashRevision', hash.hashRevision);
    this.text += '\n';
  }

  private alarms({ header, alarms }: AlarmResponse): void {
    this.header(header);
    for (const { memberId, alarm } of alarms) {
      this.plain('MemberID', this.memberId(memberId));
      this.plain('AlarmType', alarmName(alarm));
      this.text += '\n';
    }
  }

  private snapshotStatus(status: SnapshotStatus): void {
    this.plain('Hash', status.hash);
    this.plain('Revision', status.revision);
    this.plain('Keys', status.totalKey);
    this.plain('Size', status.totalSize);
    this.plain('Version', status.version);
  }

  private snapshotHash(hash: SnapshotHash): void {
    this.plain('Hash', hash.hash);
    this.plain('Hash revision', hash.hashRevision);
    this.plain('Compact revision', hash.compactRevision);
  }
}
