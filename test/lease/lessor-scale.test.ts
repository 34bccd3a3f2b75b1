/** 100,000 leases. The bounds are loose: they tell a heap from a scan of everything, not ms from ms. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryBackend } from '../../src/backend/index.js';
import { Lessor } from '../../src/lease/index.js';

const COUNT = 100_000;

function cpuMs(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('100,000 leases', () => {
  it('are granted, renewed, listed as due and revoked in reasonable time', async () => {
    const lessor = await Lessor.open(new MemoryBackend(), { minTtlSeconds: 2 });
    lessor.promote(0, 0);
    const granting = cpuMs(() => {
      for (let i = 1; i <= COUNT; i++) lessor.grant(BigInt(i), 60 + (i % 100), 0);
    });
    const renewing = cpuMs(() => {
      for (let round = 1; round <= 2; round++) {
        for (let i = 1; i <= COUNT; i++) lessor.renew(BigInt(i), round * 1000);
        assert.deepEqual(lessor.expired(round * 1000, 500), []);
      }
    });
    let expired = 0;
    const expiring = cpuMs(() => {
      for (let nowMs = 60_000; nowMs <= 170_000; nowMs += 500) {
        for (;;) {
          const ids = lessor.expired(nowMs, 500);
          for (const id of ids) lessor.revoke(id);
          expired += ids.length;
          if (ids.length < 500) break;
        }
      }
    });
    assert.equal(expired, COUNT);
    assert.equal(lessor.count, 0);
    assert.ok(granting < 5000, `granting took ${granting} ms`);
    assert.ok(renewing < 5000, `200,000 renewals took ${renewing} ms`);
    assert.ok(expiring < 5000, `expiring took ${expiring} ms`);
  });

  it('change hands in reasonable time, and their expiries are spread', async () => {
    const backend = new MemoryBackend();
    const before = await Lessor.open(backend, { minTtlSeconds: 2 });
    for (let i = 1; i <= COUNT; i++) before.grant(BigInt(i), 60, 0);
    const lessor = await Lessor.open(backend, { minTtlSeconds: 2 });
    assert.equal(lessor.count, COUNT);
    const promoting = cpuMs(() => lessor.promote(0, 1000));
    assert.ok(promoting < 5000, `promoting took ${promoting} ms`);
    assert.equal(lessor.expired(60_999, COUNT).length, 0);
    assert.equal(lessor.expired(61_000, COUNT).length, 750);
  });
});
