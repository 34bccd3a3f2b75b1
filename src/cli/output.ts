/** What commands yield: results for a printer, and plain text for either stream. Text is latin1. */
import type {
  AlarmResponse,
  DeleteRangeResponse,
  HashKvResponse,
  HeaderResponse,
  LeaseGrantResponse,
  LeaseKeepAliveResponse,
  LeaseLeasesResponse,
  LeaseRevokeResponse,
  LeaseTimeToLiveResponse,
  MemberAddResponse,
  MemberListResponse,
  MembersResponse,
  PutResponse,
  RangeResponse,
  StatusResponse,
  TxnResponse,
  WatchResponse,
} from '../api/index.js';
import type { SnapshotStatus } from '../bolt/index.js';
import type { SnapshotDifferences } from '../embed/snapshot-diff.js';
import type { ConformanceReport } from './conformance/report.js';

export interface EndpointStatus {
  endpoint: string;
  status: StatusResponse;
}
export interface EndpointHash {
  endpoint: string;
  hash: HashKvResponse;
}
export interface EndpointHealth {
  endpoint: string;
  healthy: boolean;
  /** How long the check took, as Go prints a duration. */
  took: string;
  /** Why it is not healthy; '' when it is. */
  error: string;
}

/** What was done to a member; the words are those of the simple format. */
export type MemberChange = 'removed from' | 'updated in' | 'promoted in';

/** HashKV of a snapshot file. */
export interface SnapshotHash {
  hash: number;
  hashRevision: number;
  compactRevision: number;
}

/** An answer; how it looks is up to the output format (src/cli/printers). */
export type Result =
  | { kind: 'get'; response: RangeResponse; valueOnly: boolean }
  | { kind: 'put'; response: PutResponse }
  | { kind: 'del'; response: DeleteRangeResponse }
  | { kind: 'txn'; response: TxnResponse }
  | { kind: 'watch'; response: WatchResponse }
  | { kind: 'leaseGrant'; response: LeaseGrantResponse }
  | { kind: 'leaseRevoke'; id: bigint; response: LeaseRevokeResponse }
  | { kind: 'leaseKeepAlive'; response: LeaseKeepAliveResponse }
  | { kind: 'leaseTimeToLive'; response: LeaseTimeToLiveResponse; keys: boolean }
  | { kind: 'leaseList'; response: LeaseLeasesResponse }
  | { kind: 'memberList'; response: MemberListResponse }
  /** `name` and `peerUrls` are the arguments, as bytes. */
  | { kind: 'memberAdd'; response: MemberAddResponse; name: string; peerUrls: string }
  | { kind: 'memberChange'; change: MemberChange; id: bigint; response: MembersResponse }
  | { kind: 'alarms'; response: AlarmResponse }
  | { kind: 'moveLeader'; from: bigint; to: bigint; response: HeaderResponse }
  | { kind: 'snapshotStatus'; status: SnapshotStatus }
  | { kind: 'snapshotHash'; hash: SnapshotHash }
  | { kind: 'snapshotDiff'; differences: SnapshotDifferences }
  | { kind: 'conformance'; report: ConformanceReport }
  | { kind: 'endpointStatus'; list: EndpointStatus[] }
  | { kind: 'endpointHealth'; list: EndpointHealth[] }
  | { kind: 'endpointHashKv'; list: EndpointHash[] };

export type Output =
  | { kind: 'result'; result: Result }
  | { kind: 'stdout'; text: string }
  | { kind: 'stderr'; text: string };

export function result(value: Result): Output {
  return { kind: 'result', result: value };
}

/** A line on stdout, whatever the format. */
export function line(text: string): Output {
  return { kind: 'stdout', text: text + '\n' };
}

/** A line on stderr. */
export function warning(text: string): Output {
  return { kind: 'stderr', text: text + '\n' };
}
