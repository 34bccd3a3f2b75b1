import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hexId } from '../../src/bytes/index.js';
import { SeededRandom } from '../../src/raft/index.js';
import { RequestIds, clusterIdOf, memberIdOf } from '../../src/server/ids.js';

test('member and cluster ids of a lone founder are those that etcd 3.4.23 computed', () => {
  const id = memberIdOf(['http://127.0.0.1:24800'], 'etcd-cluster');
  assert.equal(hexId(id), '886b03c4ae679a15');
  assert.equal(hexId(clusterIdOf([id])), '263de8252887371c');
});

test('ids of three founders with a token are those that etcd 3.5.16 computed', () => {
  const ids = [24801, 24802, 24803].map((port) => memberIdOf([`http://127.0.0.1:${port}`], 't35'));
  assert.equal(hexId(ids[0]!), '4fdfe4dbbd68eaaf');
  assert.equal(hexId(clusterIdOf(ids)), 'f4dd9ba1e7e66b6c');
  assert.equal(clusterIdOf([...ids].reverse()), clusterIdOf(ids));
});

test('the order of peer urls does not matter to a member id', () => {
  const urls = ['http://10.0.0.2:2380', 'http://10.0.0.1:2380'];
  assert.equal(memberIdOf(urls, 't'), memberIdOf([...urls].reverse(), 't'));
});

test('request ids begin with the member and never repeat, also across a restart', () => {
  const random = new SeededRandom(1);
  const seen = new Set<bigint>();
  for (let start = 0; start < 20; start++) {
    const ids = new RequestIds(0xabcdefn, random);
    for (let i = 0; i < 1000; i++) seen.add(ids.next());
  }
  assert.equal(seen.size, 20_000);
  for (const id of seen) assert.equal(id >> 48n, 0xcdefn);
});

test('request ids go on at the end of their range', () => {
  const ids = new RequestIds(1n, { uint32: () => 2 ** 32 - 1 });
  assert.equal(ids.next(), 1n << 48n);
});

test('lease ids are positive int64', () => {
  const ids = new RequestIds(0xffffn, new SeededRandom(1));
  for (let i = 0; i < 100; i++) {
    const id = ids.nextLeaseId();
    assert.ok(id > 0n && id < 1n << 63n);
  }
});
