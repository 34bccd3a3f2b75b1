/**
 * KV requests and answers: etcd's messages (api.proto names in camelCase) as plain objects.
 * Keys, range ends and values are latin1 strings, see src/bytes/latin1.ts. Absent is the proto3
 * zero value: '' or 0 or false.
 */
import type { Int64 } from './int64.js';

/** One revision of one key. A tombstone has only `key` and `modRevision`. */
export interface KeyValue {
  key: string;
  /** Revision that created this generation of the key; 0 in a tombstone. */
  createRevision: number;
  /** Revision of the last change. */
  modRevision: number;
  /** Changes since creation, from 1; 0 in a tombstone. */
  version: number;
  value: string;
  /** Attached lease, 0n for none. int64. */
  lease: bigint;
}

export interface Event {
  type: 'put' | 'delete';
  kv: KeyValue;
  /** The pair before the event, when it was asked for and still exists. */
  prevKv?: KeyValue;
}

/** Sent with every answer; services fill the ids and term at the outermost level only. */
export interface ResponseHeader {
  clusterId: bigint;
  memberId: bigint;
  revision: number;
  raftTerm: number;
}

export const SortOrder = { none: 0, ascend: 1, descend: 2 } as const;
export const SortTarget = { key: 0, version: 1, create: 2, mod: 3, value: 4 } as const;

export interface RangeRequest {
  key: string;
  /** '' is one key, '\0' is every key >= `key`, else the half-open end. */
  rangeEnd: string;
  limit: Int64;
  /** 0 or below: latest. */
  revision: Int64;
  /** A {@link SortOrder} number; unknown numbers are refused by validation. */
  sortOrder: number;
  /** A {@link SortTarget} number. */
  sortTarget: number;
  serializable: boolean;
  keysOnly: boolean;
  countOnly: boolean;
  minModRevision: Int64;
  maxModRevision: Int64;
  minCreateRevision: Int64;
  maxCreateRevision: Int64;
}

export interface RangeResponse {
  header?: ResponseHeader;
  kvs: KeyValue[];
  more: boolean;
  count: number;
}

export interface PutRequest {
  key: string;
  value: string;
  lease: bigint;
  prevKv: boolean;
  ignoreValue: boolean;
  ignoreLease: boolean;
}

export interface PutResponse {
  header?: ResponseHeader;
  prevKv?: KeyValue;
}

export interface DeleteRangeRequest {
  key: string;
  rangeEnd: string;
  prevKv: boolean;
}

export interface DeleteRangeResponse {
  header?: ResponseHeader;
  deleted: number;
  prevKvs: KeyValue[];
}

export const CompareResult = { equal: 0, greater: 1, less: 2, notEqual: 3 } as const;
export const CompareTarget = { version: 0, create: 1, mod: 2, value: 3, lease: 4 } as const;

export interface Compare {
  /** A {@link CompareResult} number; an unknown one holds always (as in etcd). */
  result: number;
  /** A {@link CompareTarget} number; an unknown one compares equal (as in etcd). */
  target: number;
  key: string;
  rangeEnd: string;
  /**
   * The member of the oneof that the client set; undefined when none. It is what goes back on the
   * wire; evaluation reads it only if it fits `target`, else the zero value.
   */
  operand?:
    | { kind: 'version' | 'create' | 'mod'; value: Int64 }
    | { kind: 'value'; value: string }
    | { kind: 'lease'; value: bigint };
}

export type RequestOp =
  | { kind: 'range'; request: RangeRequest }
  | { kind: 'put'; request: PutRequest }
  | { kind: 'deleteRange'; request: DeleteRangeRequest }
  | { kind: 'txn'; request: TxnRequest }
  /** The client set no member of the oneof: refused by validation. */
  | { kind: 'none' };

export interface TxnRequest {
  compare: Compare[];
  success: RequestOp[];
  failure: RequestOp[];
}

export type ResponseOp =
  | { kind: 'range'; response: RangeResponse }
  | { kind: 'put'; response: PutResponse }
  | { kind: 'deleteRange'; response: DeleteRangeResponse }
  | { kind: 'txn'; response: TxnResponse };

export interface TxnResponse {
  header?: ResponseHeader;
  succeeded: boolean;
  responses: ResponseOp[];
}

export interface CompactionRequest {
  revision: Int64;
  /** Answer only when the deletion is done on the answering member. */
  physical: boolean;
}

export interface CompactionResponse {
  header?: ResponseHeader;
}
