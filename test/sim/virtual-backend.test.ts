import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Bucket, Pair } from '../../src/backend/index.js';
import { KeyspaceImage } from '../../src/sim/keyspace-image.js';
import { VirtualBackend } from '../../src/sim/virtual-backend.js';
import { type BackendHarness, backendContract } from '../storage/backend-contract.js';
import { HeldDevice, promptDevice } from './support.js';

function harness(image: KeyspaceImage): BackendHarness {
  const backend = new VirtualBackend(
    image,
    promptDevice(),
    () => {},
    async () => {},
  );
  let isDead = false;
  return {
    backend,
    afterKill: async () => {
      isDead = true;
      backend.crash(true, (count) => count);
      return harness(image);
    },
    close: async () => {
      if (!isDead) await backend.close();
    },
  };
}

backendContract('VirtualBackend', async () => harness(new KeyspaceImage()), 100);

describe('the virtual backend in a crash', () => {
  const bytes = Buffer.from('v');
  const flush = () => new Promise<void>((resolve) => setImmediate(resolve));

  it('loses what was not committed, and unsynced commits from any point on', async () => {
    const image = new KeyspaceImage();
    const device = new HeldDevice();
    const backend = new VirtualBackend(image, device, () => {}, flush);
    for (const key of ['a', 'b']) {
      backend.put('key', key, bytes);
      void backend.commit();
      await flush();
      device.write();
      await flush();
    }
    backend.put('key', 'c', bytes);
    assert.equal(
      backend.crash(true, () => 1),
      1,
    );
    const after = image.load();
    assert.deepEqual(after.get('key', 'a'), bytes);
    assert.equal(after.get('key', 'b'), undefined);
    assert.equal(after.get('key', 'c'), undefined);
  });

  it('a durable commit covers those before it', async () => {
    const image = new KeyspaceImage();
    const device = new HeldDevice();
    const backend = new VirtualBackend(image, device, () => {}, flush);
    for (const durable of [false, true]) {
      backend.put('key', `${durable}`, bytes);
      void backend.commit({ durable });
      await flush();
      device.write();
      await flush();
    }
    assert.equal(
      backend.crash(false, () => 0),
      0,
    );
    assert.deepEqual(image.load().get('key', 'false'), bytes);
  });

  // Seed 1611 of `everything`: a lease that the snapshot did not have was there after a restart.
  it('a commit in the midst of a replacement brings nothing old back', async () => {
    const image = new KeyspaceImage();
    const device = new HeldDevice();
    const backend = new VirtualBackend(image, device, () => {}, flush);
    backend.put('lease', 'old', bytes);
    void backend.replace(snapshot());
    await flush();
    void backend.commit();
    for (let write = 0; write < 3; write++) {
      await flush();
      device.write();
    }
    const after = image.load();
    assert.deepEqual(after.get('key', 'new'), bytes);
    assert.equal(after.get('lease', 'old'), undefined);
  });

  async function* snapshot(): AsyncGenerator<readonly [Bucket, Pair]> {
    yield ['key', ['new', bytes]];
  }
});
