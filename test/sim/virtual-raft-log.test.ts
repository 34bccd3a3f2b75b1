import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LogImage } from '../../src/sim/log-image.js';
import { VirtualRaftLog } from '../../src/sim/virtual-raft-log.js';
import { type RaftLogHarness, entriesFrom, raftLogContract } from '../storage/raft-log-contract.js';
import { HeldDevice, promptDevice } from './support.js';

function harness(image: LogImage): RaftLogHarness {
  const log = new VirtualRaftLog(image, promptDevice(), () => {});
  return {
    log,
    reopen: async () => {
      await log.close();
      log.crash(true, (count) => count);
      return harness(image);
    },
    close: () => log.close(),
  };
}

raftLogContract('VirtualRaftLog', async () => harness(new LogImage()), 200);

describe('the virtual raft log in a crash', () => {
  const append = (log: VirtualRaftLog, first: number, count: number, sync: boolean) =>
    void log.append({ entries: entriesFrom(first, count, 1), sync });
  const opened = () => {
    const image = new LogImage();
    const device = new HeldDevice();
    return { image, device, log: new VirtualRaftLog(image, device, () => {}) };
  };

  it('keeps what was synced, whatever happens', () => {
    const { image, device, log } = opened();
    append(log, 1, 2, true);
    device.write();
    append(log, 3, 1, false);
    device.write();
    assert.equal(image.lastIndex, 2);
    log.crash(false, () => 0);
    assert.equal(image.lastIndex, 2);
  });

  it('keeps a prefix of what was only written', () => {
    const { image, device, log } = opened();
    for (const index of [1, 2, 3]) {
      append(log, index, 1, false);
      device.write();
    }
    assert.equal(
      log.crash(true, () => 2),
      1,
    );
    assert.equal(image.lastIndex, 2);
  });

  it('keeps what was under way only behind all that was written before', () => {
    for (const [kept, expected] of [
      [1, 2],
      [0, 0],
    ] as const) {
      const { image, device, log } = opened();
      append(log, 1, 1, false);
      device.write();
      append(log, 2, 1, true);
      log.crash(true, () => kept);
      assert.equal(image.lastIndex, expected);
    }
  });

  it('forgets what waited behind the write under way', () => {
    const { image, log } = opened();
    append(log, 1, 1, true);
    append(log, 2, 1, true);
    log.crash(true, (count) => count);
    assert.equal(image.lastIndex, 1);
  });

  it('an fsync covers the writes before it', () => {
    const { image, device, log } = opened();
    append(log, 1, 1, false);
    device.write();
    append(log, 2, 1, true);
    device.write();
    log.crash(false, () => 0);
    assert.equal(image.lastIndex, 2);
  });
});

describe('the virtual raft log on a disk that refuses', () => {
  it('refuses the write and all later ones', async () => {
    const device = promptDevice();
    const log = new VirtualRaftLog(new LogImage(), device, () => {});
    device.isFull = true;
    const refused = { name: 'StorageError', code: 'IO' };
    await assert.rejects(log.append({ entries: entriesFrom(1, 1, 1), sync: true }), refused);
    device.isFull = false;
    await assert.rejects(log.append({ entries: entriesFrom(1, 1, 1), sync: true }), refused);
    assert.equal(log.lastIndex(), 0);
  });
});
