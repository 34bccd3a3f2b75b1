/** The KV service: ranges, puts, deletes, transactions, compaction; and the pairs they speak of. */
import type {
  Compare,
  CompactionRequest,
  CompactionResponse,
  DeleteRangeRequest,
  DeleteRangeResponse,
  KeyValue,
  PutRequest,
  PutResponse,
  RangeRequest,
  RangeResponse,
  RequestOp,
  ResponseHeader,
  ResponseOp,
  TxnRequest,
  TxnResponse,
} from '../api/index.js';
import { codec, writeEach, writeMessage, writeOptional } from './codec.js';
import { readHeader, readHeaderOnly, writeHeader, writeHeaderOnly } from './header.js';
import { DecodeError, type Reader, type Writer } from './wire.js';

export function writeKeyValue(w: Writer, kv: KeyValue): void {
  w.integer(6, kv.lease);
  w.latin1(5, kv.value);
  w.integer(4, kv.version);
  w.integer(3, kv.modRevision);
  w.integer(2, kv.createRevision);
  w.latin1(1, kv.key);
}

export function readKeyValue(r: Reader): KeyValue {
  let key = '';
  let createRevision = 0;
  let modRevision = 0;
  let version = 0;
  let value = '';
  let lease = 0n;
  while (r.next()) {
    switch (r.field) {
      case 1:
        key = r.latin1();
        break;
      case 2:
        createRevision = r.safeInt64();
        break;
      case 3:
        modRevision = r.safeInt64();
        break;
      case 4:
        version = r.safeInt64();
        break;
      case 5:
        value = r.latin1();
        break;
      case 6:
        lease = r.int64Bigint();
        break;
      default:
        r.skip();
    }
  }
  return { key, createRevision, modRevision, version, value, lease };
}

/** mvccpb.KeyValue, which is also what bucket `key` stores. */
export const keyValue = codec<KeyValue>(writeKeyValue, readKeyValue);

export function writeRangeRequest(w: Writer, request: RangeRequest): void {
  w.integer(13, request.maxCreateRevision);
  w.integer(12, request.minCreateRevision);
  w.integer(11, request.maxModRevision);
  w.integer(10, request.minModRevision);
  w.bool(9, request.countOnly);
  w.bool(8, request.keysOnly);
  w.bool(7, request.serializable);
  w.integer(6, request.sortTarget);
  w.integer(5, request.sortOrder);
  w.integer(4, request.revision);
  w.integer(3, request.limit);
  w.latin1(2, request.rangeEnd);
  w.latin1(1, request.key);
}

export function readRangeRequest(r: Reader): RangeRequest {
  const request: RangeRequest = {
    key: '',
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
  while (r.next()) readRangeRequestField(r, request);
  return request;
}

function readRangeRequestField(r: Reader, request: RangeRequest): void {
  switch (r.field) {
    case 1:
      request.key = r.latin1();
      break;
    case 2:
      request.rangeEnd = r.latin1();
      break;
    case 3:
      request.limit = r.int64();
      break;
    case 4:
      request.revision = r.int64();
      break;
    case 5:
      request.sortOrder = r.int32();
      break;
    case 6:
      request.sortTarget = r.int32();
      break;
    case 7:
      request.serializable = r.bool();
      break;
    case 8:
      request.keysOnly = r.bool();
      break;
    case 9:
      request.countOnly = r.bool();
      break;
    case 10:
      request.minModRevision = r.int64();
      break;
    case 11:
      request.maxModRevision = r.int64();
      break;
    case 12:
      request.minCreateRevision = r.int64();
      break;
    case 13:
      request.maxCreateRevision = r.int64();
      break;
    default:
      r.skip();
  }
}

export const rangeRequest = codec<RangeRequest>(writeRangeRequest, readRangeRequest);

function writeRangeResponse(w: Writer, response: RangeResponse): void {
  w.integer(4, response.count);
  w.bool(3, response.more);
  writeEach(w, 2, response.kvs, writeKeyValue);
  writeOptional(w, 1, response.header, writeHeader);
}

function readRangeResponse(r: Reader): RangeResponse {
  const response: RangeResponse = { kvs: [], more: false, count: 0 };
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.kvs.push(r.message(readKeyValue));
        break;
      case 3:
        response.more = r.bool();
        break;
      case 4:
        response.count = r.safeInt64();
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const rangeResponse = codec<RangeResponse>(writeRangeResponse, readRangeResponse);

/** One part of a range: a RangeResponse inside a message of its own. */
export const rangeStreamResponse = codec<RangeResponse>(
  (w, part) => writeMessage(w, 1, part, writeRangeResponse),
  readRangeStreamResponse,
);

function readRangeStreamResponse(r: Reader): RangeResponse {
  let part: RangeResponse = { kvs: [], more: false, count: 0 };
  while (r.next()) {
    if (r.field === 1) part = r.message(readRangeResponse);
    else r.skip();
  }
  return part;
}

export function writePutRequest(w: Writer, request: PutRequest): void {
  w.bool(6, request.ignoreLease);
  w.bool(5, request.ignoreValue);
  w.bool(4, request.prevKv);
  w.integer(3, request.lease);
  w.latin1(2, request.value);
  w.latin1(1, request.key);
}

export function readPutRequest(r: Reader): PutRequest {
  let key = '';
  let value = '';
  let lease = 0n;
  let prevKv = false;
  let ignoreValue = false;
  let ignoreLease = false;
  while (r.next()) {
    switch (r.field) {
      case 1:
        key = r.latin1();
        break;
      case 2:
        value = r.latin1();
        break;
      case 3:
        lease = r.int64Bigint();
        break;
      case 4:
        prevKv = r.bool();
        break;
      case 5:
        ignoreValue = r.bool();
        break;
      case 6:
        ignoreLease = r.bool();
        break;
      default:
        r.skip();
    }
  }
  return { key, value, lease, prevKv, ignoreValue, ignoreLease };
}

export const putRequest = codec<PutRequest>(writePutRequest, readPutRequest);

function writePutResponse(w: Writer, response: PutResponse): void {
  writeOptional(w, 2, response.prevKv, writeKeyValue);
  writeOptional(w, 1, response.header, writeHeader);
}

function readPutResponse(r: Reader): PutResponse {
  const response: PutResponse = {};
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.prevKv = r.message(readKeyValue);
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const putResponse = codec<PutResponse>(writePutResponse, readPutResponse);

export function writeDeleteRangeRequest(w: Writer, request: DeleteRangeRequest): void {
  w.bool(3, request.prevKv);
  w.latin1(2, request.rangeEnd);
  w.latin1(1, request.key);
}

export function readDeleteRangeRequest(r: Reader): DeleteRangeRequest {
  const request: DeleteRangeRequest = { key: '', rangeEnd: '', prevKv: false };
  while (r.next()) {
    switch (r.field) {
      case 1:
        request.key = r.latin1();
        break;
      case 2:
        request.rangeEnd = r.latin1();
        break;
      case 3:
        request.prevKv = r.bool();
        break;
      default:
        r.skip();
    }
  }
  return request;
}

export const deleteRangeRequest = codec<DeleteRangeRequest>(
  writeDeleteRangeRequest,
  readDeleteRangeRequest,
);

function writeDeleteRangeResponse(w: Writer, response: DeleteRangeResponse): void {
  writeEach(w, 3, response.prevKvs, writeKeyValue);
  w.integer(2, response.deleted);
  writeOptional(w, 1, response.header, writeHeader);
}

function readDeleteRangeResponse(r: Reader): DeleteRangeResponse {
  const response: DeleteRangeResponse = { deleted: 0, prevKvs: [] };
  while (r.next()) {
    switch (r.field) {
      case 1:
        response.header = r.message(readHeader);
        break;
      case 2:
        response.deleted = r.safeInt64();
        break;
      case 3:
        response.prevKvs.push(r.message(readKeyValue));
        break;
      default:
        r.skip();
    }
  }
  return response;
}

export const deleteRangeResponse = codec<DeleteRangeResponse>(
  writeDeleteRangeResponse,
  readDeleteRangeResponse,
);

function writeCompare(w: Writer, compare: Compare): void {
  w.latin1(64, compare.rangeEnd);
  writeOperand(w, compare.operand);
  w.latin1(3, compare.key);
  w.integer(2, compare.target);
  w.integer(1, compare.result);
}

/** A member of a oneof is written even when zero: its presence is what it says. */
function writeOperand(w: Writer, operand: Compare['operand']): void {
  switch (operand?.kind) {
    case 'version':
      return w.alwaysInteger(4, operand.value);
    case 'create':
      return w.alwaysInteger(5, operand.value);
    case 'mod':
      return w.alwaysInteger(6, operand.value);
    case 'value':
      return w.alwaysLatin1(7, operand.value);
    case 'lease':
      return w.alwaysInteger(8, operand.value);
    case undefined:
      return;
  }
}

function readCompare(r: Reader): Compare {
  const compare: Compare = { result: 0, target: 0, key: '', rangeEnd: '' };
  while (r.next()) {
    switch (r.field) {
      case 1:
        compare.result = r.int32();
        break;
      case 2:
        compare.target = r.int32();
        break;
      case 3:
        compare.key = r.latin1();
        break;
      case 64:
        compare.rangeEnd = r.latin1();
        break;
      default: {
        const operand = readOperand(r);
        if (operand !== undefined) compare.operand = operand;
      }
    }
  }
  return compare;
}

function readOperand(r: Reader): Compare['operand'] {
  switch (r.field) {
    case 4:
      return { kind: 'version', value: r.int64() };
    case 5:
      return { kind: 'create', value: r.int64() };
    case 6:
      return { kind: 'mod', value: r.int64() };
    case 7:
      return { kind: 'value', value: r.latin1() };
    case 8:
      return { kind: 'lease', value: r.int64Bigint() };
    default:
      r.skip();
      return undefined;
  }
}

function writeRequestOp(w: Writer, op: RequestOp): void {
  switch (op.kind) {
    case 'range':
      return writeMessage(w, 1, op.request, writeRangeRequest);
    case 'put':
      return writeMessage(w, 2, op.request, writePutRequest);
    case 'deleteRange':
      return writeMessage(w, 3, op.request, writeDeleteRangeRequest);
    case 'txn':
      return writeMessage(w, 4, op.request, writeTxnRequest);
    case 'none':
      return;
  }
}

function readRequestOp(r: Reader): RequestOp {
  let op: RequestOp = { kind: 'none' };
  while (r.next()) {
    switch (r.field) {
      case 1:
        op = { kind: 'range', request: r.message(readRangeRequest) };
        break;
      case 2:
        op = { kind: 'put', request: r.message(readPutRequest) };
        break;
      case 3:
        op = { kind: 'deleteRange', request: r.message(readDeleteRangeRequest) };
        break;
      case 4:
        op = { kind: 'txn', request: r.message(readTxnRequest) };
        break;
      default:
        r.skip();
    }
  }
  return op;
}

export function writeTxnRequest(w: Writer, request: TxnRequest): void {
  writeEach(w, 3, request.failure, writeRequestOp);
  writeEach(w, 2, request.success, writeRequestOp);
  writeEach(w, 1, request.compare, writeCompare);
}

export function readTxnRequest(r: Reader): TxnRequest {
  const request: TxnRequest = { compare: [], success: [], failure: [] };
  while (r.next()) {
    switch (r.field) {
      case 1:
        request.compare.push(r.message(readCompare));
        break;
      case 2:
        request.success.push(r.message(readRequestOp));
        break;
      case 3:
        request.failure.push(r.message(readRequestOp));
        break;
      default:
        r.skip();
    }
  }
  return request;
}

export const txnRequest = codec<TxnRequest>(writeTxnRequest, readTxnRequest);

function writeResponseOp(w: Writer, op: ResponseOp): void {
  switch (op.kind) {
    case 'range':
      return writeMessage(w, 1, op.response, writeRangeResponse);
    case 'put':
      return writeMessage(w, 2, op.response, writePutResponse);
    case 'deleteRange':
      return writeMessage(w, 3, op.response, writeDeleteRangeResponse);
    case 'txn':
      return writeMessage(w, 4, op.response, writeTxnResponse);
  }
}

function readResponseOp(r: Reader): ResponseOp {
  let op: ResponseOp | undefined;
  while (r.next()) {
    switch (r.field) {
      case 1:
        op = { kind: 'range', response: r.message(readRangeResponse) };
        break;
      case 2:
        op = { kind: 'put', response: r.message(readPutResponse) };
        break;
      case 3:
        op = { kind: 'deleteRange', response: r.message(readDeleteRangeResponse) };
        break;
      case 4:
        op = { kind: 'txn', response: r.message(readTxnResponse) };
        break;
      default:
        r.skip();
    }
  }
  if (op === undefined) throw new DecodeError('a ResponseOp without a response');
  return op;
}

function writeTxnResponse(w: Writer, response: TxnResponse): void {
  writeEach(w, 3, response.responses, writeResponseOp);
  w.bool(2, response.succeeded);
  writeOptional(w, 1, response.header, writeHeader);
}

function readTxnResponse(r: Reader): TxnResponse {
  let header: ResponseHeader | undefined;
  let succeeded = false;
  const responses: ResponseOp[] = [];
  while (r.next()) {
    switch (r.field) {
      case 1:
        header = r.message(readHeader);
        break;
      case 2:
        succeeded = r.bool();
        break;
      case 3:
        responses.push(r.message(readResponseOp));
        break;
      default:
        r.skip();
    }
  }
  return header === undefined ? { succeeded, responses } : { header, succeeded, responses };
}

export const txnResponse = codec<TxnResponse>(writeTxnResponse, readTxnResponse);

export function writeCompactionRequest(w: Writer, request: CompactionRequest): void {
  w.bool(2, request.physical);
  w.integer(1, request.revision);
}

export function readCompactionRequest(r: Reader): CompactionRequest {
  const request: CompactionRequest = { revision: 0, physical: false };
  while (r.next()) {
    switch (r.field) {
      case 1:
        request.revision = r.int64();
        break;
      case 2:
        request.physical = r.bool();
        break;
      default:
        r.skip();
    }
  }
  return request;
}

export const compactionRequest = codec<CompactionRequest>(
  writeCompactionRequest,
  readCompactionRequest,
);
export const compactionResponse = codec<CompactionResponse>(writeHeaderOnly, readHeaderOnly);
