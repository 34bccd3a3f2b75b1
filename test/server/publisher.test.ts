import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InternalOp } from '../../src/api/index.js';
import { publish } from '../../src/server/publisher.js';
import { ManualClock } from './manual-clock.js';

const member = {
  memberId: 0xabcn,
  clusterId: 1n,
  name: 'm1',
  clientUrls: ['http://127.0.0.1:2379'],
  timeoutMs: 7000,
  logger: () => {},
  isStopped: () => false,
};

async function publishedIn(versions: (string | undefined)[]): Promise<InternalOp[]> {
  const clock = new ManualClock();
  const proposed: InternalOp[] = [];
  const done = publish({
    ...member,
    clock,
    clusterVersion: () => (versions.length > 1 ? versions.shift() : versions[0]),
    propose: (op) => Promise.resolve(proposed.push(op)),
  });
  for (let i = 0; i < 5; i++) {
    clock.advance(100);
    await Promise.resolve();
  }
  await done;
  return proposed;
}

test('members of 3.5 and later are told in the newer form', async () => {
  const { memberId, name, clientUrls } = member;
  const op = { kind: 'clusterMemberAttrSet', memberId, name, clientUrls };
  assert.deepEqual(await publishedIn(['3.5.0']), [op]);
  assert.deepEqual(await publishedIn([undefined, undefined, '3.6.0']), [op]);
});

test('members of 3.4, which would end at the newer form, are told in theirs', async () => {
  const value = '{"name":"m1","clientURLs":["http://127.0.0.1:2379"]}';
  const op = { kind: 'v2', method: 'PUT', path: '/0/members/abc/attributes', value };
  assert.deepEqual(await publishedIn(['3.4.0']), [op]);
  assert.deepEqual(await publishedIn(['3.0.0']), [op]);
});
