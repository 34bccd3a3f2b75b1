/** Ids and numbers of 64 bits come out of every format digit by digit. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { ResponseHeader } from '../../../src/api/index.js';
import type { Result } from '../../../src/cli/output.js';
import { leaseId } from '../../../src/cli/printers/lease-id.js';
import { printerFor } from '../../../src/cli/printers/index.js';

const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((id) => id !== 0n),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, -1n),
);
const uint64 = fc.oneof(
  fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
  fc.constantFrom(2n ** 64n - 1n, 2n ** 63n, 2n ** 53n + 1n),
);

function headerOf(id: bigint): ResponseHeader {
  return { clusterId: id, memberId: id, revision: 1, raftTerm: 1 };
}

function holdsFor(id: fc.Arbitrary<bigint>, check: (id: bigint) => void): void {
  fc.assert(fc.property(id, check), { numRuns: 200 });
}

/** What `format` prints; members' ids are not what is looked for. */
function print(format: string, result: Result): string {
  return printerFor(format)(result, false);
}

describe('lease ids', () => {
  const answers: Record<string, (id: bigint) => Result> = {
    leaseGrant: (id) => ({ kind: 'leaseGrant', response: { id, ttl: 1, error: '' } }),
    leaseKeepAlive: (id) => ({ kind: 'leaseKeepAlive', response: { id, ttl: 1 } }),
    leaseList: (id) => ({ kind: 'leaseList', response: { leases: [{ id }] } }),
    leaseTimeToLive: (id) => ({
      kind: 'leaseTimeToLive',
      response: { id, ttl: 1, grantedTtl: 1, keys: [] },
      keys: false,
    }),
  };
  for (const [name, answer] of Object.entries(answers)) {
    test(name, () =>
      holdsFor(int64, (id) => {
        assert.match(print('json', answer(id)), new RegExp(`"(ID|id)":${id}[,}]`));
        assert.match(print('fields', answer(id)), new RegExp(`"ID" : ${id}\n`));
        assert.match(print('simple', answer(id)), new RegExp(`(^|\\s)${leaseId(id)}\\b`));
      }),
    );
  }

  test('in hex they are read back as the same id', () =>
    holdsFor(int64, (id) => {
      const text = leaseId(id);
      const magnitude = BigInt(`0x${text.replace('-', '')}`);
      assert.equal(text.startsWith('-') ? -magnitude : magnitude, id);
    }));

  test('of a pair', () =>
    holdsFor(int64, (lease) => {
      const kv = { key: 'k', value: '', createRevision: 2, modRevision: 2, version: 1, lease };
      const response = { kvs: [kv], more: false, count: 1 };
      const result: Result = { kind: 'get', response, valueOnly: false };
      assert.ok(print('json', result).includes(`"lease":${lease}}`));
      assert.ok(print('fields', result).includes(`"Lease" : ${lease}\n`));
    }));
});

describe('ids of clusters and members', () => {
  test('of a header', () =>
    holdsFor(uint64, (id) => {
      const result: Result = { kind: 'put', response: { header: headerOf(id) } };
      assert.ok(print('json', result).includes(`"cluster_id":${id},"member_id":${id},`));
      assert.ok(print('fields', result).includes(`"ClusterID" : ${id}\n"MemberID" : ${id}\n`));
    }));

  test('of a member list', () =>
    holdsFor(uint64, (id) => {
      const member = { id, name: 'm', peerUrls: [], clientUrls: [], isLearner: false };
      const result: Result = {
        kind: 'memberList',
        response: { header: headerOf(1n), members: [member] },
      };
      assert.ok(print('json', result).includes(`"ID":${id},`));
      assert.ok(print('fields', result).includes(`"ID" : ${id}\n`));
      assert.ok(print('simple', result).startsWith(`${id.toString(16)}, `));
      assert.ok(print('table', result).includes(` ${id.toString(16)} `));
    }));

  test('of an alarm', () =>
    holdsFor(uint64, (memberId) => {
      const response = { header: headerOf(1n), alarms: [{ memberId, alarm: 1 }] };
      const result: Result = { kind: 'alarms', response };
      assert.ok(print('json', result).includes(`"memberID":${memberId},`));
      assert.ok(print('fields', result).includes(`"MemberID" : ${memberId}\n`));
      assert.ok(print('simple', result).startsWith(`memberID:${memberId} `));
    }));
});
