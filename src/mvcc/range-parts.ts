/** A range read in parts, each of bounded size and read in one short turn: what RangeStream sends. */
import type { KeyValue, RangeRequest, RangeResponse } from '../api/index.js';
import { NOWHERE, type KeyIndex } from './key-index.js';
import { endOfRange } from './key-range.js';
import type { Keyspace } from './keyspace.js';

/** Pairs in the first part (etcd's); later ones double or halve towards the wanted size. */
const FIRST_PART_PAIRS = 10;
/** What a pair takes beside its key and value, roughly. */
const PAIR_OVERHEAD_BYTES = 24;

/**
 * The parts of `request`, which asks for no order and no filters, as of `revision`. Between two calls
 * the keyspace may change, but not be compacted beyond `revision`.
 */
export class RangeParts {
  readonly #keyspace: Keyspace;
  readonly #request: RangeRequest;
  readonly #revision: number;
  readonly #targetBytes: number;
  readonly #end: string;
  /** Where the next part begins; undefined when everything has been looked at. */
  #next: string | undefined;
  #partPairs = FIRST_PART_PAIRS;
  #count = 0;
  /** Pairs that the request still allows. */
  #left: number;
  /** The last part, when only the count of what is behind it is missing. */
  #last: KeyValue[] | undefined;

  constructor(keyspace: Keyspace, request: RangeRequest, revision: number, targetBytes: number) {
    this.#keyspace = keyspace;
    this.#request = request;
    this.#revision = revision;
    this.#targetBytes = targetBytes;
    this.#end = endOfRange(request.key, request.rangeEnd);
    this.#next = request.key;
    this.#left = request.limit > 0 ? Number(request.limit) : Infinity;
  }

  /**
   * Reads on, looking at no more than `keyLimit` keys. Returns what was found, if anything, and whether
   * that is the end: only then `more` and `count` mean something.
   */
  read(keyLimit: number): { part?: RangeResponse; ended: boolean } {
    if (this.#last === undefined) {
      const kvs = this.#take(keyLimit);
      if (this.#left > 0 && this.#next !== undefined) {
        return kvs.length === 0 ? { ended: false } : { part: partOf(kvs), ended: false };
      }
      this.#last = kvs;
    }
    const sent = this.#request.limit > 0 ? Number(this.#request.limit) : Infinity;
    if (!this.#countRest(keyLimit)) return { ended: false };
    const more = this.#count > sent;
    return { part: { kvs: this.#last, more, count: this.#count }, ended: true };
  }

  #take(keyLimit: number): KeyValue[] {
    const wanted = Math.min(this.#partPairs, this.#left);
    const kvs: KeyValue[] = [];
    this.#visit(keyLimit, (index) => {
      const position = index.livePosition(this.#revision);
      if (position !== NOWHERE) kvs.push(this.#pair(index, position));
      return kvs.length < wanted;
    });
    this.#left -= kvs.length;
    this.#count += kvs.length;
    if (kvs.length === wanted) this.#adjust(kvs);
    return kvs;
  }

  /** Counts what is left without reading it. True when it is counted to the end. */
  #countRest(keyLimit: number): boolean {
    if (this.#next === undefined) return true;
    if (this.#revision === this.#keyspace.currentRevision) {
      this.#count += this.#keyspace.tree.countLive(this.#next, this.#end);
      this.#next = undefined;
      return true;
    }
    this.#visit(keyLimit, (index) => {
      if (index.livePosition(this.#revision) !== NOWHERE) this.#count++;
      return true;
    });
    return this.#next === undefined;
  }

  /** Visits keys from where the last visit ended until `visit` has enough or `keyLimit` is reached. */
  #visit(keyLimit: number, visit: (index: KeyIndex) => boolean): void {
    let looked = 0;
    let enough = false;
    let next: string | undefined;
    this.#keyspace.tree.ascend(this.#next!, this.#end, (index) => {
      if (enough || looked++ >= keyLimit) {
        next = index.key;
        return false;
      }
      enough = !visit(index);
      return true;
    });
    this.#next = next;
  }

  #pair(index: KeyIndex, position: number): KeyValue {
    const blank = this.#request.keysOnly && position === index.length - 1;
    const pair = blank
      ? this.#keyspace.newestWithoutValue(index)
      : this.#keyspace.pairAt(index, position);
    if (this.#request.keysOnly) pair.value = '';
    return pair;
  }

  #adjust(kvs: readonly KeyValue[]): void {
    const bytes = kvs.reduce(
      (sum, { key, value }) => sum + key.length + value.length + PAIR_OVERHEAD_BYTES,
      0,
    );
    if (bytes < this.#targetBytes / 2) this.#partPairs *= 2;
    else if (bytes > this.#targetBytes * 2) this.#partPairs = Math.max(1, this.#partPairs >> 1);
  }
}

function partOf(kvs: KeyValue[]): RangeResponse {
  return { kvs, more: false, count: 0 };
}
