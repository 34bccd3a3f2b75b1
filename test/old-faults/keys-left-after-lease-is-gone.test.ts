/** Old fault: a lease is gone and keys that were attached to it stay, with nobody to delete them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEtcdError } from '../../src/api/index.js';
import type { Kvorum } from '../../src/embed/index.js';
import { LOCAL_CALL } from '../../src/embed/local-call.js';
import { Cluster } from './support/cluster.js';
import { eventually } from './support/eventually.js';
import { onDisk } from './support/on-disk.js';
import { lagUntilSnapshot } from './support/snapshot.js';
import { SwiftClock } from './support/swift-clock.js';

/** Every key with a lease has one that exists, which knows it; and no lease knows other keys. */
async function assertNoOrphans({ services, member }: Kvorum): Promise<void> {
  const range = await services.kv.range(everything(), LOCAL_CALL);
  const attached = new Map<bigint, string[]>(member.lessor.leases().map((id) => [id, []]));
  for (const { key, lease } of range.kvs) {
    if (lease === 0n) continue;
    assert.ok(attached.has(lease), `key ${key} has lost its lease ${lease}`);
    attached.get(lease)!.push(key);
  }
  for (const [id, keys] of attached) assert.deepEqual(member.lessor.keys(id), keys.sort());
}

/** Done, or refused because the lease is gone. */
async function unlessGone(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isEtcdError(error, 'leaseNotFound')) throw error;
  });
}

test('puts that race the revocation of their lease leave no key, on any member', () =>
  Cluster.run(3, async (cluster) => {
    const { stores } = cluster;
    for (let round = 0; round < 40; round++) {
      const lease = await stores[round % 3]!.grantLease(100);
      const other = await stores[0]!.grantLease(100);
      const puts = Array.from({ length: 9 }, (_, i) => {
        const taken = i % 4 === 3 ? other : lease;
        return unlessGone(stores[i % 3]!.put(`k${i % 5}`, 'v', { lease: taken }));
      });
      await Promise.all([...puts, stores[(round + 1) % 3]!.revokeLease(lease)]);
      await unlessGone(stores[0]!.revokeLease(other));
      await cluster.settle(Math.max(...stores.map(({ revision }) => revision)));
      for (const store of stores) await assertNoOrphans(store);
      assert.deepEqual(await stores[0]!.list(''), []);
    }
  }));

test('keys that were taken from a lease stay, keys that were given to it go', () =>
  Cluster.run(1, async ({ stores: [store] }) => {
    const [a, b] = [await store!.grantLease(100), await store!.grantLease(100)];
    await store!.put('from a to b', 'v', { lease: a });
    await store!.put('from a to b', 'v', { lease: b });
    await store!.put('from a to none', 'v', { lease: a });
    await store!.put('from a to none', 'v');
    await store!.put('from none to a', 'v');
    await store!.put('from none to a', 'v', { lease: a });
    await store!.put('deleted and made again', 'v', { lease: a });
    await store!.delete('deleted and made again');
    await store!.put('deleted and made again', 'v');
    await store!.revokeLease(a);
    await assertNoOrphans(store!);
    const left = (await store!.list('')).map(({ key }) => key);
    assert.deepEqual(left, ['deleted and made again', 'from a to b', 'from a to none']);
  }));

test('a lease that outlives a restart takes its keys when it expires', () =>
  onDisk(
    async (reopen) => {
      let store = await reopen();
      const lease = await store.grantLease(2);
      for (let i = 0; i < 20; i++) await store.put(`k${i}`, 'v', { lease });
      store = await reopen();
      await assertNoOrphans(store);
      assert.equal(store.member.lessor.keys(lease).length, 20);
      await eventually(() => store.member.lessor.count === 0);
      assert.deepEqual(await store.list(''), []);
    },
    { clock: new SwiftClock(10) },
  ));

test('a member that was given a snapshot deletes the keys of its leases like the others', () =>
  lagUntilSnapshot(async ({ lagging, writer, catchUp }) => {
    const lease = await writer.grantLease(100);
    await catchUp(100, async () => {
      for (let i = 0; i < 20; i++) await writer.put(`leased ${i}`, 'v', { lease });
    });
    await assertNoOrphans(lagging);
    assert.equal(lagging.member.lessor.keys(lease).length, 20);
    await lagging.revokeLease(lease);
    assert.deepEqual(await lagging.list('leased'), []);
    await assertNoOrphans(writer);
  }));

/** A range over every pair. */
function everything() {
  return {
    key: '\0',
    rangeEnd: '\0',
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
  };
}
