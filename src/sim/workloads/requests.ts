/** Requests with everything left out that a client would leave out. */
import {
  CompareResult,
  CompareTarget,
  type Compare,
  type DeleteRangeRequest,
  type PutRequest,
  type RangeRequest,
  type TxnRequest,
  type WatchCreateRequest,
} from '../../api/index.js';

export function putRequest(
  key: string,
  value: string,
  fields: Partial<PutRequest> = {},
): PutRequest {
  return {
    key,
    value,
    lease: 0n,
    prevKv: false,
    ignoreValue: false,
    ignoreLease: false,
    ...fields,
  };
}

export function rangeRequest(key: string, fields: Partial<RangeRequest> = {}): RangeRequest {
  return {
    key,
    rangeEnd: '',
    limit: 0,
    revision: 0,
    sortOrder: 0,
    sortTarget: 0,
    serializable: false,
    keysOnly: false,
    countOnly: false,
    minModRevision: 0,
    maxModRevision: 0,
    minCreateRevision: 0,
    maxCreateRevision: 0,
    ...fields,
  };
}

export function deleteRequest(
  key: string,
  fields: Partial<DeleteRangeRequest> = {},
): DeleteRangeRequest {
  return { key, rangeEnd: '', prevKv: false, ...fields };
}

export function txnRequest(fields: Partial<TxnRequest>): TxnRequest {
  return { compare: [], success: [], failure: [], ...fields };
}

export function watchRequest(
  key: string,
  fields: Partial<WatchCreateRequest> = {},
): WatchCreateRequest {
  return {
    key,
    rangeEnd: '',
    startRevision: 0,
    progressNotify: false,
    filters: [],
    prevKv: false,
    watchId: 0n,
    fragment: false,
    ...fields,
  };
}

/** Holds while `key` was last changed at `revision`; 0 for a key that is not there. */
export function modRevisionIs(key: string, revision: number): Compare {
  return {
    result: CompareResult.equal,
    target: CompareTarget.mod,
    key,
    rangeEnd: '',
    operand: { kind: 'mod', value: revision },
  };
}

/** Holds while `key` has `value`; never for a key that is not there. */
export function valueIs(key: string, value: string): Compare {
  return {
    result: CompareResult.equal,
    target: CompareTarget.value,
    key,
    rangeEnd: '',
    operand: { kind: 'value', value },
  };
}

/** Holds while `key` has had `version` changes since its creation; 0 for a key that is not there. */
export function versionIs(key: string, version: number): Compare {
  return {
    result: CompareResult.equal,
    target: CompareTarget.version,
    key,
    rangeEnd: '',
    operand: { kind: 'version', value: version },
  };
}

/** The end of the range of all keys that begin with `prefix`; '\0' (no end) if there is none. */
export function prefixEnd(prefix: string): string {
  const tail = /\xff*$/.exec(prefix)![0].length;
  const kept = prefix.slice(0, prefix.length - tail);
  if (kept === '') return '\0';
  const last = kept.length - 1;
  return kept.slice(0, last) + String.fromCharCode(kept.charCodeAt(last) + 1);
}
