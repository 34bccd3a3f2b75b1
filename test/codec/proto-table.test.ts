/**
 * proto/*.proto against a table of etcd's messages: every message, enum, field number, type and
 * label, and every rpc. Neither side may have more than the other.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import protobuf from 'protobufjs';
import { fixturePath, loadProtoFiles } from './proto-files.js';

function tableRows(name: string): string[] {
  const [, ...lines] = readFileSync(fixturePath(name), 'utf8').trimEnd().split('\n');
  return lines;
}

/** The table's package and dotted name of a message or enum. */
function placeOf(object: protobuf.ReflectionObject): [pkg: string, name: string] {
  const names: string[] = [];
  let at: protobuf.ReflectionObject = object;
  for (; at instanceof protobuf.Type || at instanceof protobuf.Enum; at = at.parent!) {
    names.unshift(at.name);
  }
  return [at.fullName.slice(1), names.join('.')];
}

/** The syntax of the file that a type stands in; protobufjs keeps it, but does not publish it. */
function syntaxOf(object: protobuf.ReflectionObject): string {
  const { _edition } = object as unknown as { _edition: string | null };
  return _edition ?? syntaxOf(object.parent!);
}

/** A type as the table writes it: the package only when it is another one. */
function typeName(field: protobuf.Field, pkg: string): string {
  const resolved = field.resolve().resolvedType;
  if (resolved === null) return field.type;
  const [typePackage, name] = placeOf(resolved);
  const short = name.split('.').at(-1)!;
  return typePackage === pkg ? short : `${typePackage}.${short}`;
}

function labelOf(field: protobuf.Field): string {
  if (field.repeated) return 'repeated';
  if (field.partOf !== null) return `oneof ${field.partOf.name}`;
  return syntaxOf(field.parent!) === 'proto2' ? 'optional' : 'singular';
}

function messageRows(type: protobuf.Type): string[] {
  const [pkg, name] = placeOf(type);
  return [
    [pkg, name, '(message)', '', `message ${syntaxOf(type)}`, ''],
    ...type.fieldsArray.map((field) => [
      pkg,
      name,
      field.name,
      String(field.id),
      typeName(field, pkg),
      labelOf(field),
    ]),
  ].map((row) => row.join('\t'));
}

function enumRows(type: protobuf.Enum): string[] {
  const [pkg, name] = placeOf(type);
  const values = Object.entries(type.values).map(([value, number]) =>
    [pkg, name, value, number, 'enum_value', ''].join('\t'),
  );
  const own = [pkg, name, '(enum)', '', `enum ${syntaxOf(type)}`, ''].join('\t');
  return [own, ...values];
}

function serviceRows(service: protobuf.Service): string[] {
  const pkg = service.parent!.fullName.slice(1);
  const flag = (value: boolean | undefined) => (value === true ? 'yes' : 'no');
  return service.methodsArray.map((rpc) =>
    [
      pkg,
      service.name,
      rpc.name,
      rpc.requestType,
      rpc.responseType,
      flag(rpc.requestStream),
      flag(rpc.responseStream),
    ].join('\t'),
  );
}

function everyObject(within: protobuf.NamespaceBase): protobuf.ReflectionObject[] {
  return within.nestedArray.flatMap((object) =>
    object instanceof protobuf.Namespace ? [object, ...everyObject(object)] : [object],
  );
}

const objects = everyObject(loadProtoFiles({ keepCase: true }));

test('every message, field and enum value is the one that etcd has', () => {
  const rows = objects.flatMap((object) => {
    if (object instanceof protobuf.Type) return messageRows(object);
    return object instanceof protobuf.Enum ? enumRows(object) : [];
  });
  const expected = tableRows('api.tsv');
  assert.ok(expected.length > 600);
  assert.deepEqual(rows.sort(), expected.sort());
});

test('every rpc is the one that etcd has', () => {
  const rows = objects.flatMap((object) =>
    object instanceof protobuf.Service ? serviceRows(object) : [],
  );
  const expected = tableRows('services.tsv');
  assert.ok(expected.length > 50);
  assert.deepEqual(rows.sort(), expected.sort());
});

test('repeated scalars are packed in proto3 and not in proto2', () => {
  const packed = objects
    .filter((object) => object instanceof protobuf.Type)
    .flatMap((type) => type.fieldsArray)
    .filter((field) => field.repeated && !(field.resolve().resolvedType instanceof protobuf.Type))
    .filter((field) => !['string', 'bytes'].includes(field.type))
    .map((field) => `${field.fullName} ${field.packed}`);
  assert.deepEqual(packed.sort(), [
    '.etcdserverpb.WatchCreateRequest.filters true',
    '.raftpb.ConfState.learners false',
    '.raftpb.ConfState.learners_next false',
    '.raftpb.ConfState.voters false',
    '.raftpb.ConfState.voters_outgoing false',
  ]);
});
