/** Watch requests and answers. Watch ids are int64 chosen by clients: kept exact as bigint. */
import type { Int64 } from './int64.js';
import type { Event, ResponseHeader } from './kv.js';

export const WatchFilter = { noPut: 0, noDelete: 1 } as const;

export interface WatchCreateRequest {
  key: string;
  rangeEnd: string;
  startRevision: Int64;
  progressNotify: boolean;
  /** {@link WatchFilter} numbers. */
  filters: number[];
  prevKv: boolean;
  /** 0n: the server chooses the lowest unused. */
  watchId: bigint;
  fragment: boolean;
}

export type WatchRequest =
  | { kind: 'create'; request: WatchCreateRequest }
  | { kind: 'cancel'; watchId: bigint }
  | { kind: 'progress' }
  | { kind: 'none' };

export interface WatchResponse {
  header?: ResponseHeader;
  watchId: bigint;
  created: boolean;
  canceled: boolean;
  /** Set (above 0) when the watch ended because its start was compacted. */
  compactRevision: number;
  cancelReason: string;
  fragment: boolean;
  events: Event[];
}
