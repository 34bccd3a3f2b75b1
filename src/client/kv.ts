/** The KV service. */
import type {
  CompactionRequest,
  CompactionResponse,
  DeleteRangeRequest,
  DeleteRangeResponse,
  PutRequest,
  PutResponse,
  RangeRequest,
  RangeResponse,
  TxnRequest,
  TxnResponse,
} from '../api/index.js';
import type { CallOptions, Connection } from './connection.js';
import { methods } from './method.js';

/** Every call throws EtcdError. */
export interface KvClient {
  range(request: RangeRequest, options?: CallOptions): Promise<RangeResponse>;
  /**
   * A range without order and filters in parts, which are disjoint and in key order; the last one has
   * header, `more` and `count`. Servers before etcd 3.7 do not have it. A slow reader slows only this.
   */
  rangeStream(request: RangeRequest, options?: CallOptions): AsyncGenerator<RangeResponse>;
  put(request: PutRequest, options?: CallOptions): Promise<PutResponse>;
  deleteRange(request: DeleteRangeRequest, options?: CallOptions): Promise<DeleteRangeResponse>;
  txn(request: TxnRequest, options?: CallOptions): Promise<TxnResponse>;
  compact(request: CompactionRequest, options?: CallOptions): Promise<CompactionResponse>;
}

export function createKvClient(connection: Connection): KvClient {
  return {
    range: (request, options) => connection.unary(methods.range, request, options),
    rangeStream: async function* (request, options) {
      yield* await connection.answers(methods.rangeStream, request, options);
    },
    put: (request, options) => connection.unary(methods.put, request, options),
    deleteRange: (request, options) => connection.unary(methods.deleteRange, request, options),
    txn: (request, options) => connection.unary(rereadable(request), request, options),
    compact: (request, options) => connection.unary(methods.compact, request, options),
  };
}

/** A transaction that only reads may be sent again like a read. */
function rereadable(request: TxnRequest): typeof methods.txn {
  const ops = [...request.success, ...request.failure];
  return ops.every((op) => op.kind === 'range')
    ? { ...methods.txn, repeatable: true }
    : methods.txn;
}

/** A range request for one key; spread it and change what differs. */
export function rangeOf(key: string): RangeRequest {
  return {
    key,
    rangeEnd: '',
    limit: 0,
    revision: 0,
    sortOrder: 0,
    sortTarget: 0,
    serializable: false,
    keysOnly: false,
    countOnly: false,
    minModRevision: 0,
    maxModRevision: 0,
    minCreateRevision: 0,
    maxCreateRevision: 0,
  };
}
