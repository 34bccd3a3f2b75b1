/**
 * A history that a real etcd 3.6.16 answered over its JSON gateway, replayed here: every range, txn,
 * error and HashKV has to come out the same. The fixture holds requests and responses as they were on
 * the wire, headers reduced to the revision.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  EtcdError,
  type Compare,
  type Int64,
  type KeyValue,
  type RangeRequest,
  type RequestOp,
  type ResponseHeader,
  type ResponseOp,
  type TxnRequest,
  type TxnResponse,
} from '../../src/api/index.js';
import {
  checkDelete,
  checkPut,
  checkRange,
  checkTxn,
  isReadOnlyTxn,
  type Store,
} from '../../src/mvcc/index.js';
import {
  deleteRequest,
  openStore,
  putRequest,
  rangeRequest,
  txnRequest,
  type FakeLeases,
} from './support.js';

type Json = Record<string, any>;
interface Step {
  method: string;
  request: Json;
  response: Json;
}

const fixture = new URL('../../../test/fixtures/mvcc/history-etcd-3.6.16.json', import.meta.url);
const steps = JSON.parse(readFileSync(fixture, 'utf8')) as Step[];

test('every answer of etcd 3.6.16 comes out again', async () => {
  const { store, leases } = await openStore();
  for (const [i, step] of steps.entries()) {
    const answer = await answerTo(store, leases, step);
    assert.deepEqual(answer, step.response, `step ${i}: ${JSON.stringify(step)}`);
  }
  store.check();
  await store.close();
});

test('every answer comes out again when the store is reopened before each tenth step', async () => {
  let { store, backend, leases } = await openStore();
  // Hashes of compactions do not survive a restart, in etcd neither.
  const replayed = steps.filter(({ method }) => method !== 'hashKv');
  for (const [i, step] of replayed.entries()) {
    if (i % 10 === 0) {
      await store.close();
      ({ store } = await openStore({ backend, leases: rebuiltLeases(leases), cacheBytes: 4000 }));
    }
    const answer = await answerTo(store, leases, step);
    assert.deepEqual(answer, step.response, `step ${i}: ${JSON.stringify(step)}`);
  }
  store.check();
});

/** The same lease book with its attachments taken out, as a restarted lessor has it. */
function rebuiltLeases(leases: FakeLeases): FakeLeases {
  for (const keys of leases.keys.values()) keys.clear();
  return leases;
}

async function answerTo(store: Store, leases: FakeLeases, step: Step): Promise<Json> {
  try {
    return await execute(store, leases, step);
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    return { code: error.code, message: error.message };
  }
}

async function execute(store: Store, leases: FakeLeases, step: Step): Promise<Json> {
  const { method, request } = step;
  switch (method) {
    case 'leaseGrant':
      leases.keys.set(BigInt(request['ID']), new Set());
      return { header: headerJson(store.currentRevision), ID: request['ID'], TTL: request['TTL'] };
    case 'hashKv': {
      const { hash, compactRevision, hashRevision } = await store.hashKv(
        Number(request['revision']),
      );
      return {
        header: headerJson(store.currentRevision),
        ...(hash === 0 ? {} : { hash }),
        ...text('compact_revision', compactRevision),
        ...text('hash_revision', hashRevision),
      };
    }
    case 'compact':
      await store.compact(Number(request['revision'])).finished;
      return { header: headerJson(store.currentRevision) };
    default: {
      const op = opOf({ [`request_${snake(method)}`]: request });
      const response = apply(store, op);
      response.response.header = headerOf(store.currentRevision);
      return Object.values(responseJson(response))[0] as Json;
    }
  }
}

function snake(method: string): string {
  return method === 'deleteRange' ? 'delete_range' : method;
}

function apply(store: Store, op: RequestOp): ResponseOp {
  switch (op.kind) {
    case 'range':
      checkRange(op.request);
      return { kind: 'range', response: store.range(op.request) };
    case 'put':
      checkPut(op.request);
      return { kind: 'put', response: store.put(op.request) };
    case 'deleteRange':
      checkDelete(op.request);
      return { kind: 'deleteRange', response: store.deleteRange(op.request) };
    case 'txn': {
      checkTxn(op.request, { maxTxnOps: 128 });
      const before = store.currentRevision;
      const response = store.txn(op.request);
      if (isReadOnlyTxn(op.request)) assert.equal(store.currentRevision, before);
      return { kind: 'txn', response };
    }
    case 'none':
      throw new Error('an empty operation');
  }
}

function bytes(text: string | undefined): string {
  return Buffer.from(text ?? '', 'base64').toString('latin1');
}

function base64(text: string): string {
  return Buffer.from(text, 'latin1').toString('base64');
}

function opOf(json: Json): RequestOp {
  const [name, request] = Object.entries(json)[0] as [string, Json];
  const range = { key: bytes(request['key']), rangeEnd: bytes(request['range_end']) };
  switch (name) {
    case 'request_range':
      return { kind: 'range', request: rangeOf(request, range) };
    case 'request_put':
      return {
        kind: 'put',
        request: putRequest({
          key: range.key,
          value: bytes(request['value']),
          lease: BigInt(request['lease'] ?? 0),
          prevKv: request['prev_kv'] === true,
          ignoreLease: request['ignore_lease'] === true,
        }),
      };
    case 'request_delete_range':
      return {
        kind: 'deleteRange',
        request: deleteRequest({ ...range, prevKv: request['prev_kv'] === true }),
      };
    default:
      return { kind: 'txn', request: txnOf(request) };
  }
}

function rangeOf(json: Json, range: { key: string; rangeEnd: string }): RangeRequest {
  return rangeRequest({
    ...range,
    limit: Number(json['limit'] ?? 0),
    revision: Number(json['revision'] ?? 0),
    sortOrder: ['NONE', 'ASCEND', 'DESCEND'].indexOf(json['sort_order'] ?? 'NONE'),
    sortTarget: ['KEY', 'VERSION', 'CREATE', 'MOD'].indexOf(json['sort_target'] ?? 'KEY'),
    keysOnly: json['keys_only'] === true,
    countOnly: json['count_only'] === true,
    minModRevision: Number(json['min_mod_revision'] ?? 0),
    maxCreateRevision: Number(json['max_create_revision'] ?? 0),
  });
}

function txnOf(json: Json): TxnRequest {
  return txnRequest({
    compare: json['compare'].map(compareOf),
    success: json['success'].map(opOf),
    failure: json['failure'].map(opOf),
  });
}

function compareOf(json: Json): Compare {
  return {
    target: ['VERSION', 'CREATE', 'MOD', 'VALUE', 'LEASE'].indexOf(json['target']),
    result: ['EQUAL', 'GREATER', 'LESS', 'NOT_EQUAL'].indexOf(json['result']),
    key: bytes(json['key']),
    rangeEnd: bytes(json['range_end']),
    operand: operandOf(json),
  };
}

function operandOf(json: Json): NonNullable<Compare['operand']> {
  if ('version' in json) return { kind: 'version', value: Number(json['version']) };
  if ('create_revision' in json) return { kind: 'create', value: Number(json['create_revision']) };
  if ('mod_revision' in json) return { kind: 'mod', value: Number(json['mod_revision']) };
  if ('value' in json) return { kind: 'value', value: bytes(json['value']) };
  return { kind: 'lease', value: BigInt(json['lease']) };
}

function headerOf(revision: number): ResponseHeader {
  return { clusterId: 0n, memberId: 0n, revision, raftTerm: 0 };
}

/** proto3's JSON: zeros are left out, 64-bit numbers are text. */
function text(name: string, value: Int64): Json {
  return value === 0 || value === 0n ? {} : { [name]: String(value) };
}

function headerJson(revision: number): Json {
  return text('revision', revision);
}

function responseJson(op: ResponseOp): Json {
  switch (op.kind) {
    case 'range': {
      const { header, kvs, more, count } = op.response;
      return {
        response_range: {
          header: headerJson(header!.revision),
          ...(kvs.length === 0 ? {} : { kvs: kvs.map(pairJson) }),
          ...(more ? { more } : {}),
          ...text('count', count),
        },
      };
    }
    case 'put': {
      const { header, prevKv } = op.response;
      const prev = prevKv === undefined ? {} : { prev_kv: pairJson(prevKv) };
      return { response_put: { header: headerJson(header!.revision), ...prev } };
    }
    case 'deleteRange': {
      const { header, deleted, prevKvs } = op.response;
      return {
        response_delete_range: {
          header: headerJson(header!.revision),
          ...text('deleted', deleted),
          ...(prevKvs.length === 0 ? {} : { prev_kvs: prevKvs.map(pairJson) }),
        },
      };
    }
    case 'txn':
      return { response_txn: txnJson(op.response) };
  }
}

function txnJson({ header, succeeded, responses }: TxnResponse): Json {
  return {
    header: headerJson(header!.revision),
    ...(succeeded ? { succeeded } : {}),
    ...(responses.length === 0 ? {} : { responses: responses.map(responseJson) }),
  };
}

function pairJson(pair: KeyValue): Json {
  return {
    ...(pair.key === '' ? {} : { key: base64(pair.key) }),
    ...text('create_revision', pair.createRevision),
    ...text('mod_revision', pair.modRevision),
    ...text('version', pair.version),
    ...(pair.value === '' ? {} : { value: base64(pair.value) }),
    ...text('lease', pair.lease),
  };
}
