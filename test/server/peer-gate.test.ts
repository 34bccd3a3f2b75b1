import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PeerGate } from '../../src/server/peer-gate.js';

describe('the peer port of a member that has not started', () => {
  // Seed 1729 of `everything`: the leader had restarted, and its 404 was taken for "no such lease".
  for (const path of ['/leases', '/leases/internal', '/members/promote/1', '/members']) {
    it(`does not say of ${path} that it is not found`, async () => {
      const reply = await new PeerGate(['http://127.0.0.1:2380']).serve({ method: 'POST', path });
      assert.equal(reply?.status, 503);
    });
  }
});
