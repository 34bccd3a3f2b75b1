/**
 * etcd's messages as plain objects, by proto/ and protobufjs alone: none of our own codecs is asked.
 * Fields are called as in the files; bytes are latin1 strings, 64-bit integers decimal strings, enums
 * numbers. A zero is left out, as on the wire.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { root } from '../../e2e/support/binaries.js';

export type Plain = { [field: string]: unknown };

/**
 * Under this name a decoded message says how many of its bytes its fields do not account for: those of
 * unknown fields, or of a zero that is written out.
 */
export const OTHER_BYTES = '(other bytes)';

const schema = loadSchema();
const LONG_TYPES = new Set(['int64', 'uint64', 'sint64', 'fixed64', 'sfixed64']);
const Long = protobuf.util.Long as unknown as {
  fromString(text: string, unsigned: boolean): unknown;
};

function loadSchema(): protobuf.Root {
  const folder = join(root, 'proto');
  const parsed = new protobuf.Root();
  parsed.resolvePath = (_origin, target) => join(folder, target);
  parsed.loadSync(
    readdirSync(folder).filter((name) => name.endsWith('.proto')),
    { keepCase: true },
  );
  parsed.resolveAll();
  return parsed;
}

export interface WireMethod {
  path: string;
  request: protobuf.Type;
  response: protobuf.Type;
}

const methods = new Map<string, WireMethod>();

/** A method of etcdserverpb by service and name, such as `KV/Range`. */
export function wireMethod(name: string): WireMethod {
  const known = methods.get(name);
  if (known !== undefined) return known;
  const [service = '', method = ''] = name.split('/');
  const found = schema.lookupService(`etcdserverpb.${service}`).methods[method];
  if (found === undefined) throw new Error(`proto/ has no method ${name}`);
  const described = {
    path: `/etcdserverpb.${name}`,
    request: found.resolvedRequestType!,
    response: found.resolvedResponseType!,
  };
  methods.set(name, described);
  return described;
}

/** Bytes of a message of `type`. 64-bit fields may be numbers, bigints or decimal strings. */
export function encodeMessage(type: protobuf.Type, plain: Plain): Buffer {
  return Buffer.from(type.encode(toMessage(type, plain)).finish());
}

export function decodeMessage(type: protobuf.Type, bytes: Uint8Array): Plain {
  const message = type.decode(bytes);
  const plain = fromMessage(type, message);
  const others = bytes.length - type.encode(message).finish().length;
  if (others !== 0) plain[OTHER_BYTES] = others;
  return plain;
}

function toMessage(type: protobuf.Type, plain: Plain): protobuf.Message {
  const properties: Plain = {};
  for (const [name, value] of Object.entries(plain)) {
    const field = type.fields[name];
    if (field === undefined) throw new Error(`${type.name} has no field ${name}`);
    properties[name] = Array.isArray(value)
      ? value.map((item) => toWire(field, item))
      : toWire(field, value);
  }
  return type.create(properties);
}

function toWire(field: protobuf.Field, value: unknown): unknown {
  if (field.resolvedType instanceof protobuf.Type) {
    return toMessage(field.resolvedType, value as Plain);
  }
  if (field.type === 'bytes') return Buffer.from(value as string, 'latin1');
  if (!LONG_TYPES.has(field.type)) return value;
  return Long.fromString(String(value), field.type === 'uint64');
}

function fromMessage(type: protobuf.Type, message: object): Plain {
  const plain: Plain = {};
  for (const field of type.fieldsArray) {
    if (!Object.hasOwn(message, field.name)) continue;
    const value = (message as Plain)[field.name];
    if (!Array.isArray(value)) plain[field.name] = fromWire(field, value);
    else if (value.length > 0) plain[field.name] = value.map((item) => fromWire(field, item));
  }
  return plain;
}

function fromWire(field: protobuf.Field, value: unknown): unknown {
  if (field.resolvedType instanceof protobuf.Type) {
    return fromMessage(field.resolvedType, value as object);
  }
  if (field.type === 'bytes') return Buffer.from(value as Uint8Array).toString('latin1');
  return LONG_TYPES.has(field.type) ? String(value) : value;
}
