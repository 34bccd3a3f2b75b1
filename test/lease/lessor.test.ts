import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EtcdErrorName, isEtcdError } from '../../src/api/index.js';
import { type Backend, MemoryBackend, leaseKey } from '../../src/backend/index.js';
import { Lessor, type LessorOptions } from '../../src/lease/index.js';

async function open(options: Partial<LessorOptions> = {}, backend: Backend = new MemoryBackend()) {
  return { backend, lessor: await Lessor.open(backend, { minTtlSeconds: 2, ...options }) };
}

async function primary(options: Partial<LessorOptions> = {}) {
  const made = await open(options);
  made.lessor.promote(0, 0);
  return made;
}

function refuses(action: () => unknown, name: EtcdErrorName): void {
  assert.throws(action, (error) => isEtcdError(error, name));
}

describe('grant', () => {
  it('raises a TTL below the minimum, zero and negative too', async () => {
    const { lessor } = await open();
    assert.deepEqual(lessor.grant(1n, 1, 0), { id: 1n, ttlSeconds: 2 });
    assert.deepEqual(lessor.grant(2n, 0, 0), { id: 2n, ttlSeconds: 2 });
    assert.deepEqual(lessor.grant(3n, -5n, 0), { id: 3n, ttlSeconds: 2 });
    assert.deepEqual(lessor.grant(-4n, 3, 0), { id: -4n, ttlSeconds: 3 });
    assert.deepEqual(lessor.grant(5n, -(1n << 63n), 0), { id: 5n, ttlSeconds: 2 });
    assert.equal(lessor.count, 5);
  });

  it('refuses id 0, a known id and a TTL past etcd’s limit, and changes nothing', async () => {
    const { lessor, backend } = await open();
    lessor.grant(1n, 10, 0);
    refuses(() => lessor.grant(0n, 10, 0), 'leaseNotFound');
    refuses(() => lessor.grant(1n, 20, 0), 'leaseExist');
    refuses(() => lessor.grant(2n, 9_000_000_001, 0), 'leaseTTLTooLarge');
    refuses(() => lessor.grant(2n, (1n << 63n) - 1n, 0), 'leaseTTLTooLarge');
    assert.equal(lessor.count, 1);
    assert.equal(lessor.timeToLive(1n, 0).grantedTtl, 10);
    assert.equal(backend.get('lease', leaseKey(2n)), undefined);
    assert.equal(lessor.grant(2n, 9_000_000_000, 0).ttlSeconds, 9_000_000_000);
  });

  it('is kept in bucket lease under the id, big endian', async () => {
    const { lessor, backend } = await open();
    lessor.grant(-2n, 60, 0);
    const record = backend.get('lease', '\xff\xff\xff\xff\xff\xff\xff\xfe');
    assert.deepEqual([...record!].slice(-2), [0x10, 60]);
  });
});

describe('revoke', () => {
  it('gives the keys in byte order and forgets the lease', async () => {
    const { lessor, backend } = await primary();
    lessor.grant(1n, 10, 0);
    for (const key of ['b', '\xff', 'a', 'a\x00', 'gone']) lessor.attach(1n, key);
    lessor.detach(1n, 'gone');
    assert.deepEqual(lessor.revoke(1n), ['a', 'a\x00', 'b', '\xff']);
    assert.equal(lessor.has(1n), false);
    assert.equal(lessor.nextExpiryMs(), undefined);
    assert.equal(backend.get('lease', leaseKey(1n)), undefined);
    lessor.detach(1n, 'a');
    assert.deepEqual(lessor.keys(1n), []);
  });

  it('refuses an unknown lease', async () => {
    const { lessor } = await open();
    refuses(() => lessor.revoke(1n), 'leaseNotFound');
  });
});

describe('renew', () => {
  it('gives the whole TTL again, at the primary only', async () => {
    const { lessor } = await open();
    lessor.grant(1n, 10, 0);
    refuses(() => lessor.renew(1n, 0), 'notPrimaryLessor');
    lessor.promote(0, 0);
    assert.equal(lessor.renew(1n, 9000), 10);
    assert.deepEqual(lessor.expired(18_999, 10), []);
    assert.deepEqual(lessor.expired(19_000, 10), [1n]);
    refuses(() => lessor.renew(2n, 0), 'leaseNotFound');
  });

  it('does not bring back a lease that has expired, revoked yet or not', async () => {
    const { lessor } = await primary();
    lessor.grant(1n, 10, 0);
    refuses(() => lessor.renew(1n, 10_000), 'leaseNotFound');
    assert.deepEqual(lessor.expired(10_000, 10), [1n]);
    refuses(() => lessor.renew(1n, 10_000), 'leaseNotFound');
  });
});

describe('timeToLive', () => {
  it('cuts to whole seconds and never goes below zero', async () => {
    const { lessor } = await primary();
    lessor.grant(1n, 10, 500);
    lessor.attach(1n, 'k');
    const remaining = (nowMs: number) => lessor.timeToLive(1n, nowMs).remainingSeconds;
    assert.deepEqual([500, 501, 9500, 9501, 10_500, 99_999].map(remaining), [10, 9, 1, 0, 0, 0]);
    assert.deepEqual(lessor.timeToLive(1n, 500).keys, ['k']);
  });

  it('says -1 for an unknown lease, and the granted TTL where time is not counted', async () => {
    const { lessor } = await open();
    assert.deepEqual(lessor.timeToLive(1n, 0), { grantedTtl: 0, remainingSeconds: -1, keys: [] });
    lessor.grant(1n, 10, 0);
    assert.equal(lessor.timeToLive(1n, 99_999).remainingSeconds, 10);
  });
});

describe('leases', () => {
  it('are ordered by remaining time at the primary', async () => {
    const { lessor } = await open();
    lessor.grant(1n, 30, 0);
    lessor.grant(2n, 10, 0);
    lessor.grant(-3n, 20, 0);
    assert.deepEqual(lessor.leases(), [-3n, 1n, 2n]);
    lessor.promote(0, 0);
    assert.deepEqual(lessor.leases(), [2n, -3n, 1n]);
    lessor.renew(2n, 9999);
    assert.deepEqual(lessor.leases(), [2n, -3n, 1n]);
    lessor.renew(2n, 9999.5);
    lessor.renew(-3n, 15_000);
    assert.deepEqual(lessor.leases(), [2n, 1n, -3n]);
    lessor.demote();
    assert.deepEqual(lessor.leases(), [-3n, 1n, 2n]);
  });
});

describe('expired', () => {
  it('has nothing unless primary', async () => {
    const { lessor } = await open();
    lessor.grant(1n, 2, 0);
    assert.deepEqual(lessor.expired(1e12, 10), []);
    assert.equal(lessor.nextExpiryMs(), undefined);
  });

  it('gives the first ones first, up to a limit, and again only after the retry time', async () => {
    const { lessor } = await primary({ retryAfterMs: 1000 });
    lessor.grant(1n, 4, 0);
    lessor.grant(2n, 2, 0);
    lessor.grant(3n, 3, 0);
    assert.equal(lessor.nextExpiryMs(), 2000);
    assert.deepEqual(lessor.expired(5000, 2), [2n, 3n]);
    assert.deepEqual(lessor.expired(5000, 2), [1n]);
    assert.deepEqual(lessor.expired(5999, 10), []);
    assert.equal(lessor.nextExpiryMs(), 6000);
    lessor.revoke(3n);
    assert.deepEqual(new Set(lessor.expired(6000, 10)), new Set([1n, 2n]));
  });

  it('knows the next expiry although renewals are not sorted in at once', async () => {
    const { lessor } = await primary();
    lessor.grant(1n, 10, 0);
    lessor.grant(2n, 12, 0);
    lessor.renew(1n, 5000);
    assert.equal(lessor.nextExpiryMs(), 12_000);
  });
});

describe('a new primary', () => {
  it('starts every lease over, with the extension', async () => {
    const { lessor } = await open();
    lessor.grant(1n, 10, 0);
    lessor.promote(1_000_000, 1500);
    assert.equal(lessor.isPrimary, true);
    assert.equal(lessor.nextExpiryMs(), 1_011_500);
    lessor.demote();
    assert.equal(lessor.isPrimary, false);
    assert.equal(lessor.nextExpiryMs(), undefined);
    assert.deepEqual(lessor.expired(1e12, 10), []);
    lessor.promote(2_000_000, 0);
    assert.equal(lessor.nextExpiryMs(), 2_010_000);
  });

  it('lets no more than 750 expire in a second, and none early', async () => {
    const { lessor } = await open({ retryAfterMs: 1e9 });
    for (let id = 1n; id <= 3000n; id++) lessor.grant(id, 10, 0);
    lessor.promote(0, 0);
    assert.equal(lessor.expired(9_999, 5000).length, 0);
    for (const nowMs of [10_000, 11_000, 12_000, 13_000]) {
      assert.equal(lessor.expired(nowMs, 5000).length, 750);
    }
  });

  it('takes back what a checkpoint said until it is cleared', async () => {
    const { lessor } = await open();
    lessor.grant(1n, 3600, 0);
    lessor.checkpoint([
      { id: 1n, remainingTtl: 100 },
      { id: 2n, remainingTtl: 5 },
    ]);
    assert.equal(lessor.hasCheckpoint(1n), true);
    lessor.promote(0, 500);
    assert.equal(lessor.nextExpiryMs(), 100_500);
    lessor.checkpoint([{ id: 1n, remainingTtl: 0 }]);
    assert.equal(lessor.hasCheckpoint(1n), false);
    assert.equal(lessor.renew(1n, 1000), 3600);
    assert.equal(lessor.nextExpiryMs(), 3_601_000);
  });
});

describe('checkpoints', () => {
  const minutes = 60_000;

  it('are due at each interval while more than one is left', async () => {
    const { lessor } = await primary({ checkpointIntervalMs: 5 * minutes });
    lessor.grant(1n, 12 * 60, 0);
    lessor.grant(2n, 5 * 60, 0);
    assert.deepEqual(lessor.dueCheckpoints(5 * minutes - 1, 10), []);
    assert.deepEqual(lessor.dueCheckpoints(5 * minutes, 10), [{ id: 1n, remainingTtl: 420 }]);
    assert.deepEqual(lessor.dueCheckpoints(5 * minutes, 10), []);
    assert.deepEqual(lessor.dueCheckpoints(10 * minutes, 10), [{ id: 1n, remainingTtl: 120 }]);
    assert.deepEqual(lessor.dueCheckpoints(20 * minutes, 10), []);
  });

  it('come up to a limit, not after a renewal or revocation, and are off unless asked for', async () => {
    const { lessor } = await primary({ checkpointIntervalMs: 5 * minutes });
    for (let id = 1n; id <= 5n; id++) lessor.grant(id, 3600, 0);
    lessor.renew(1n, minutes);
    lessor.revoke(2n);
    assert.equal(lessor.dueCheckpoints(5 * minutes, 2).length, 2);
    assert.equal(lessor.dueCheckpoints(5 * minutes, 2).length, 1);
    assert.deepEqual(
      lessor.dueCheckpoints(6 * minutes, 9).map(({ id }) => id),
      [1n],
    );
    lessor.demote();
    assert.deepEqual(lessor.dueCheckpoints(60 * minutes, 9), []);
    const off = await primary();
    off.lessor.grant(1n, 3600, 0);
    assert.deepEqual(off.lessor.dueCheckpoints(59 * minutes, 9), []);
  });
});

describe('open and reload', () => {
  it('read all leases back, with checkpoints and without keys', async () => {
    const { lessor, backend } = await open();
    for (let id = -1500n; id <= 1500n; id++) if (id !== 0n) lessor.grant(id, 100, 0);
    lessor.checkpoint([{ id: 7n, remainingTtl: 33 }]);
    lessor.attach(7n, 'k');
    lessor.revoke(8n);
    const again = await open({}, backend);
    assert.equal(again.lessor.count, 2999);
    assert.deepEqual(again.lessor.leases(), lessor.leases());
    assert.equal(again.lessor.hasCheckpoint(7n), true);
    assert.deepEqual(again.lessor.keys(7n), []);
    lessor.promote(0, 0);
    await lessor.reload();
    assert.equal(lessor.isPrimary, false);
    assert.deepEqual(lessor.keys(7n), []);
    assert.equal(lessor.count, 2999);
  });

  it('stop at a record that is not one', async () => {
    const backend = new MemoryBackend();
    backend.put('lease', leaseKey(1n), Uint8Array.of(0x08, 0x02));
    await assert.rejects(open({}, backend), /lease 1 has a malformed record/);
  });
});
