/** The changes of one request: they share a main revision and count up its subs. */
import type { Event, KeyValue } from '../api/index.js';
import { KeyIndex } from './key-index.js';
import type { Keyspace } from './keyspace.js';
import { encodeRecord, encodeTombstone } from './record.js';
import { recordKey } from './revision.js';

/** An event and, when it was at hand, the pair before it. */
export interface Change {
  readonly event: Event;
  /** Undefined: not looked up (or there was none). */
  readonly previous: KeyValue | undefined;
}

/** Who hears of changes. */
export interface ChangeListener {
  /** False: nobody watches, and changes need not be recorded. */
  readonly listening: boolean;
  /** Should {@link Change.previous} be filled in? */
  readonly wantsPrevious: boolean;
  /** All changes of one revision, in order, after the revision has become current. */
  publish(revision: number, changes: Change[]): void;
}

export class WriteTxn {
  /** Main revision of whatever this transaction changes. */
  readonly main: number;
  readonly #keyspace: Keyspace;
  readonly #listener: ChangeListener;
  readonly #changes: Change[] | undefined;
  #sub = 0;

  constructor(keyspace: Keyspace, listener: ChangeListener) {
    this.#keyspace = keyspace;
    this.#listener = listener;
    this.main = keyspace.currentRevision + 1;
    this.#changes = listener.listening ? [] : undefined;
  }

  /** The revision that a read inside this transaction sees. */
  get revision(): number {
    return this.#sub > 0 ? this.main : this.main - 1;
  }

  /** Writes a pair. A lease must exist; 0n leaves the key without one. */
  put(key: string, value: string, lease: bigint): void {
    const known = this.#keyspace.tree.get(key);
    const leaseBefore = known?.lease ?? 0n;
    const previous = this.#previous(known);
    const index = this.#indexPut(known, key, lease);
    const pair: KeyValue = {
      key,
      createRevision: index.createRevision,
      modRevision: this.main,
      version: index.version,
      value,
      lease,
    };
    this.#keyspace.backend.put('key', recordKey(this.main, this.#sub++), encodeRecord(pair));
    this.#keyspace.cache.set(index, value);
    this.#moveLease(key, leaseBefore, lease);
    this.#changes?.push({ event: { type: 'put', kv: pair }, previous });
  }

  /** Deletes a live key. */
  delete(index: KeyIndex): void {
    const { key, lease } = index;
    const previous = this.#previous(index);
    index.delete(this.main, this.#sub);
    this.#keyspace.tree.countLife(index, -1);
    this.#keyspace.cache.forget(index);
    const name = recordKey(this.main, this.#sub++, true);
    this.#keyspace.backend.put('key', name, encodeTombstone(key));
    this.#moveLease(key, lease, 0n);
    this.#changes?.push({ event: { type: 'delete', kv: tombstonePair(key, this.main) }, previous });
  }

  /** Makes the changes, if there are any, the current revision, and tells the listener. */
  end(): void {
    if (this.#sub === 0) return;
    this.#keyspace.currentRevision = this.main;
    if (this.#changes !== undefined) this.#listener.publish(this.main, this.#changes);
  }

  #indexPut(known: KeyIndex | undefined, key: string, lease: bigint): KeyIndex {
    const { tree } = this.#keyspace;
    if (known === undefined) {
      const created = KeyIndex.created(key, this.main, this.#sub, lease);
      tree.insert(created);
      return created;
    }
    const wasAlive = known.alive;
    known.put(this.main, this.#sub, lease);
    if (!wasAlive) tree.countLife(known, 1);
    return known;
  }

  /** The pair before this transaction; a second change of the key in it leaves that to a later look. */
  #previous(index: KeyIndex | undefined): KeyValue | undefined {
    if (this.#changes === undefined || !this.#listener.wantsPrevious) return undefined;
    if (index === undefined || !index.alive || index.modRevision === this.main) return undefined;
    return this.#keyspace.newest(index);
  }

  #moveLease(key: string, from: bigint, to: bigint): void {
    if (from === to) return;
    if (from !== 0n) this.#keyspace.leases.detach(from, key);
    if (to !== 0n) this.#keyspace.leases.attach(to, key);
  }
}

/** What a DELETE event and a tombstone carry: key and revision. */
export function tombstonePair(key: string, modRevision: number): KeyValue {
  return { key, createRevision: 0, modRevision, version: 0, value: '', lease: 0n };
}
