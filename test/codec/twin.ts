/**
 * The independent twin: what protobufjs' generated code makes of our values. The conversion is led by
 * the parsed .proto files, so that no field of ours can be forgotten on both sides.
 */
import assert from 'node:assert/strict';
import protobuf from 'protobufjs';
import * as generated from '../../src/gen/proto.js';
import { loadProtoFiles } from './proto-files.js';

const schema = loadProtoFiles({ keepCase: false });

interface Generated {
  encode(value: unknown): { finish(): Uint8Array };
}

/** The generated class called `name` (`etcdserverpb.PutRequest`). */
function generatedClass(name: string): Generated {
  let at: unknown = generated;
  for (const part of name.split('.')) at = (at as Record<string, unknown>)[part];
  return at as Generated;
}

/** Bytes that the twin makes of `value`: one of our plain objects for the message called `name`. */
export function encodeByTwin(name: string, value: object): Uint8Array {
  return generatedClass(name)
    .encode(toTwin(schema.lookupType(name), value))
    .finish();
}

type Plain = Record<string, unknown>;

/** Our name of a field: `peerURLs` is `peerUrls`, `ID` is `id`, `Term` is `term`. */
function ourName(field: string): string {
  return field
    .replace(/URLs$/, 'Urls')
    .replace(/KV$/, 'Kv')
    .replace(/_?(ID|TTL)$/, (_, word: string) => word[0] + word.slice(1).toLowerCase())
    .replace(/^[A-Z]/, (first) => first.toLowerCase());
}

const noConfState = {
  voters: [],
  learners: [],
  votersOutgoing: [],
  learnersNext: [],
  autoLeave: false,
};
const noSnapshot = {
  metadata: { confState: noConfState, index: 0, term: 0 },
  data: new Uint8Array(),
};

/** Our discriminated unions as the fields of a oneof, and the like. */
const shapes: Record<string, (value: any) => Plain> = {
  '.etcdserverpb.RequestOp': (op) =>
    op.kind === 'none' ? {} : { [`request${upperFirst(op.kind)}`]: op.request },
  '.etcdserverpb.ResponseOp': (op) => ({ [`response${upperFirst(op.kind)}`]: op.response }),
  '.etcdserverpb.Compare': ({ operand, ...rest }) =>
    operand === undefined ? rest : { ...rest, [operandField[operand.kind]!]: operand.value },
  '.etcdserverpb.WatchRequest': (request) =>
    ({
      create: { createRequest: request.request },
      cancel: { cancelRequest: { watchId: request.watchId } },
      progress: { progressRequest: {} },
      none: {},
    })[request.kind as string]!,
  '.mvccpb.Event': (event) => ({ ...event, type: event.type === 'delete' ? 1 : 0 }),
  '.etcdserverpb.InternalRaftRequest': (request) => ({
    header: request,
    ...internalFields(request.op),
  }),
  '.raftpb.Message': (message) => ({ snapshot: noSnapshot, ...message }),
};

const operandField: Record<string, string> = {
  version: 'version',
  create: 'createRevision',
  mod: 'modRevision',
  value: 'value',
  lease: 'lease',
};

function internalFields(op: any): Plain {
  switch (op.kind) {
    case 'leaseCheckpoint':
      return { leaseCheckpoint: { checkpoints: op.checkpoints } };
    case 'clusterVersionSet':
      return { clusterVersionSet: { ver: op.version } };
    case 'clusterMemberAttrSet':
      return {
        clusterMemberAttrSet: {
          memberId: op.memberId,
          memberAttributes: { name: op.name, clientUrls: op.clientUrls },
        },
      };
    case 'downgradeInfoSet':
      return { downgradeInfoSet: { enabled: op.enabled, ver: op.version } };
    default:
      return { [op.kind]: op.request };
  }
}

function upperFirst(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

function toTwin(type: protobuf.Type, value: object): Plain {
  const shaped = shapes[type.fullName]?.(value) ?? (value as Plain);
  const result: Plain = {};
  for (const field of type.fieldsArray) {
    const ours = shaped[ourName(field.name)] ?? shaped[field.name];
    if (ours === undefined || isLeftOut(field, ours)) continue;
    result[field.name] = field.repeated
      ? (ours as unknown[]).map((element) => fieldToTwin(field, element))
      : fieldToTwin(field, ours);
  }
  return result;
}

/** Zero is not written in proto3, but for members of a oneof; no bytes are not written in proto2. */
function isLeftOut(field: protobuf.Field, value: unknown): boolean {
  if (field.repeated) return (value as unknown[]).length === 0;
  if (field.partOf !== null) return false;
  if (field.type === 'bytes') return (value as { length: number }).length === 0;
  const isScalar = !(field.resolve().resolvedType instanceof protobuf.Type);
  const implicit = !['raftpb'].includes(field.parent!.parent!.name);
  return isScalar && implicit && [0, 0n, '', false].includes(value as number);
}

function fieldToTwin(field: protobuf.Field, value: unknown): unknown {
  const { resolvedType } = field.resolve();
  if (resolvedType instanceof protobuf.Type) return toTwin(resolvedType, value as object);
  switch (field.type) {
    case 'bytes':
      return typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
    case 'int64':
    case 'uint64':
      return longOf(BigInt(value as bigint), field.type === 'uint64');
    default:
      return value;
  }
}

function longOf(value: bigint, unsigned: boolean) {
  const low = Number(BigInt.asIntN(32, value));
  const high = Number(BigInt.asIntN(32, value >> 32n));
  assert.equal(unsigned ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value), value);
  return { low, high, unsigned };
}
