import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Raft, Ready } from '../../src/raft/index.js';
import { RaftDriver } from '../../src/server/raft-driver.js';
import { MemoryRaftLog } from '../../src/storage/index.js';
import { ManualClock } from './manual-clock.js';

/** One Ready that is to be written; what comes after it cannot be read. */
function raftOnABadDisk(): Raft {
  const ready: Ready = {
    number: 1,
    hardState: { term: 1, vote: 1n, commit: 0 },
    entries: [],
    snapshot: undefined,
    committedEntries: [],
    messages: [],
    messagesAfterAppend: [],
    readStates: [],
    events: [],
    mustSync: true,
  };
  let isTaken = false;
  const raft: Pick<Raft, 'hasReady' | 'ready' | 'appended'> = {
    hasReady: () => !isTaken,
    ready: () => {
      isTaken = true;
      return ready;
    },
    appended: () => {
      throw new Error('the log cannot be read');
    },
  };
  return raft as Raft;
}

describe('the driver of the core', () => {
  it('ends the member when the core fails after a write', async () => {
    const reasons: unknown[] = [];
    const driver = new RaftDriver(raftOnABadDisk(), new MemoryRaftLog(), new ManualClock(), {
      beforeTurn: () => {},
      send: () => {},
      applyEntry: () => {},
      applied: () => {},
      applyBlocked: () => false,
      installSnapshot: async () => {},
      readState: () => {},
      event: () => {},
      fatal: (reason) => reasons.push(reason),
    });
    driver.run();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(reasons.map(String), ['Error: the log cannot be read']);
  });
});
