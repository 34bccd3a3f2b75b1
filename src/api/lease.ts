/** Lease requests and answers. Ids are int64 as bigint; TTLs are seconds. */
import type { Int64 } from './int64.js';
import type { ResponseHeader } from './kv.js';

export interface LeaseGrantRequest {
  /** Seconds; below the server's minimum (zero and negative too) it is raised to that. */
  ttl: Int64;
  /** 0n: the server chooses. */
  id: bigint;
}
export interface LeaseGrantResponse {
  header?: ResponseHeader;
  id: bigint;
  ttl: number;
  error: string;
}
export interface LeaseRevokeRequest {
  id: bigint;
}
export interface LeaseRevokeResponse {
  header?: ResponseHeader;
}
export interface LeaseKeepAliveRequest {
  id: bigint;
}
export interface LeaseKeepAliveResponse {
  header?: ResponseHeader;
  id: bigint;
  /** Granted seconds, or 0 when the lease is gone. */
  ttl: number;
}
export interface LeaseTimeToLiveRequest {
  id: bigint;
  keys: boolean;
}
export interface LeaseTimeToLiveResponse {
  header?: ResponseHeader;
  id: bigint;
  /** Whole seconds left, -1 when there is no such lease. */
  ttl: number;
  grantedTtl: number;
  keys: string[];
}
export interface LeaseLeasesResponse {
  header?: ResponseHeader;
  leases: { id: bigint }[];
}
export interface LeaseCheckpoint {
  id: bigint;
  remainingTtl: number;
}
