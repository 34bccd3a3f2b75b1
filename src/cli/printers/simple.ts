/** The format `simple`: keys and values as they are, one a line. */
import type {
  DeleteRangeResponse,
  KeyValue,
  LeaseTimeToLiveResponse,
  MemberAddResponse,
  PutResponse,
  RangeResponse,
  ResponseOp,
  TxnResponse,
  WatchResponse,
} from '../../api/index.js';
import { hexId, latin1FromUtf8 } from '../../bytes/index.js';
import type { SnapshotDifferences } from '../../embed/snapshot-diff.js';
import { reportText } from '../conformance/report.js';
import { goQuote } from '../go-text/quote.js';
import type { EndpointHealth, Result } from '../output.js';
import { alarmText } from './alarm.js';
import { leaseId } from './lease-id.js';
import {
  hashKvRows,
  memberRows,
  snapshotHashRows,
  snapshotStatusRows,
  statusRows,
  type Rows,
} from './rows.js';

export function printSimple(result: Result, hex: boolean): string {
  switch (result.kind) {
    case 'get':
      return result.valueOnly
        ? result.response.kvs.map((kv) => text(kv.value, hex) + '\n').join('')
        : printRange(result.response, hex);
    case 'put':
      return printPut(result.response, hex);
    case 'del':
      return printDelete(result.response, hex);
    case 'txn':
      return printTxn(result.response, hex);
    case 'watch':
      return printWatch(result.response, hex);
    case 'memberList':
      return printRows(memberRows(result.response.members));
    case 'memberAdd':
      return printMemberAdd(result);
    case 'memberChange':
      return printMemberChange(result);
    case 'alarms':
      return result.response.alarms.map((alarm) => `${alarmText(alarm)}\n`).join('');
    case 'moveLeader':
      return `Leadership transferred from ${hexId(result.from)} to ${hexId(result.to)}\n`;
    case 'snapshotStatus':
      return printRows(snapshotStatusRows(result.status));
    case 'snapshotHash':
      return printRows(snapshotHashRows(result.hash));
    case 'snapshotDiff':
      return printDifferences(result.differences, hex);
    case 'endpointStatus':
      return printRows(statusRows(result.list));
    case 'endpointHashKv':
      return printRows(hashKvRows(result.list));
    case 'conformance':
      return latin1FromUtf8(reportText(result.report));
    case 'endpointHealth':
      return result.list.map(printHealth).join('');
    default:
      return printLease(result);
  }
}

type LeaseResult = Extract<Result, { kind: `lease${string}` }>;

function printLease(result: LeaseResult): string {
  switch (result.kind) {
    case 'leaseGrant':
      return `lease ${leaseId(result.response.id)} granted with TTL(${result.response.ttl}s)\n`;
    case 'leaseRevoke':
      return `lease ${leaseId(result.id)} revoked\n`;
    case 'leaseKeepAlive':
      return `lease ${leaseId(result.response.id)} keepalived with TTL(${result.response.ttl})\n`;
    case 'leaseTimeToLive':
      return printTimeToLive(result.response, result.keys);
    case 'leaseList':
      return [
        `found ${result.response.leases.length} leases\n`,
        ...result.response.leases.map(({ id }) => `${leaseId(id)}\n`),
      ].join('');
  }
}

function printTimeToLive(response: LeaseTimeToLiveResponse, keys: boolean): string {
  const id = leaseId(response.id);
  if (response.grantedTtl === 0 && response.ttl === -1) return `lease ${id} already expired\n`;
  const times = `granted with TTL(${response.grantedTtl}s), remaining(${response.ttl}s)`;
  const attached = keys ? `, attached keys([${response.keys.join(' ')}])` : '';
  return `lease ${id} ${times}${attached}\n`;
}

function text(bytes: string, hex: boolean): string {
  return hex ? bytes.replace(/[^]/g, escapeByte) : bytes;
}

function escapeByte(byte: string): string {
  return `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

function printPair(kv: KeyValue, hex: boolean): string {
  return `${text(kv.key, hex)}\n${text(kv.value, hex)}\n`;
}

function printRange(response: RangeResponse, hex: boolean): string {
  return response.kvs.map((kv) => printPair(kv, hex)).join('');
}

function printPut(response: PutResponse, hex: boolean): string {
  return 'OK\n' + (response.prevKv ? printPair(response.prevKv, hex) : '');
}

function printDelete(response: DeleteRangeResponse, hex: boolean): string {
  return `${response.deleted}\n` + response.prevKvs.map((kv) => printPair(kv, hex)).join('');
}

function printTxn(response: TxnResponse, hex: boolean): string {
  const outcome = response.succeeded ? 'SUCCESS\n' : 'FAILURE\n';
  return outcome + response.responses.map((op) => '\n' + printOp(op, hex)).join('');
}

function printOp(op: ResponseOp, hex: boolean): string {
  switch (op.kind) {
    case 'put':
      return printPut(op.response, hex);
    case 'deleteRange':
      return printDelete(op.response, hex);
    case 'range':
      return printRange(op.response, hex);
    case 'txn':
      return printTxn(op.response, hex);
  }
}

function printWatch(response: WatchResponse, hex: boolean): string {
  return response.events
    .map(({ type, kv, prevKv }) => {
      const before = prevKv ? printPair(prevKv, hex) : '';
      return `${type.toUpperCase()}\n${before}${printPair(kv, hex)}`;
    })
    .join('');
}

function printRows({ rows }: Rows): string {
  return rows.map((row) => row.join(', ') + '\n').join('');
}

function printHealth({ endpoint, healthy, took, error }: EndpointHealth): string {
  return healthy
    ? `${endpoint} is healthy: successfully committed proposal: took = ${took}\n`
    : `${endpoint} is unhealthy: failed to commit proposal: ${latin1FromUtf8(error)}\n`;
}

/** What happened, then the settings that the new member is to be started with. */
function printMemberAdd({
  response,
  name,
  peerUrls,
}: Extract<Result, { kind: 'memberAdd' }>): string {
  const { header, member } = response;
  const how = member.isLearner ? 'added as learner to' : 'added to';
  return [
    `Member ${paddedId(member.id)} ${how} cluster ${paddedId(header?.clusterId ?? 0n)}\n\n`,
    `ETCD_NAME=${goQuote(name)}\n`,
    `ETCD_INITIAL_CLUSTER=${goQuote(initialCluster(response, name))}\n`,
    `ETCD_INITIAL_ADVERTISE_PEER_URLS=${goQuote(peerUrls)}\n`,
    'ETCD_INITIAL_CLUSTER_STATE="existing"\n',
  ].join('');
}

/** The new member, not started yet, has no name but the one it was added by. */
function initialCluster({ member, members }: MemberAddResponse, name: string): string {
  return members
    .flatMap(({ id, name: known, peerUrls }) =>
      peerUrls.map(
        (url) => `${id === member.id ? name : latin1FromUtf8(known)}=${latin1FromUtf8(url)}`,
      ),
    )
    .join(',');
}

function printMemberChange({
  change,
  id,
  response,
}: Extract<Result, { kind: 'memberChange' }>): string {
  return `Member ${paddedId(id)} ${change} cluster ${paddedId(response.header?.clusterId ?? 0n)}\n`;
}

/** Go's `%16x`. */
function paddedId(id: bigint): string {
  return hexId(id).padStart(16);
}

/** As diff shows lines: `-` only in the first, `+` only in the second, `~` another value or lease. */
function printDifferences({ removed, added, changed }: SnapshotDifferences, hex: boolean): string {
  const marked = [
    ...removed.map((key) => [key, '-']),
    ...added.map((key) => [key, '+']),
    ...changed.map((key) => [key, '~']),
  ] as [string, string][];
  marked.sort(([a], [b]) => (a < b ? -1 : 1));
  return marked.map(([key, mark]) => `${mark} ${text(key, hex)}\n`).join('');
}
