import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeLease, encodeLease, makeLease, restartSeconds } from '../../src/lease/lease.js';

const hex = (bytes: Uint8Array) =>
  Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');

describe('a lease record', () => {
  it('is etcd’s message: int64 fields, zeros left out', () => {
    assert.equal(hex(encodeLease(makeLease(1n, 60))), '0801103c');
    assert.equal(hex(encodeLease(makeLease(300n, 2, 1))), '08ac0210021801');
    assert.equal(
      hex(encodeLease(makeLease(-1n, 9_000_000_000))),
      '08ffffffffffffffffff01' + '1080b4c4c321',
    );
  });

  it('comes back as it was', () =>
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
        fc.integer({ min: 1, max: 9_000_000_000 }),
        fc.integer({ min: 0, max: 9_000_000_000 }),
        (id, ttlSeconds, checkpointedSeconds) => {
          const lease = makeLease(id, ttlSeconds, checkpointedSeconds);
          assert.deepEqual(decodeLease(encodeLease(lease)), lease);
        },
      ),
    ));

  it('that is malformed is not taken for a lease', () => {
    for (const bytes of [[0x08], [0x08, 0x80], [0x0a, 0x01, 0x61], [0x80]]) {
      assert.equal(decodeLease(Uint8Array.from(bytes)), undefined);
    }
  });

  it('restarts with what a checkpoint left, else with the TTL', () => {
    assert.equal(restartSeconds(makeLease(1n, 60)), 60);
    assert.equal(restartSeconds(makeLease(1n, 60, 7)), 7);
  });
});
