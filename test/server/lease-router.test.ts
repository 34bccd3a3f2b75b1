import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isEtcdError } from '../../src/api/index.js';
import { MemoryBackend } from '../../src/backend/index.js';
import { Lessor } from '../../src/lease/index.js';
import { LeaseRouter } from '../../src/server/lease-router.js';
import type { PeerNetwork } from '../../src/server/peer-network.js';
import { ManualClock } from './manual-clock.js';

const ID = 7n;

/** A member that takes itself for the leader; `catchUp` is what it learns from a quorum. */
async function staleLeader(catchUp: (lessor: Lessor, clock: ManualClock) => void) {
  const clock = new ManualClock();
  const lessor = await Lessor.open(new MemoryBackend(), { minTtlSeconds: 1 });
  lessor.promote(clock.monotonicMs(), 0);
  const router = new LeaseRouter({
    lessor,
    clock,
    network: {} as PeerNetwork,
    timeoutMs: 1000,
    memberId: 1n,
    leader: () => 1n,
    clearCheckpoint: () => Promise.resolve(),
    confirmLeadership: () => Promise.resolve(),
    catchUp: async () => catchUp(lessor, clock),
  });
  return { router, lessor, clock };
}

const notPrimary = (error: unknown) => isEtcdError(error, 'notPrimaryLessor');
const notFound = (error: unknown) => isEtcdError(error, 'leaseNotFound');

// Seed 10340 of `everything`: a leader that had been cut off and deposed denied its successor's lease.
describe('a leader that may have been deposed', () => {
  it('does not say that a lease is gone when it learns of its successor', async () => {
    const { router } = await staleLeader((lessor) => lessor.demote());
    await assert.rejects(router.renewHere(ID), notPrimary);
  });

  it('does not say what is left of a lease that it has not heard of', async () => {
    const { router } = await staleLeader((lessor) => lessor.demote());
    await assert.rejects(router.timeToLiveHere({ id: ID, keys: false }), notPrimary);
  });

  it('does not say of an expired lease that it is gone when its successor may have renewed it', async () => {
    const { router, lessor, clock } = await staleLeader((own) => own.demote());
    lessor.grant(ID, 1, clock.monotonicMs());
    clock.advance(2000);
    await assert.rejects(router.renewHere(ID), notPrimary);
  });

  it('renews what it had not yet applied', async () => {
    const { router } = await staleLeader((lessor, clock) => {
      lessor.grant(ID, 10, clock.monotonicMs());
    });
    assert.equal(await router.renewHere(ID), 10);
  });

  it('says that a lease is gone when the quorum knows of none', async () => {
    const { router } = await staleLeader(() => {});
    await assert.rejects(router.renewHere(ID), notFound);
    assert.equal((await router.timeToLiveHere({ id: ID, keys: false })).ttl, -1);
  });
});
