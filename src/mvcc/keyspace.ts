/** The state that reads, writes, compaction and hashing share: index, cache, backend, revisions. */
import { assert, type KeyValue } from '../api/index.js';
import type { Backend } from '../backend/index.js';
import type { KeyIndex } from './key-index.js';
import type { LeaseBook } from './leases.js';
import { decodeRecord } from './record.js';
import { recordKey } from './revision.js';
import { TreeIndex } from './tree-index.js';
import { ValueCache } from './value-cache.js';

export class Keyspace {
  readonly backend: Backend;
  readonly leases: LeaseBook;
  readonly #cacheBytes: number;
  tree = new TreeIndex();
  cache: ValueCache;
  /** Revision of the last write; 1 in a new store. */
  currentRevision = 1;
  /** Revision of the last compaction accepted; -1 before the first. */
  compactRevision = -1;

  constructor(backend: Backend, leases: LeaseBook, cacheBytes: number) {
    this.backend = backend;
    this.leases = leases;
    this.#cacheBytes = cacheBytes;
    this.cache = new ValueCache(cacheBytes);
  }

  /** Frees the memory of the index, ahead of {@link Keyspace.become}. Revisions stay. */
  dropIndex(): void {
    this.tree = new TreeIndex();
    this.cache = new ValueCache(this.#cacheBytes);
  }

  /** An empty keyspace on the same backend. */
  successor(): Keyspace {
    return new Keyspace(this.backend, this.leases, this.#cacheBytes);
  }

  /** Takes over the state of `other`, in one step. */
  become(other: Keyspace): void {
    this.tree = other.tree;
    this.cache = other.cache;
    this.currentRevision = other.currentRevision;
    this.compactRevision = other.compactRevision;
  }

  /** The index of a key that exists now. */
  live(key: string): KeyIndex | undefined {
    const index = this.tree.get(key);
    return index?.alive === true ? index : undefined;
  }

  /** The newest pair of a live key. A value that was not cached is read, and cached. */
  newest(index: KeyIndex): KeyValue {
    const pair = this.newestWithoutValue(index);
    pair.value = index.value ?? this.#readNewestValue(index);
    return pair;
  }

  /** The newest pair of a live key with '' for its value: no read of the backend. */
  newestWithoutValue(index: KeyIndex): KeyValue {
    return {
      key: index.key,
      createRevision: index.createRevision,
      modRevision: index.modRevision,
      version: index.version,
      value: '',
      lease: index.lease,
    };
  }

  /** The newest value of a live key. */
  newestValue(index: KeyIndex): string {
    return index.value ?? this.#readNewestValue(index);
  }

  /** The pair whose live record is at `position` of `index`. */
  pairAt(index: KeyIndex, position: number): KeyValue {
    if (position === index.length - 1) return this.newest(index);
    return this.#read(index.mainAt(position), index.subAt(position));
  }

  /** The pair that `key` had at `revision`, which must not be compacted. */
  pairAtRevision(key: string, revision: number): KeyValue | undefined {
    const index = this.tree.get(key);
    const position = index?.livePosition(revision) ?? -1;
    return position < 0 ? undefined : this.pairAt(index!, position);
  }

  #readNewestValue(index: KeyIndex): string {
    const { value } = this.#read(index.modRevision, index.sub);
    this.cache.set(index, value);
    return value;
  }

  #read(main: number, sub: number): KeyValue {
    const name = recordKey(main, sub);
    const bytes = this.backend.get('key', name);
    assert(bytes !== undefined, () => `record ${main}_${sub} is in the index, not in the backend`);
    return decodeRecord(bytes, name);
  }
}
