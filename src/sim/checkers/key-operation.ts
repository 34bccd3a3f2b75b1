/**
 * What one request means for one key, whatever else it does. If a history of the whole keyspace is
 * linearizable, then so is what each key saw of it; so keys can be judged one by one.
 *
 * Where the outcome is not known, or depends on other keys, several states may follow; where an answer
 * contradicts the state, none does.
 */
import {
  CompareTarget,
  type Compare,
  type DeleteRangeRequest,
  type DeleteRangeResponse,
  type KeyValue,
  type PutRequest,
  type PutResponse,
  type RangeRequest,
  type RangeResponse,
  type RequestOp,
  type ResponseOp,
  type TxnRequest,
  type TxnResponse,
} from '../../api/index.js';
import { isSerializable, type KvOperation } from './linearizable-by-revision.js';
import { keyRange, pairHolds } from './model.js';
import { shownRevision } from './observed-floor.js';

/** One key's pair, or undefined for none. Revisions are learnt from answers only. */
export type KeyState = KeyPair | undefined;

export interface KeyPair {
  readonly value: string;
  readonly version: number;
  readonly lease: bigint;
  /** Undefined: written by a request whose answer nobody has, and not read yet. */
  readonly modRevision: number | undefined;
  readonly createRevision: number | undefined;
}

export interface KeyOperation {
  /** Id in the history. */
  readonly id: number;
  /** Sequences of the call and of the answer; Infinity when there is none. */
  readonly invoked: number;
  readonly returned: number;
  /** States that may follow `state` if it happens then; empty when it cannot have. */
  step(state: KeyState): KeyState[];
}

/** The part of `operation` that concerns `key`; undefined when there is none, or nothing to learn. */
export function projectOnKey(operation: KvOperation, key: string): KeyOperation | undefined {
  if (operation.outcome.kind === 'refused' || isSerializable(operation)) return undefined;
  if (!touches(operation, key)) return undefined;
  const isKnown = operation.outcome.kind === 'ok';
  if (!isKnown && operation.kind === 'range') return undefined;
  return {
    id: operation.id,
    invoked: operation.invoked.sequence,
    returned: isKnown ? operation.completed!.sequence : Infinity,
    step: (state) => withLeaseEnd(state).flatMap((met) => new Step(key, operation).run(met)),
  };
}

/** Every key that the request or its answer names by itself. */
export function keysNamedBy({ kind, request, outcome }: KvOperation): string[] {
  const op = { kind, request } as RequestOp;
  const response = outcome.kind === 'ok' ? outcome.response : undefined;
  const shown = response !== undefined && 'kvs' in response ? response.kvs.map((kv) => kv.key) : [];
  return [...putKeys(op), ...shown];
}

function putKeys(op: RequestOp): string[] {
  if (op.kind === 'put') return [op.request.key];
  if (op.kind !== 'txn') return [];
  return [...op.request.success, ...op.request.failure].flatMap(putKeys);
}

function touches(op: KvOperation | RequestOp, key: string): boolean {
  switch (op.kind) {
    case 'none':
      return false;
    case 'txn': {
      const { compare, success, failure } = op.request;
      const compared = compare.some((one) => one.rangeEnd === '' && one.key === key);
      return compared || [...success, ...failure].some((one) => touches(one, key));
    }
    default:
      return covers(op.request, key);
  }
}

function covers(request: { key: string; rangeEnd?: string }, key: string): boolean {
  const { from, to } = keyRange({ key: request.key, rangeEnd: request.rangeEnd ?? '' });
  return from <= key && key < to;
}

/** A lease may run out at any moment and take the key along. */
function withLeaseEnd(state: KeyState): KeyState[] {
  return state !== undefined && state.lease !== 0n ? [state, undefined] : [state];
}

class Step {
  readonly #key: string;
  readonly #operation: KvOperation;
  /** What a write of this operation has as its revision; undefined when nobody knows. */
  readonly #revision: number | undefined;

  constructor(key: string, operation: KvOperation) {
    this.#key = key;
    this.#operation = operation;
    this.#revision = shownRevision(operation);
  }

  run(state: KeyState): KeyState[] {
    const { kind, request, outcome } = this.#operation;
    const response = outcome.kind === 'ok' ? outcome.response : undefined;
    return this.#one(state, state, { kind, request } as RequestOp, response);
  }

  /** `before`: the state that compares of the transaction look at. */
  #one(
    state: KeyState,
    before: KeyState,
    op: RequestOp,
    response: ResponseOp['response'] | undefined,
  ): KeyState[] {
    switch (op.kind) {
      case 'put':
        return this.#put(state, op.request, response as PutResponse | undefined);
      case 'deleteRange':
        return this.#delete(state, op.request, response as DeleteRangeResponse | undefined);
      case 'range':
        return this.#read(state, op.request, response as RangeResponse | undefined);
      case 'txn':
        return this.#txn(state, before, op.request, response as TxnResponse | undefined);
      case 'none':
        return [state];
    }
  }

  #put(state: KeyState, request: PutRequest, response: PutResponse | undefined): KeyState[] {
    if (request.key !== this.#key) return [state];
    const keeps = request.ignoreValue || request.ignoreLease;
    if (keeps && state === undefined) return response === undefined ? [state] : [];
    if (response !== undefined && request.prevKv && learn(state, response.prevKv) === 'no')
      return [];
    const after = {
      value: request.ignoreValue ? state!.value : request.value,
      version: (state?.version ?? 0) + 1,
      lease: request.ignoreLease ? state!.lease : request.lease,
      modRevision: this.#revision,
      createRevision: state === undefined ? this.#revision : state.createRevision,
    };
    return [after];
  }

  #delete(
    state: KeyState,
    request: DeleteRangeRequest,
    response: DeleteRangeResponse | undefined,
  ): KeyState[] {
    if (!covers(request, this.#key)) return [state];
    if (response !== undefined) {
      const one = request.rangeEnd === '';
      if (one && response.deleted !== (state === undefined ? 0 : 1)) return [];
      const shown = response.prevKvs.find(({ key }) => key === this.#key);
      if (request.prevKv && learn(state, shown) === 'no') return [];
    }
    return [undefined];
  }

  #read(state: KeyState, request: RangeRequest, response: RangeResponse | undefined): KeyState[] {
    const isOld = request.revision > 0;
    if (response === undefined || isOld || !covers(request, this.#key)) return [state];
    if (request.countOnly) {
      const fits = request.rangeEnd !== '' || response.count === (state === undefined ? 0 : 1);
      return fits ? [state] : [];
    }
    const shown = response.kvs.find(({ key }) => key === this.#key);
    if (shown === undefined && mayLeaveOut(request)) return [state];
    const learnt = learn(state, shown, request.keysOnly);
    return learnt === 'no' ? [] : [learnt];
  }

  #txn(
    state: KeyState,
    before: KeyState,
    request: TxnRequest,
    response: TxnResponse | undefined,
  ): KeyState[] {
    const { canSucceed, canFail } = judge(request.compare, before, this.#key);
    const { success, failure } = request;
    if (response === undefined) {
      return [
        ...(canSucceed ? this.#branch(state, before, success, undefined) : []),
        ...(canFail ? this.#branch(state, before, failure, undefined) : []),
      ];
    }
    if (!(response.succeeded ? canSucceed : canFail)) return [];
    const branch = response.succeeded ? success : failure;
    return this.#branch(state, before, branch, response.responses);
  }

  #branch(
    state: KeyState,
    before: KeyState,
    ops: readonly RequestOp[],
    responses: readonly ResponseOp[] | undefined,
  ): KeyState[] {
    let states = [state];
    ops.forEach((op, i) => {
      const response = responses?.[i]?.response;
      states = states.flatMap((one) => this.#one(one, before, op, response));
    });
    return states;
  }
}

function mayLeaveOut(request: RangeRequest): boolean {
  const { minModRevision, maxModRevision, minCreateRevision, maxCreateRevision } = request;
  const bounds = [minModRevision, maxModRevision, minCreateRevision, maxCreateRevision];
  return request.limit > 0 || bounds.some((bound) => Number(bound) !== 0);
}

/** The state with what `shown` tells of it, or 'no' when they cannot be the same. */
function learn(state: KeyState, shown: KeyValue | undefined, keysOnly = false): KeyState | 'no' {
  if (state === undefined || shown === undefined) return state === shown ? state : 'no';
  const { modRevision = shown.modRevision, createRevision = shown.createRevision } = state;
  const fits =
    (keysOnly || state.value === shown.value) &&
    state.version === shown.version &&
    state.lease === shown.lease &&
    modRevision === shown.modRevision &&
    createRevision === shown.createRevision;
  return fits ? { ...state, modRevision, createRevision } : 'no';
}

/** May the compares all hold, may one of them not, as far as this key's state tells? */
function judge(
  compares: readonly Compare[],
  state: KeyState,
  key: string,
): { canSucceed: boolean; canFail: boolean } {
  let canSucceed = true;
  let canFail = false;
  for (const compare of compares) {
    const isOurs = compare.rangeEnd === '' && compare.key === key;
    const holds = isOurs ? holdsFor(compare, state) : undefined;
    if (holds === false) canSucceed = false;
    if (holds !== true) canFail = true;
  }
  return { canSucceed, canFail };
}

/** Undefined: it depends on a revision that is not known. */
function holdsFor(compare: Compare, state: KeyState): boolean | undefined {
  const zeros = { version: 0, createRevision: 0, modRevision: 0, lease: 0n, value: '' };
  if (state === undefined)
    return compare.target !== CompareTarget.value && pairHolds(compare, zeros);
  const { modRevision, createRevision } = state;
  if (compare.target === CompareTarget.create && createRevision === undefined) return undefined;
  if (compare.target === CompareTarget.mod && modRevision === undefined) return undefined;
  const known = { modRevision: modRevision ?? 0, createRevision: createRevision ?? 0 };
  return pairHolds(compare, { ...state, ...known });
}
