/** Compares: the guards of a transaction. */
import {
  CompareResult,
  CompareTarget,
  compareInt64,
  type Compare,
  type Int64,
  type KeyValue,
} from '../api/index.js';
import type { KeyIndex } from './key-index.js';
import { endOfRange } from './key-range.js';
import type { Keyspace } from './keyspace.js';

/**
 * Does `compare` hold now? Over a range every key must satisfy it. A missing key (or an empty range)
 * compares as zeros, except by value, which then never holds.
 */
export function holds(keyspace: Keyspace, compare: Compare): boolean {
  let found = 0;
  let satisfied = true;
  const check = (index: KeyIndex): boolean => {
    if (!index.alive) return true;
    found++;
    satisfied = holdsFor(keyspace, compare, index);
    return satisfied;
  };
  if (compare.rangeEnd === '') {
    const index = keyspace.tree.get(compare.key);
    if (index !== undefined) check(index);
  } else {
    keyspace.tree.ascend(compare.key, endOfRange(compare.key, compare.rangeEnd), check);
  }
  return found > 0 ? satisfied : holdsForMissing(compare);
}

function holdsFor(keyspace: Keyspace, compare: Compare, index: KeyIndex): boolean {
  if (compare.target === CompareTarget.value) {
    const value = keyspace.newestValue(index);
    const operand = compare.operand?.kind === 'value' ? compare.operand.value : '';
    return isResult(compare.result, value < operand ? -1 : value > operand ? 1 : 0);
  }
  return isResult(compare.result, compareNumbers(compare, index));
}

function holdsForMissing(compare: Compare): boolean {
  if (compare.target === CompareTarget.value) return false;
  return isResult(compare.result, compareNumbers(compare, missing));
}

const missing = { version: 0, createRevision: 0, modRevision: 0, lease: 0n };

type Numbers = Pick<KeyValue, 'version' | 'createRevision' | 'modRevision' | 'lease'>;

function compareNumbers(compare: Compare, pair: Numbers): number {
  switch (compare.target) {
    case CompareTarget.version:
      return compareInt64(pair.version, operandOf(compare, 'version'));
    case CompareTarget.create:
      return compareInt64(pair.createRevision, operandOf(compare, 'create'));
    case CompareTarget.mod:
      return compareInt64(pair.modRevision, operandOf(compare, 'mod'));
    case CompareTarget.lease:
      return compareInt64(pair.lease, operandOf(compare, 'lease'));
    default:
      return 0;
  }
}

/** The operand if it is of the kind that the target reads, else zero: as etcd reads its oneof. */
function operandOf(compare: Compare, kind: 'version' | 'create' | 'mod' | 'lease'): Int64 {
  const { operand } = compare;
  return operand?.kind === kind ? operand.value : 0;
}

function isResult(result: number, order: number): boolean {
  switch (result) {
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
