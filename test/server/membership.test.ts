import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Member } from '../../src/api/index.js';
import { MemoryBackend } from '../../src/backend/index.js';
import { latin1FromBytes } from '../../src/bytes/index.js';
import { Membership } from '../../src/server/membership.js';

function member(id: bigint, more: Partial<Member> = {}): Member {
  const peerUrls = [`http://10.0.0.${id}:2380`];
  return { id, name: '', peerUrls, clientUrls: [], isLearner: false, ...more };
}

function setUp(maxLearners = 1) {
  const backend = new MemoryBackend();
  const membership = new Membership(backend, maxLearners);
  membership.apply({ kind: 'add', member: member(1n) });
  membership.apply({ kind: 'add', member: member(2n) });
  return { backend, membership };
}

const nameOf = (error: { name: string } | undefined) => error?.name;

test('a member that exists, or whose url is taken, cannot be added', () => {
  const { membership } = setUp();
  assert.equal(nameOf(membership.refusal({ kind: 'add', member: member(1n) })), 'memberExist');
  const sameUrl = member(9n, { peerUrls: member(2n).peerUrls });
  assert.equal(nameOf(membership.refusal({ kind: 'add', member: sameUrl })), 'peerURLExist');
  assert.equal(membership.refusal({ kind: 'add', member: member(3n) }), undefined);
});

test('a removed id never returns', () => {
  const { membership } = setUp();
  membership.apply({ kind: 'remove', id: 2n });
  assert.ok(membership.isRemoved(2n));
  assert.equal(nameOf(membership.refusal({ kind: 'add', member: member(2n) })), 'memberNotFound');
  assert.equal(nameOf(membership.refusal({ kind: 'remove', id: 2n })), 'memberNotFound');
});

test('there are at most maxLearners learners', () => {
  const { membership } = setUp(1);
  membership.apply({ kind: 'add', member: member(3n, { isLearner: true }) });
  const second = member(4n, { isLearner: true });
  assert.equal(nameOf(membership.refusal({ kind: 'add', member: second })), 'tooManyLearners');
});

test('only a learner can be promoted', () => {
  const { membership } = setUp();
  assert.equal(nameOf(membership.refusal({ kind: 'promote', id: 1n })), 'memberNotLearner');
  membership.apply({ kind: 'add', member: member(3n, { isLearner: true }) });
  assert.equal(membership.refusal({ kind: 'promote', id: 3n }), undefined);
  membership.apply({ kind: 'promote', id: 3n });
  assert.equal(membership.get(3n)?.isLearner, false);
});

test('an update may keep its own urls but not take those of others', () => {
  const { membership } = setUp();
  const own = { kind: 'update', id: 1n, peerUrls: member(1n).peerUrls } as const;
  assert.equal(membership.refusal(own), undefined);
  const others = { kind: 'update', id: 1n, peerUrls: member(2n).peerUrls } as const;
  assert.equal(nameOf(membership.refusal(others)), 'peerURLExist');
});

test('an update keeps name, client urls and learner mark', () => {
  const { membership } = setUp();
  membership.apply({ kind: 'add', member: member(3n, { isLearner: true }) });
  membership.setAttributes(3n, 'c', ['http://10.0.0.3:2379']);
  membership.apply({ kind: 'update', id: 3n, peerUrls: ['http://10.0.1.3:2380'] });
  assert.deepEqual(membership.get(3n), {
    id: 3n,
    name: 'c',
    peerUrls: ['http://10.0.1.3:2380'],
    clientUrls: ['http://10.0.0.3:2379'],
    isLearner: true,
  });
});

test('what was applied is there after a reload, in the form that etcd writes', async () => {
  const { backend, membership } = setUp();
  membership.setAttributes(1n, 'a', ['http://10.0.0.1:2379']);
  membership.apply({ kind: 'remove', id: 2n });
  membership.setClusterVersion('3.6.0');
  const reloaded = new Membership(backend, 1);
  await reloaded.load();
  assert.deepEqual(reloaded.list(), membership.list());
  assert.deepEqual(reloaded.removedIds(), [2n]);
  assert.equal(reloaded.clusterVersion, '3.6.0');
  assert.equal(
    latin1FromBytes(backend.get('members', '1')!),
    '{"id":1,"peerURLs":["http://10.0.0.1:2380"],"name":"a","clientURLs":["http://10.0.0.1:2379"]}',
  );
});
