/**
 * Membership as etcd keeps it in JSON: bucket `members`, the contexts of configuration changes, the
 * `/members` answer, `meta/confState`, `cluster/downgrade`, and the v2 store that snapshots carry.
 */
import { Buffer } from 'node:buffer';
import type { Member } from '../api/index.js';
import { hexId, parseHexId } from '../bytes/index.js';
import type { ConfState } from '../raft/index.js';
import type { Codec } from './codec.js';
import { parseExactJson, printExactJson, type ExactJson, type Printable } from './exact-json.js';
import { DecodeError } from './wire.js';

function jsonCodec<T>(print: (value: T) => Printable, read: (json: ExactJson) => T): Codec<T> {
  return {
    encode: (value) => Buffer.from(printExactJson(print(value)), 'utf8'),
    decode: (bytes) => read(parseExactJson(textOf(bytes))),
  };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

type JsonObject = Record<string, ExactJson>;

function objectOf(json: ExactJson | undefined, what: string): JsonObject {
  if (json === undefined || json === null || typeof json !== 'object' || Array.isArray(json)) {
    throw new DecodeError(`${what} is not a JSON object`);
  }
  return json;
}

/** Absent and null read as the zero value, as in Go. */
function textIn(object: JsonObject, name: string): string {
  const value = object[name] ?? '';
  if (typeof value !== 'string') throw new DecodeError(`${name} is not a string`);
  return value;
}

function flagIn(object: JsonObject, name: string): boolean {
  const value = object[name] ?? false;
  if (typeof value !== 'boolean') throw new DecodeError(`${name} is not a boolean`);
  return value;
}

function listIn(object: JsonObject, name: string): ExactJson[] {
  const value = object[name] ?? [];
  if (!Array.isArray(value)) throw new DecodeError(`${name} is not a list`);
  return value;
}

function textsIn(object: JsonObject, name: string): string[] {
  return listIn(object, name).map((value) => {
    if (typeof value !== 'string')
      throw new DecodeError(`${name} has an element that is no string`);
    return value;
  });
}

function idOf(value: ExactJson, name: string): bigint {
  if (typeof value !== 'bigint' || value < 0n || value >= 1n << 64n) {
    throw new DecodeError(`${name} is not a 64-bit id`);
  }
  return value;
}

function idsIn(object: JsonObject, name: string): bigint[] {
  return listIn(object, name).map((value) => idOf(value, name));
}

/** Left out when empty. */
function unlessEmpty<T extends { length: number }>(value: T): T | undefined {
  return value.length === 0 ? undefined : value;
}

function printMember(member: Member): { [name: string]: Printable | undefined } {
  return {
    id: member.id,
    peerURLs: unlessEmpty(member.peerUrls) ?? null,
    isLearner: member.isLearner || undefined,
    name: unlessEmpty(member.name),
    clientURLs: unlessEmpty(member.clientUrls),
  };
}

function readMember(json: ExactJson): Member {
  const object = objectOf(json, 'a member');
  return {
    id: idOf(object['id'] ?? 0n, 'id'),
    name: textIn(object, 'name'),
    peerUrls: textsIn(object, 'peerURLs'),
    clientUrls: textsIn(object, 'clientURLs'),
    isLearner: flagIn(object, 'isLearner'),
  };
}

/** A value of bucket `members`. */
export const memberJson: Codec<Member> = jsonCodec(printMember, readMember);

/** Body of the peer port's `/members`. */
export const membersJson: Codec<Member[]> = jsonCodec(
  (members) => members.map(printMember),
  (json) => {
    if (!Array.isArray(json)) throw new DecodeError('the members are not a list');
    return json.map(readMember);
  },
);

/** What a change that adds, promotes or updates a member says of it. */
export interface MemberContext extends Member {
  /** The learner `id` becomes a voter; the rest is empty. */
  isPromote: boolean;
}

/** Context of a ConfChange. A removal has none (no bytes). */
export const memberContextJson: Codec<MemberContext> = jsonCodec(
  (context) => ({ ...printMember(context), isPromote: context.isPromote || undefined }),
  (json) => ({
    ...readMember(json),
    isPromote: flagIn(objectOf(json, 'a member'), 'isPromote'),
  }),
);

/** What a member publishes of itself. */
export interface MemberAttributes {
  name: string;
  clientUrls: string[];
}

/** Value of a v2 request that publishes, and of `…/attributes` in the v2 store. */
export const memberAttributesJson: Codec<MemberAttributes> = jsonCodec(
  printAttributes,
  readAttributes,
);

function printAttributes(attributes: MemberAttributes): { [name: string]: Printable | undefined } {
  return { name: unlessEmpty(attributes.name), clientURLs: unlessEmpty(attributes.clientUrls) };
}

function readAttributes(json: ExactJson): MemberAttributes {
  const object = objectOf(json, 'attributes');
  return { name: textIn(object, 'name'), clientUrls: textsIn(object, 'clientURLs') };
}

/** `meta/confState`. */
export const confStateJson: Codec<ConfState> = jsonCodec(
  (state) => ({
    voters: unlessEmpty(state.voters),
    learners: unlessEmpty(state.learners),
    voters_outgoing: unlessEmpty(state.votersOutgoing),
    learners_next: unlessEmpty(state.learnersNext),
    auto_leave: state.autoLeave,
  }),
  (json) => {
    const object = objectOf(json, 'a ConfState');
    return {
      voters: idsIn(object, 'voters'),
      learners: idsIn(object, 'learners'),
      votersOutgoing: idsIn(object, 'voters_outgoing'),
      learnersNext: idsIn(object, 'learners_next'),
      autoLeave: flagIn(object, 'auto_leave'),
    };
  },
);

export interface DowngradeInfo {
  /** '' when no downgrade is under way. */
  targetVersion: string;
  enabled: boolean;
}

/** `cluster/downgrade`. */
export const downgradeJson: Codec<DowngradeInfo> = jsonCodec(
  (info) => ({ 'target-version': info.targetVersion, enabled: info.enabled }),
  (json) => {
    const object = objectOf(json, 'downgrade information');
    return { targetVersion: textIn(object, 'target-version'), enabled: flagIn(object, 'enabled') };
  },
);

/** What of the v2 store still means something: who is in the cluster. */
export interface StoreV2 {
  /** Ascending by id. */
  members: Member[];
  /** Ids that may never be used again; ascending. */
  removedIds: bigint[];
  /** Three plain numbers, or '' when the cluster has not decided yet. */
  clusterVersion: string;
}

/** A node of the v2 store's tree: a file has a value, a folder children. */
function fileNode(path: string, value: string): Printable {
  return { Path: path, Value: value };
}

function folderNode(path: string, names: readonly string[], child: ChildNode): Printable {
  const children = names.map((name) => [name, child(name, joinPath(path, name))] as const);
  return { Path: path, Children: Object.fromEntries(children) };
}

type ChildNode = (name: string, path: string) => Printable;

function joinPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

function printStore(store: StoreV2): Printable {
  return {
    Root: folderNode('/', ['0', '1'], (name, path) =>
      name === '0' ? clusterNode(store, path) : folderNode(path, [], () => null),
    ),
    CurrentIndex: 0,
    CurrentVersion: 2,
  };
}

function clusterNode(store: StoreV2, folder: string): Printable {
  const names = ['members', 'removed_members'];
  if (store.clusterVersion !== '') names.push('version');
  return folderNode(folder, names, (name, path) => {
    if (name === 'members') return membersNode(store.members, path);
    if (name === 'version') return fileNode(path, store.clusterVersion);
    return folderNode(path, store.removedIds.map(hexId), (_, child) => fileNode(child, ''));
  });
}

function membersNode(members: readonly Member[], folder: string): Printable {
  const byId = new Map(members.map((member) => [hexId(member.id), member]));
  return folderNode(folder, [...byId.keys()], (id, path) => memberNode(byId.get(id)!, path));
}

function memberNode(member: Member, folder: string): Printable {
  const started = member.name !== '' || member.clientUrls.length > 0;
  const names = started ? ['attributes', 'raftAttributes'] : ['raftAttributes'];
  return folderNode(folder, names, (name, path) =>
    fileNode(
      path,
      printExactJson(name === 'attributes' ? printAttributes(member) : printRaftAttributes(member)),
    ),
  );
}

function printRaftAttributes(member: Member): Printable {
  return { peerURLs: member.peerUrls, isLearner: member.isLearner || undefined };
}

function childrenOf(node: JsonObject | undefined): [name: string, node: JsonObject][] {
  const children = node?.['Children'] ?? undefined;
  if (children === undefined) return [];
  return Object.entries(objectOf(children, 'Children')).map(([name, child]) => [
    name,
    objectOf(child, name),
  ]);
}

function childOf(node: JsonObject | undefined, name: string): JsonObject | undefined {
  return childrenOf(node).find(([childName]) => childName === name)?.[1];
}

function readStore(json: ExactJson): StoreV2 {
  const root = objectOf(objectOf(json, 'the v2 store')['Root'], 'Root');
  const cluster = childOf(root, '0');
  const version = childOf(cluster, 'version');
  return {
    members: childrenOf(childOf(cluster, 'members')).map(readMemberNode).sort(byId),
    removedIds: childrenOf(childOf(cluster, 'removed_members'))
      .map(([name]) => idOfNode(name))
      .sort((a, b) => (a < b ? -1 : 1)),
    clusterVersion: version === undefined ? '' : textIn(version, 'Value'),
  };
}

function byId(a: Member, b: Member): number {
  return a.id < b.id ? -1 : 1;
}

function idOfNode(name: string): bigint {
  const id = parseHexId(name);
  if (id === undefined) throw new DecodeError(`the v2 store has a member called ${name}`);
  return id;
}

function readMemberNode([name, node]: [string, JsonObject]): Member {
  const raft = childOf(node, 'raftAttributes');
  if (raft === undefined) throw new DecodeError(`the v2 store has no urls for member ${name}`);
  const raftAttributes = objectOf(parseExactJson(textIn(raft, 'Value')), 'raftAttributes');
  const own = childOf(node, 'attributes');
  const attributes =
    own === undefined
      ? { name: '', clientUrls: [] }
      : readAttributes(parseExactJson(textIn(own, 'Value')));
  return {
    id: idOfNode(name),
    ...attributes,
    peerUrls: textsIn(raftAttributes, 'peerURLs'),
    isLearner: flagIn(raftAttributes, 'isLearner'),
  };
}

/**
 * Snapshot.data for members up to etcd 3.6: the v2 store in the reduced form that they accept (paths,
 * values and children only). Reading takes the full form too, and only the membership from it.
 */
export const storeV2Json: Codec<StoreV2> = jsonCodec(printStore, readStore);
