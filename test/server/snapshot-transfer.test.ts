import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planBoltFile } from '../../src/bolt/index.js';
import { MessageType, makeMessage } from '../../src/raft/index.js';
import { boltSourceOf } from '../../src/server/snapshot-source.js';
import { startLocalCluster } from './local-cluster.js';

test('snapshots that raft has no use for leave room for those it needs', async () => {
  const cluster = await startLocalCluster(['a', 'b', 'c']);
  try {
    const { member } = await cluster.follower();
    for (let i = 1; i <= 5; i++) {
      const view = member.backend.snapshot();
      const plan = await planBoltFile(boltSourceOf(view));
      const metadata = { index: 10_000 + i, term: 1, confState: member.raft.confState };
      // Of a term that is over: raft does not even look at it.
      const message = makeMessage(MessageType.snapshot, member.leader, member.memberId, {
        term: 1,
        snapshot: { metadata, data: new Uint8Array(0) },
      });
      await member.receiveSnapshot(message, plan.write());
      await view.close();
    }
    assert.equal(member.raft.unstable.snapshot, undefined);
  } finally {
    await cluster.close();
  }
});
