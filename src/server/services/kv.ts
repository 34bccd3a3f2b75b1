/** etcdserverpb.KV. Each method: check, call, answer with a header (semantics.md 1 and 2). */
import { etcdError } from '../../api/index.js';
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
import type { CallContext, Method, UnaryMethod } from '../rpc.js';
import { type EncodedAnswer, encodeLargeRange, encodeRange } from './large-answer.js';
import { admit, stream, unary } from './methods.js';
import { checkRangeStream, streamParts } from './range-stream.js';

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
    this.#member.metrics.ranges.value++;
    const response = await this.#member.store.rangeInSlices(request);
    response.header = this.#member.header(response.header!.revision);
    return response;
  }

  /** A turn for others, in work that would take long. */
  yieldTurn(): Promise<void> {
    return new Promise((resolve) => this.#member.clock.nextTurn(resolve));
  }

  /** The range in parts; the last one has header, `more` and `count`. */
  async *rangeStream(request: RangeRequest, context: CallContext): AsyncGenerator<RangeResponse> {
    admit(this.#member, context, request.serializable);
    checkRange(request);
    checkRangeStream(request);
    if (!request.serializable) await this.#member.linearizableRead();
    const targetBytes = this.#member.config.maxRequestBytes;
    for await (const part of this.#member.store.rangeInParts(request, targetBytes)) {
      if (this.#member.isStopped) throw etcdError('stopped');
      if (part.header !== undefined) part.header = this.#member.header(part.header.revision);
      yield part;
    }
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
    rangeMethod(service, `${path}Range`),
    stream(
      `${path}RangeStream`,
      codec.rangeRequest,
      codec.rangeStreamResponse,
      false,
      (out, context) => streamParts(out, (request) => service.rangeStream(request, context)),
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

function rangeMethod(
  service: KvService,
  path: string,
): UnaryMethod<RangeRequest, RangeResponse | EncodedAnswer> {
  return {
    kind: 'unary',
    path,
    decode: codec.rangeRequest.decode,
    encode: encodeRange,
    handle: async (request, context) =>
      encodeLargeRange(await service.range(request, context), () => service.yieldTurn()),
  };
}
