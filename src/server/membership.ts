/**
 * Who is in the cluster: kept in the backend's buckets `members`, `members_removed` and `cluster` as
 * etcd keeps it, changed only by applied entries. Every member checks a change again at apply and must
 * come to the same answer (peer-protocol 2.5).
 */
import { type Member, type EtcdError, assert, etcdError } from '../api/index.js';
import { type Backend, ClusterKey } from '../backend/index.js';
import { bytesFromLatin1, hexId, latin1FromBytes, parseHexId } from '../bytes/index.js';
import { memberJson } from '../codec/index.js';
import { compareIds } from './ids.js';

/** What bucket `members_removed` says of an id. */
export const REMOVED_RECORD = bytesFromLatin1('removed');

/** A change as the log carries it, decoded from ConfChange and its context. */
export type MembershipChange =
  | { kind: 'add'; member: Member }
  | { kind: 'promote'; id: bigint }
  | { kind: 'remove'; id: bigint }
  | { kind: 'update'; id: bigint; peerUrls: string[] };

export class Membership {
  readonly #backend: Backend;
  readonly #maxLearners: number;
  #members = new Map<bigint, Member>();
  #removed = new Set<bigint>();
  #clusterVersion: string | undefined;

  constructor(backend: Backend, maxLearners: number) {
    this.#backend = backend;
    this.#maxLearners = maxLearners;
  }

  /** Reads the buckets anew: at start and after a snapshot was installed. */
  async load(): Promise<void> {
    this.#members = new Map();
    for (const [key, value] of await this.#all('members')) {
      const member = memberJson.decode(value);
      assert(parseHexId(key) === member.id, () => `member record ${key} says ${hexId(member.id)}`);
      this.#members.set(member.id, member);
    }
    const removed = await this.#all('members_removed');
    this.#removed = new Set(removed.map(([key]) => parseHexId(key)!));
    const version = this.#backend.get('cluster', ClusterKey.clusterVersion);
    this.#clusterVersion = version === undefined ? undefined : latin1FromBytes(version);
  }

  /** Ascending by id. */
  list(): Member[] {
    return [...this.#members.values()].sort((a, b) => compareIds(a.id, b.id));
  }

  get(id: bigint): Member | undefined {
    return this.#members.get(id);
  }

  voters(): Member[] {
    return this.list().filter((member) => !member.isLearner);
  }

  removedIds(): bigint[] {
    return [...this.#removed].sort(compareIds);
  }

  isRemoved(id: bigint): boolean {
    return this.#removed.has(id);
  }

  /** `x.y.0`, or undefined until the first leader has decided it. */
  get clusterVersion(): string | undefined {
    return this.#clusterVersion;
  }

  /** Why `change` must be refused, or undefined. The checks that every member makes at apply. */
  refusal(change: MembershipChange): EtcdError | undefined {
    const id = change.kind === 'add' ? change.member.id : change.id;
    if (this.#removed.has(id)) return etcdError('memberNotFound');
    const known = this.#members.get(id);
    if (change.kind === 'add') return this.#addRefusal(change.member);
    if (known === undefined) return etcdError('memberNotFound');
    if (change.kind === 'promote' && !known.isLearner) return etcdError('memberNotLearner');
    if (change.kind === 'update' && this.#urlTaken(change.peerUrls, id))
      return etcdError('peerURLExist');
    return undefined;
  }

  /** Makes a change that {@link Membership.refusal} has let through. */
  apply(change: MembershipChange): void {
    switch (change.kind) {
      case 'add':
        return this.#save(change.member);
      case 'promote':
        return this.#save({ ...this.#members.get(change.id)!, isLearner: false });
      case 'update':
        return this.#save({ ...this.#members.get(change.id)!, peerUrls: change.peerUrls });
      case 'remove':
        this.#members.delete(change.id);
        this.#removed.add(change.id);
        this.#backend.delete('members', hexId(change.id));
        this.#backend.put('members_removed', hexId(change.id), REMOVED_RECORD);
    }
  }

  /** A started member tells its name and client urls. Unknown and removed ids are ignored. */
  setAttributes(id: bigint, name: string, clientUrls: string[]): boolean {
    const member = this.#members.get(id);
    if (member === undefined) return false;
    this.#save({ ...member, name, clientUrls });
    return true;
  }

  setClusterVersion(version: string): void {
    this.#clusterVersion = version;
    this.#backend.put('cluster', ClusterKey.clusterVersion, bytesFromLatin1(version));
  }

  #addRefusal(member: Member): EtcdError | undefined {
    if (this.#members.has(member.id)) return etcdError('memberExist');
    if (this.#urlTaken(member.peerUrls, undefined)) return etcdError('peerURLExist');
    const learners = this.list().filter((known) => known.isLearner).length;
    if (member.isLearner && learners >= this.#maxLearners) return etcdError('tooManyLearners');
    return undefined;
  }

  #urlTaken(peerUrls: readonly string[], except: bigint | undefined): boolean {
    for (const member of this.#members.values()) {
      if (member.id === except) continue;
      if (member.peerUrls.some((url) => peerUrls.includes(url))) return true;
    }
    return false;
  }

  #save(member: Member): void {
    this.#members.set(member.id, member);
    this.#backend.put('members', hexId(member.id), memberJson.encode(member));
  }

  #all(bucket: 'members' | 'members_removed') {
    return this.#backend.scan(bucket, { from: '', limit: Number.MAX_SAFE_INTEGER });
  }
}
