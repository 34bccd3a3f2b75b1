/** Range: which pairs a request finds, in etcd's order of steps: fetch, filter, sort, cut. */
import {
  SortOrder,
  SortTarget,
  etcdError,
  type Int64,
  type KeyValue,
  type RangeRequest,
  type RangeResponse,
} from '../api/index.js';
import { NOWHERE, type KeyIndex } from './key-index.js';
import { endOfRange } from './key-range.js';
import type { Keyspace } from './keyspace.js';

/**
 * Answers `request` (which has passed checkRange) as of the store's current revision, `current`:
 * inside a transaction that has written, its own. Throws futureRev and compacted. No header.
 */
export function evaluateRange(
  keyspace: Keyspace,
  request: RangeRequest,
  current: number,
): RangeResponse {
  const revision = readRevision(keyspace, request.revision, current);
  if (request.rangeEnd === '') return evaluatePoint(keyspace, request, revision, current);
  const reading = new RangeReading(keyspace, request, revision, current);
  reading.readMost(Infinity);
  return reading.response();
}

/** The revision to read at: 0 and below mean `current`. Throws futureRev and compacted. */
export function readRevision(keyspace: Keyspace, asked: Int64, current: number): number {
  if (asked > current) throw etcdError('futureRev');
  const revision = asked <= 0 ? current : Number(asked);
  if (revision < keyspace.compactRevision) throw etcdError('compacted');
  return revision;
}

function evaluatePoint(
  keyspace: Keyspace,
  request: RangeRequest,
  revision: number,
  current: number,
): RangeResponse {
  const index = keyspace.tree.get(request.key);
  const position = index === undefined ? NOWHERE : livePositionAt(index, revision, current);
  if (position === NOWHERE) return { kvs: [], more: false, count: 0 };
  if (request.countOnly) return { kvs: [], more: false, count: 1 };
  const pair = pairFor(keyspace, request, index!, position);
  if (hasFilters(request) && !passesFilters(pair, request))
    return { kvs: [], more: false, count: 1 };
  if (request.keysOnly) pair.value = '';
  return { kvs: [pair], more: false, count: 1 };
}

/** The pair at `position`; the value is not fetched where nobody will see it. */
function pairFor(
  keyspace: Keyspace,
  request: RangeRequest,
  index: KeyIndex,
  position: number,
): KeyValue {
  const blank = request.keysOnly && request.sortTarget !== SortTarget.value;
  return blank && position === index.length - 1
    ? keyspace.newestWithoutValue(index)
    : keyspace.pairAt(index, position);
}

function livePositionAt(index: KeyIndex, revision: number, current: number): number {
  if (revision < current) return index.livePosition(revision);
  return index.alive ? index.length - 1 : NOWHERE;
}

/**
 * A range that is being read, in one go or in slices. Its revision is pinned: writes between slices do
 * not show, but the caller has to see to it that no compaction passes it meanwhile.
 */
export class RangeReading {
  readonly #keyspace: Keyspace;
  readonly #request: RangeRequest;
  readonly #revision: number;
  readonly #end: string;
  /** Pairs worth fetching: one past the limit tells whether there are more. */
  readonly #fetchLimit: number;
  readonly #pairs: KeyValue[] = [];
  /** Is the whole count known, rather than of the keys read so far? */
  #counted = false;
  #count = 0;
  /** Where the next slice begins; undefined when everything has been read. */
  #next: string | undefined;

  constructor(keyspace: Keyspace, request: RangeRequest, revision: number, current: number) {
    this.#keyspace = keyspace;
    this.#request = request;
    this.#revision = revision;
    this.#end = endOfRange(request.key, request.rangeEnd);
    this.#fetchLimit = request.countOnly ? 0 : fetchLimit(request);
    this.#next = request.key;
    if (revision === current) this.#countAtOnce();
  }

  #countAtOnce(): void {
    this.#counted = true;
    this.#count = this.#keyspace.tree.countLive(this.#request.key, this.#end);
  }

  /** Reads on, looking at no more than `keyLimit` keys. True when that was the last of them. */
  readMost(keyLimit: number): boolean {
    if (this.#isComplete()) return true;
    let looked = 0;
    let next: string | undefined;
    this.#keyspace.tree.ascend(this.#next!, this.#end, (index) => {
      if (looked++ >= keyLimit) {
        next = index.key;
        return false;
      }
      this.#take(index);
      return !this.#isComplete();
    });
    this.#next = next;
    return this.#isComplete();
  }

  #isComplete(): boolean {
    if (this.#next === undefined) return true;
    return this.#counted && this.#pairs.length >= this.#fetchLimit;
  }

  #take(index: KeyIndex): void {
    const position = index.livePosition(this.#revision);
    if (position === NOWHERE) return;
    if (!this.#counted) this.#count++;
    if (this.#pairs.length >= this.#fetchLimit) return;
    this.#pairs.push(pairFor(this.#keyspace, this.#request, index, position));
  }

  /** The answer, when everything has been read. */
  response(): RangeResponse {
    const request = this.#request;
    let kvs = hasFilters(request)
      ? this.#pairs.filter((pair) => passesFilters(pair, request))
      : this.#pairs;
    sortPairs(kvs, request);
    const more = request.limit > 0 && kvs.length > request.limit;
    if (more) kvs = kvs.slice(0, Number(request.limit));
    if (request.keysOnly) for (const pair of kvs) pair.value = '';
    return { kvs, more, count: this.#count };
  }
}

/**
 * How many pairs have to be fetched, in key order. The limit counts only when no order is asked for
 * and nothing is filtered; note that a sort target alone (order NONE) does not lift it, so that the
 * first pairs by key are then sorted: etcd does so.
 */
function fetchLimit(request: RangeRequest): number {
  const inKeyOrder =
    request.sortOrder === SortOrder.none ||
    (request.sortOrder === SortOrder.ascend && request.sortTarget === SortTarget.key);
  if (request.limit <= 0 || !inKeyOrder || hasFilters(request)) return Infinity;
  return Number(request.limit) + 1;
}

function hasFilters(request: RangeRequest): boolean {
  return (
    isSet(request.minModRevision) ||
    isSet(request.maxModRevision) ||
    isSet(request.minCreateRevision) ||
    isSet(request.maxCreateRevision)
  );
}

/** 0 turns a filter off; a negative one is as good as any. */
function isSet(bound: Int64): boolean {
  return bound !== 0 && bound !== 0n;
}

function passesFilters(pair: KeyValue, request: RangeRequest): boolean {
  return (
    isWithin(pair.modRevision, request.minModRevision, request.maxModRevision) &&
    isWithin(pair.createRevision, request.minCreateRevision, request.maxCreateRevision)
  );
}

function isWithin(revision: number, min: Int64, max: Int64): boolean {
  return !(isSet(max) && revision > max) && !(isSet(min) && revision < min);
}

function sortPairs(pairs: KeyValue[], request: RangeRequest): void {
  const { sortTarget, sortOrder } = request;
  if (sortTarget === SortTarget.key) {
    if (sortOrder === SortOrder.descend) pairs.reverse();
    return;
  }
  const sign = sortOrder === SortOrder.descend ? -1 : 1;
  pairs.sort((a, b) => sign * comparePairs(a, b, sortTarget));
}

function comparePairs(a: KeyValue, b: KeyValue, sortTarget: number): number {
  switch (sortTarget) {
    case SortTarget.version:
      return a.version - b.version;
    case SortTarget.create:
      return a.createRevision - b.createRevision;
    case SortTarget.mod:
      return a.modRevision - b.modRevision;
    default:
      return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
  }
}
