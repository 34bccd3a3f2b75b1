import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isEtcdError,
  type EtcdErrorName,
  type RequestOp,
  type TxnRequest,
} from '../../src/api/index.js';
import { checkDelete, checkPut, checkRange, checkTxn } from '../../src/mvcc/index.js';
import { deleteRequest, putRequest, rangeRequest, txnRequest } from './support.js';

function refuses(name: EtcdErrorName, check: () => void): void {
  assert.throws(check, (error) => isEtcdError(error, name));
}

const put = (key: string): RequestOp => ({ kind: 'put', request: putRequest({ key }) });
const remove = (key: string, rangeEnd = ''): RequestOp => ({
  kind: 'deleteRange',
  request: deleteRequest({ key, rangeEnd }),
});
const txn = (success: RequestOp[], failure: RequestOp[] = []): RequestOp => ({
  kind: 'txn',
  request: txnRequest({ success, failure }),
});
const check = (request: Partial<TxnRequest>, maxTxnOps = 128) =>
  checkTxn(txnRequest(request), { maxTxnOps });

test('range: a key, and sort options that exist', () => {
  checkRange(rangeRequest({ key: 'a', sortOrder: 2, sortTarget: 4 }));
  refuses('emptyKey', () => checkRange(rangeRequest({ key: '', sortOrder: 9 })));
  refuses('invalidSortOption', () => checkRange(rangeRequest({ key: 'a', sortOrder: 3 })));
  refuses('invalidSortOption', () => checkRange(rangeRequest({ key: 'a', sortTarget: 5 })));
  refuses('invalidSortOption', () => checkRange(rangeRequest({ key: 'a', sortTarget: -1 })));
});

test('put and delete: a key; nothing given that is to be ignored', () => {
  refuses('emptyKey', () => checkPut(putRequest({ key: '' })));
  refuses('valueProvided', () => checkPut(putRequest({ ignoreValue: true, value: 'x' })));
  refuses('leaseProvided', () => checkPut(putRequest({ ignoreLease: true, lease: -1n })));
  checkPut(putRequest({ ignoreLease: true, ignoreValue: true }));
  refuses('emptyKey', () => checkDelete(deleteRequest({ key: '' })));
});

test('txn: too many operations comes before anything about them', () => {
  const three = [put('a'), put(''), put('c')];
  refuses('tooManyOps', () => check({ success: three }, 2));
  refuses('emptyKey', () => check({ success: three }, 3));
  refuses('emptyKey', () =>
    check({ failure: [{ kind: 'range', request: rangeRequest({ key: '' }) }] }),
  );
  refuses('emptyKey', () =>
    check({
      compare: [{ result: 0, target: 0, key: '', rangeEnd: '' }],
      success: [{ kind: 'none' }],
    }),
  );
  refuses('keyNotFound', () => check({ success: [{ kind: 'none' }] }));
});

test('txn: nesting shares the budget', () => {
  check({ success: [txn([put('a')])] }, 2);
  refuses('tooManyOps', () => check({ success: [txn([put('a')])] }, 1));
  refuses('tooManyOps', () => check({ success: [txn([put('a'), put('b')])] }, 2));
});

test('txn: a key once on each path', () => {
  const bad: RequestOp[][] = [
    [put('a'), put('a')],
    [put('a'), remove('a')],
    [remove('a'), put('a')],
    [remove('a', 'c'), put('b')],
    [put('a'), txn([put('a')])],
    [txn([put('a')]), txn([], [put('a')])],
    [txn([remove('a')]), txn([put('a')])],
    [txn([remove('a')]), put('a')],
    [remove('a'), txn([], [put('a')])],
    [txn([txn([put('a')])]), put('a')],
  ];
  for (const ops of bad) {
    refuses('duplicateKey', () => check({ success: ops }));
    refuses('duplicateKey', () => check({ failure: ops }));
  }
});

test('txn: what etcd lets pass', () => {
  const good: RequestOp[][] = [
    [remove('a'), remove('a', 'c'), remove('a')],
    [txn([put('a')], [put('a')])],
    [txn([put('a')]), txn([remove('a')])],
    [remove('a', 'b'), put('b')],
    [remove('a', '\0'), put('b')],
    [remove('c', 'a'), put('b')],
  ];
  for (const ops of good) check({ success: ops, failure: ops });
});

test('txn: a request full of puts and deletes costs no more than its size', () => {
  const deletes = (i: number) =>
    Array.from({ length: 60 }, (_, j) => remove(`d${i}-${j}`, `d${i}-${j}x`));
  const puts = (i: number) => Array.from({ length: 60 }, (_, j) => put(`p${i}-${j}`));
  const lists = Array.from({ length: 60 }, (_, i) => txn(deletes(i), puts(i)));
  // 7,200 operations, each put asked against each delete, would be 13 million questions.
  check({ success: lists });
});
