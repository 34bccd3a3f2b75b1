import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Bucket, Pair } from '../../src/backend/index.js';
import { LevelBackend, type StorageError } from '../../src/storage/index.js';
import { type BackendHarness, backendContract } from './backend-contract.js';
import { TemporaryFolders } from './temporary.js';

const folders = new TemporaryFolders();
after(() => folders.remove());

async function open(folder: string): Promise<BackendHarness> {
  const backend = await LevelBackend.open(folder);
  return {
    backend,
    afterKill: () => open(folders.afterKill(folder)),
    close: () => backend.close(),
  };
}

backendContract(
  'LevelBackend',
  async () => {
    const folder = folders.fresh();
    await LevelBackend.create(folder);
    return open(folder);
  },
  20,
);

async function keysIn(folder: string): Promise<string[]> {
  const backend = await LevelBackend.open(folder);
  const pairs = await backend.scan('key', { from: '', limit: 100 });
  await backend.close();
  return pairs.map(([key]) => key);
}

describe('LevelBackend', () => {
  it('lets later commits wait and covers all of them with one', async () => {
    const folder = folders.fresh();
    await LevelBackend.create(folder);
    const backend = await LevelBackend.open(folder);
    let commits = 0;
    backend.beforeCommit(() => commits++);
    backend.put('key', 'a', Buffer.from('1'));
    const all = [backend.commit(), backend.commit(), backend.commit({ durable: true })];
    backend.put('key', 'b', Buffer.from('2'));
    all.push(backend.commit());
    await Promise.all(all);
    assert.equal(commits, 2);
    assert.equal(backend.pendingOps, 0);
    await backend.close();
  });

  it('removes what a crash in the midst of a replacement has left', async () => {
    const folder = folders.fresh();
    await LevelBackend.create(folder);
    const backend = await LevelBackend.open(folder);
    backend.put('key', 'a', Buffer.from('1'));
    await backend.close();
    writeFileSync(join(folder, '2'), 'half of the next generation');
    writeFileSync(join(folder, 'generation.tmp'), '2');
    const again = await LevelBackend.open(folder);
    assert.equal(String(again.get('key', 'a')), '1');
    assert.deepEqual(readdirSync(folder).sort(), ['1', 'generation']);
    await again.close();
  });

  it('is all old or all new when it is killed while its content is being replaced', async () => {
    const folder = folders.fresh();
    await LevelBackend.create(folder);
    const backend = await LevelBackend.open(folder);
    backend.put('key', 'old', Buffer.from('1'));
    await backend.commit();
    const killed: string[] = [];
    async function* pairs(): AsyncGenerator<readonly [Bucket, Pair]> {
      killed.push(folders.afterKill(folder));
      for (let i = 0; i < 3; i++) yield ['key', [`new ${i}`, Buffer.alloc(1 << 20)]];
      killed.push(folders.afterKill(folder));
    }
    await backend.replace(pairs());
    for (const copy of killed) assert.deepEqual(await keysIn(copy), ['old']);
    assert.deepEqual(await keysIn(folders.afterKill(folder)), ['new 0', 'new 1', 'new 2']);
    await backend.close();
  });

  it('removes the old generation only after its last reader', async () => {
    const folder = folders.fresh();
    await LevelBackend.create(folder);
    const backend = await LevelBackend.open(folder);
    const snapshot = backend.snapshot();
    async function* nothing(): AsyncGenerator<never> {}
    await backend.replace(nothing());
    assert.deepEqual(readdirSync(folder).sort(), ['1', '2', 'generation']);
    await snapshot.close();
    assert.deepEqual(readdirSync(folder).sort(), ['2', 'generation']);
    await backend.close();
  });

  it('refuses a damaged generation pointer', async () => {
    const folder = folders.fresh();
    await LevelBackend.create(folder);
    writeFileSync(join(folder, 'generation'), '2 12345678\n');
    await assert.rejects(
      LevelBackend.open(folder),
      (error: StorageError) => error.code === 'CORRUPT' && error.message.includes(folder),
    );
  });
});
