/** What commands yield: results for a printer, and plain text for either stream. Text is latin1. */
import type {
  DeleteRangeResponse,
  HashKvResponse,
  LeaseGrantResponse,
  LeaseKeepAliveResponse,
  LeaseLeasesResponse,
  LeaseRevokeResponse,
  LeaseTimeToLiveResponse,
  MemberListResponse,
  PutResponse,
  RangeResponse,
  StatusResponse,
  TxnResponse,
  WatchResponse,
} from '../api/index.js';

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
