/** etcdserverpb.KV. Each method: check, call, answer with a header (semantics.md 1 and 2). */
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
} from '../../api/index.js';
import * as codec from '../../codec/index.js';
import {
  checkDelete,
  checkPut,
  checkRange,
  checkTxn,
  isReadOnlyTxn,
  isSerializableTxn,
} from '../../mvcc/index.js';
import type { CompactionResult } from '../applier.js';
import type { Member } from '../member.js';
import type { CallContext, Method } from '../rpc.js';
import { admit, unary } from './methods.js';

/** KV as a program calls it: the same checks and answers with no bytes between. */
export class KvService {
  readonly #member: Member;

  constructor(member: Member) {
    this.#member = member;
  }

  async range(request: RangeRequest, context: CallContext): Promise<RangeResponse> {
    admit(this.#member, context, request.serializable);
    checkRange(request);
    if (!request.serializable) await this.#member.linearizableRead();
    return this.#answer(this.#member.store.range(request));
  }

  async put(request: PutRequest, context: CallContext): Promise<PutResponse> {
    admit(this.#member, context);
    const op = { kind: 'put', request } as const;
    this.#member.checkQuota(op);
    checkPut(request);
    return this.#member.propose<PutResponse>(op);
  }

  async deleteRange(
    request: DeleteRangeRequest,
    context: CallContext,
  ): Promise<DeleteRangeResponse> {
    admit(this.#member, context);
    checkDelete(request);
    return this.#member.propose<DeleteRangeResponse>({ kind: 'deleteRange', request });
  }

  async txn(request: TxnRequest, context: CallContext): Promise<TxnResponse> {
    const readOnly = isReadOnlyTxn(request);
    const serializable = readOnly && isSerializableTxn(request);
    admit(this.#member, context);
    const op = { kind: 'txn', request } as const;
    this.#member.checkQuota(op);
    checkTxn(request, { maxTxnOps: this.#member.config.maxTxnOps });
    if (!readOnly) return this.#member.propose<TxnResponse>(op);
    if (!serializable) await this.#member.linearizableRead();
    return this.#answer(this.#member.store.txn(request));
  }

  async compact(request: CompactionRequest, context: CallContext): Promise<CompactionResponse> {
    admit(this.#member, context);
    const op = { kind: 'compaction', request } as const;
    const { response, finished } = await this.#member.propose<CompactionResult>(op);
    if (request.physical) await finished;
    return response;
  }

  #answer<T extends RangeResponse | TxnResponse>(response: T): T {
    response.header = this.#member.header();
    return response;
  }
}

export function kvMethods(service: KvService): Method[] {
  const path = '/etcdserverpb.KV/';
  return [
    unary(`${path}Range`, codec.rangeRequest, codec.rangeResponse, (request, context) =>
      service.range(request, context),
    ),
    unary(`${path}Put`, codec.putRequest, codec.putResponse, (request, context) =>
      service.put(request, context),
    ),
    unary(
      `${path}DeleteRange`,
      codec.deleteRangeRequest,
      codec.deleteRangeResponse,
      (request, context) => service.deleteRange(request, context),
    ),
    unary(`${path}Txn`, codec.txnRequest, codec.txnResponse, (request, context) =>
      service.txn(request, context),
    ),
    unary(`${path}Compact`, codec.compactionRequest, codec.compactionResponse, (request, context) =>
      service.compact(request, context),
    ),
  ];
}
