/**
 * What requests mean: a sequential keyspace, written to be read, not to be fast. It shares no code with
 * src/mvcc but the definition of a key range. Nothing here changes what it is given: executing a request
 * returns its answer and its events.
 */
import {
  CompareResult,
  CompareTarget,
  SortOrder,
  SortTarget,
  compareInt64,
  etcdError,
  type Compare,
  type DeleteRangeRequest,
  type DeleteRangeResponse,
  type Event,
  type Int64,
  type KeyValue,
  type PutRequest,
  type PutResponse,
  type RangeRequest,
  type RangeResponse,
  type RequestOp,
  type ResponseHeader,
  type ResponseOp,
  type TxnRequest,
  type TxnResponse,
} from '../../api/index.js';
import { endOfRange } from '../../mvcc/index.js';
import type { KeyRange } from './timeline.js';

/** The state that a request meets. */
export interface StateView {
  readonly revision: number;
  /** Reads below are refused; -1 when never compacted. */
  readonly compactRevision: number;
  /** Pairs alive at `revision`, in byte order. */
  pairsAt(revision: number, range: KeyRange): KeyValue[];
  hasLease(id: bigint): boolean;
}

/** What came of a request; `events` is empty when nothing changed, and then there is no new revision. */
export interface Executed<Response> {
  readonly response: Response;
  readonly events: readonly Event[];
}

export type WriteRequest = Extract<RequestOp, { kind: 'put' | 'deleteRange' | 'txn' }>;

/** The interval that `key` and `rangeEnd` name. */
export function keyRange({ key, rangeEnd }: { key: string; rangeEnd: string }): KeyRange {
  return { from: key, to: endOfRange(key, rangeEnd) };
}

/** Throws futureRev and compacted. Answers here have no outermost header. */
export function executeRange(view: StateView, request: RangeRequest): RangeResponse {
  return readRange(new Draft(view), request);
}

/** Throws leaseNotFound, keyNotFound. */
export function executePut(view: StateView, request: PutRequest): Executed<PutResponse> {
  const draft = new Draft(view);
  checkLease(view, request);
  checkKept(draft, request);
  const response = put(draft, request);
  return { response, events: draft.events };
}

export function executeDeleteRange(
  view: StateView,
  request: DeleteRangeRequest,
): Executed<DeleteRangeResponse> {
  const draft = new Draft(view);
  const response = deleteRange(draft, request);
  return { response, events: draft.events };
}

/** All or nothing. Throws futureRev, compacted, leaseNotFound, keyNotFound. */
export function executeTxn(view: StateView, request: TxnRequest): Executed<TxnResponse> {
  const path = choosePath(view, request);
  checkPath(view, path, []);
  const draft = new Draft(view);
  const response = walk(draft, path);
  return { response, events: draft.events };
}

/** Executes whichever it is. */
export function executeWrite(view: StateView, op: WriteRequest): Executed<ResponseOp['response']> {
  switch (op.kind) {
    case 'put':
      return executePut(view, op.request);
    case 'deleteRange':
      return executeDeleteRange(view, op.request);
    case 'txn':
      return executeTxn(view, op.request);
  }
}

/** Deletes those of `keys` that are alive, in byte order: what a lease takes with it. */
export function deleteKeys(view: StateView, keys: readonly string[]): readonly Event[] {
  const draft = new Draft(view);
  for (const key of [...keys].sort()) {
    if (draft.get(key) !== undefined) draft.delete(key);
  }
  return draft.events;
}

/** A state and the changes that one request has made to it so far. */
class Draft {
  readonly events: Event[] = [];
  readonly #view: StateView;
  readonly #changed = new Map<string, KeyValue | undefined>();

  constructor(view: StateView) {
    this.#view = view;
  }

  get compactRevision(): number {
    return this.#view.compactRevision;
  }

  /** What a read inside the request calls current. */
  get revision(): number {
    return this.#view.revision + (this.events.length > 0 ? 1 : 0);
  }

  get(key: string): KeyValue | undefined {
    return this.pairs(keyRange({ key, rangeEnd: '' }))[0];
  }

  /** Pairs as they are now, in byte order. */
  pairs(range: KeyRange): KeyValue[] {
    const found = new Map<string, KeyValue | undefined>();
    for (const pair of this.#view.pairsAt(this.#view.revision, range)) found.set(pair.key, pair);
    for (const [key, pair] of this.#changed) {
      if (range.from <= key && key < range.to) found.set(key, pair);
    }
    const alive = [...found.values()].filter((pair) => pair !== undefined);
    return alive.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  pairsAt(revision: number, range: KeyRange): KeyValue[] {
    return revision === this.revision ? this.pairs(range) : this.#view.pairsAt(revision, range);
  }

  put(key: string, value: string, lease: bigint): void {
    const before = this.get(key);
    const modRevision = this.#view.revision + 1;
    const createRevision = before?.createRevision ?? modRevision;
    const version = (before?.version ?? 0) + 1;
    const kv = { key, createRevision, modRevision, version, value, lease };
    this.#changed.set(key, kv);
    this.events.push({ type: 'put', kv });
  }

  delete(key: string): void {
    const modRevision = this.#view.revision + 1;
    const kv = { key, createRevision: 0, modRevision, version: 0, value: '', lease: 0n };
    this.#changed.set(key, undefined);
    this.events.push({ type: 'delete', kv });
  }
}

function put(draft: Draft, request: PutRequest): PutResponse {
  const before = draft.get(request.key);
  const value = request.ignoreValue ? (before?.value ?? '') : request.value;
  const lease = request.ignoreLease ? (before?.lease ?? 0n) : request.lease;
  draft.put(request.key, value, lease);
  return request.prevKv && before !== undefined ? { prevKv: before } : {};
}

function deleteRange(draft: Draft, request: DeleteRangeRequest): DeleteRangeResponse {
  const doomed = draft.pairs(keyRange(request));
  for (const { key } of doomed) draft.delete(key);
  return { deleted: doomed.length, prevKvs: request.prevKv ? doomed : [] };
}

function checkLease(view: StateView, { lease }: PutRequest): void {
  if (lease !== 0n && !view.hasLease(lease)) throw etcdError('leaseNotFound');
}

function checkKept(draft: Draft, { key, ignoreValue, ignoreLease }: PutRequest): void {
  if ((ignoreValue || ignoreLease) && draft.get(key) === undefined) throw etcdError('keyNotFound');
}

/** Fetch in key order, filter, sort, cut. */
function readRange(draft: Draft, request: RangeRequest): RangeResponse {
  if (request.revision > draft.revision) throw etcdError('futureRev');
  const revision = request.revision <= 0 ? draft.revision : Number(request.revision);
  if (revision < draft.compactRevision) throw etcdError('compacted');
  const all = draft.pairsAt(revision, keyRange(request));
  const count = all.length;
  if (request.countOnly) return { kvs: [], more: false, count };
  const limit = request.limit > 0 ? Number(request.limit) : Infinity;
  const fetched = limitsFetch(request) ? all.slice(0, limit + 1) : all;
  const kept = fetched.filter((pair) => passes(pair, request));
  const sorted = sortPairs(kept, request);
  const cut = sorted.slice(0, limit);
  const kvs = cut.map((pair) => (request.keysOnly ? { ...pair, value: '' } : pair));
  return { kvs, more: cut.length < sorted.length, count };
}

/** etcd cuts before it sorts unless an order or a filter was asked for. */
function limitsFetch(request: RangeRequest): boolean {
  const { sortOrder, sortTarget, minModRevision, maxModRevision } = request;
  const { minCreateRevision, maxCreateRevision } = request;
  const bounds = [minModRevision, maxModRevision, minCreateRevision, maxCreateRevision];
  const byKey = sortOrder === SortOrder.ascend && sortTarget === SortTarget.key;
  return bounds.every(isOff) && (sortOrder === SortOrder.none || byKey);
}

function isOff(bound: Int64): boolean {
  return compareInt64(bound, 0) === 0;
}

function passes(pair: KeyValue, request: RangeRequest): boolean {
  const within = (value: number, min: Int64, max: Int64) =>
    (isOff(min) || value >= min) && (isOff(max) || value <= max);
  return (
    within(pair.modRevision, request.minModRevision, request.maxModRevision) &&
    within(pair.createRevision, request.minCreateRevision, request.maxCreateRevision)
  );
}

/** Equal ones stay in key order, which etcd does not promise and Kvorum keeps. */
function sortPairs(pairs: KeyValue[], { sortOrder, sortTarget }: RangeRequest): KeyValue[] {
  const sign = sortOrder === SortOrder.descend ? -1 : 1;
  return [...pairs].sort((a, b) => {
    const [x, y] = [sortField(a, sortTarget), sortField(b, sortTarget)];
    return sign * (x < y ? -1 : x > y ? 1 : 0);
  });
}

function sortField(pair: KeyValue, target: number): string | number {
  switch (target) {
    case SortTarget.version:
      return pair.version;
    case SortTarget.create:
      return pair.createRevision;
    case SortTarget.mod:
      return pair.modRevision;
    case SortTarget.value:
      return pair.value;
    default:
      return pair.key;
  }
}

/** A transaction with its branches chosen. */
interface Path {
  readonly succeeded: boolean;
  readonly steps: readonly (Exclude<RequestOp, { kind: 'txn' }> | { kind: 'path'; path: Path })[];
}

/** Every compare looks at the state before the transaction. */
function choosePath(view: StateView, request: TxnRequest): Path {
  const succeeded = request.compare.every((compare) => compareHolds(view, compare));
  const branch = succeeded ? request.success : request.failure;
  const steps = branch.map((op) =>
    op.kind === 'txn' ? { kind: 'path' as const, path: choosePath(view, op.request) } : op,
  );
  return { succeeded, steps };
}

function compareHolds(view: StateView, compare: Compare): boolean {
  const pairs = view.pairsAt(view.revision, keyRange(compare));
  if (pairs.length > 0) return pairs.every((pair) => pairHolds(compare, pair));
  return compare.target !== CompareTarget.value && pairHolds(compare, MISSING);
}

const MISSING = { version: 0, createRevision: 0, modRevision: 0, lease: 0n, value: '' };

/** Does `compare` hold for one pair (or for {@link MISSING}), whatever its key? */
export function pairHolds(compare: Compare, pair: Omit<KeyValue, 'key'>): boolean {
  const order = compareField(compare, pair);
  switch (compare.result) {
    case CompareResult.equal:
      return order === 0;
    case CompareResult.notEqual:
      return order !== 0;
    case CompareResult.greater:
      return order > 0;
    case CompareResult.less:
      return order < 0;
    default:
      return true;
  }
}

/** An operand of another kind than the target's reads as zero, as etcd reads its oneof. */
function compareField({ target, operand }: Compare, pair: Omit<KeyValue, 'key'>): number {
  const operandFor = (kind: string) => (operand?.kind === kind ? operand.value : undefined);
  const number = (field: Int64, kind: string) =>
    compareInt64(field, (operandFor(kind) as Int64 | undefined) ?? 0);
  switch (target) {
    case CompareTarget.version:
      return number(pair.version, 'version');
    case CompareTarget.create:
      return number(pair.createRevision, 'create');
    case CompareTarget.mod:
      return number(pair.modRevision, 'mod');
    case CompareTarget.lease:
      return number(pair.lease, 'lease');
    case CompareTarget.value: {
      const wanted = (operandFor('value') as string | undefined) ?? '';
      return pair.value < wanted ? -1 : pair.value > wanted ? 1 : 0;
    }
    default:
      return 0;
  }
}

/** Refuses before the first effect. `doomed`: what deletes earlier on the path take away. */
function checkPath(view: StateView, path: Path, doomed: KeyRange[]): void {
  for (const step of path.steps) {
    if (step.kind === 'path') checkPath(view, step.path, doomed);
    else if (step.kind === 'range') checkRevision(view, step.request.revision);
    else if (step.kind === 'deleteRange') doomed.push(keyRange(step.request));
    else if (step.kind === 'put') checkPutOnPath(view, step.request, doomed);
  }
}

/** Inside a transaction a negative revision is not "the latest". */
function checkRevision(view: StateView, revision: Int64): void {
  if (compareInt64(revision, 0) === 0) return;
  if (revision > view.revision) throw etcdError('futureRev');
  if (revision < view.compactRevision) throw etcdError('compacted');
}

function checkPutOnPath(view: StateView, request: PutRequest, doomed: readonly KeyRange[]): void {
  const { key } = request;
  const gone = doomed.some(({ from, to }) => from <= key && key < to);
  if (gone && (request.ignoreValue || request.ignoreLease)) throw etcdError('keyNotFound');
  checkKept(new Draft(view), request);
  checkLease(view, request);
}

function walk(draft: Draft, path: Path): TxnResponse {
  const responses: ResponseOp[] = [];
  for (const step of path.steps) {
    switch (step.kind) {
      case 'range':
        responses.push({ kind: 'range', response: headed(readRange(draft, step.request), draft) });
        break;
      case 'put':
        responses.push({ kind: 'put', response: headed(put(draft, step.request), draft) });
        break;
      case 'deleteRange': {
        const response = headed(deleteRange(draft, step.request), draft);
        responses.push({ kind: 'deleteRange', response });
        break;
      }
      case 'path':
        responses.push({
          kind: 'txn',
          response: { ...walk(draft, step.path), header: innerHeader(0) },
        });
        break;
      case 'none':
        break;
    }
  }
  return { succeeded: path.succeeded, responses };
}

/** Answers inside a transaction carry the revision reached so far, and nothing else. */
function headed<T extends { header?: ResponseHeader }>(response: T, draft: Draft): T {
  return { ...response, header: innerHeader(draft.revision) };
}

function innerHeader(revision: number): ResponseHeader {
  return { clusterId: 0n, memberId: 0n, revision, raftTerm: 0 };
}
