import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type AlarmMember, AlarmType } from '../../src/api/index.js';
import { type Kvorum, LocalSwitch, openMember, realClock } from '../../src/embed/index.js';
import { encodeRecord } from '../../src/mvcc/record.js';
import { recordKey } from '../../src/mvcc/revision.js';
import { eventually, peerUrlOf, startLocalCluster } from './local-cluster.js';

/** Changes the value of the record at `revision`, on this member alone. */
function spoil({ member }: Kvorum, revision: number): void {
  const pair = { key: 'a', value: 'spoiled', createRevision: 2, modRevision: revision };
  const bytes = encodeRecord({ ...pair, version: 1, lease: 0n });
  member.backend.put('key', recordKey(revision, 0), bytes);
}

const corrupt = ({ member }: Kvorum): AlarmMember[] => member.alarms.list(AlarmType.corrupt);

describe('comparing members', () => {
  it('finds the one whose state is another, and refuses what could be wrong', async () => {
    const cluster = await startLocalCluster(['a', 'b', 'c'], { corruptCheckMs: 50 });
    try {
      const leader = await cluster.leader();
      const revision = await leader.put('a', 'right');
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.deepEqual(corrupt(leader), []);

      const wrong = await cluster.follower();
      await eventually(() => wrong.revision === revision);
      spoil(wrong, revision);
      const [alarm] = await eventually(() => corrupt(leader).length > 0 && corrupt(leader));
      assert.equal(alarm!.memberId, wrong.member.memberId);
      await assert.rejects(leader.put('b', 'c'), { message: 'etcdserver: corrupt cluster' });
    } finally {
      await cluster.close();
    }
  });

  it('finds after a compaction who is not of the majority, be it the leader', async () => {
    const cluster = await startLocalCluster(['a', 'b', 'c'], { compactHashCheckMs: 50 });
    try {
      const leader = await cluster.leader();
      const revision = await leader.put('a', 'right');
      await eventually(() => cluster.stores.every((store) => store.revision === revision));
      spoil(leader, revision);
      await leader.compact(revision);
      const [alarm] = await eventually(() => corrupt(leader).length > 0 && corrupt(leader));
      assert.equal(alarm!.memberId, leader.member.memberId);
    } finally {
      await cluster.close();
    }
  });

  it('before a restart: what differs from its peers does not start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kvorum-corrupt-'));
    const network = new LocalSwitch(realClock);
    const names = ['a', 'b', 'c'];
    const initialCluster = names.map((name) => ({ name, peerUrls: [peerUrlOf(name)] }));
    const start = (name: string): Promise<Kvorum> =>
      openMember({
        dataDir: join(folder, name),
        name,
        heartbeatMs: 10,
        electionMs: 100,
        peerUrls: [peerUrlOf(name)],
        initialCluster,
        network: network.connect([peerUrlOf(name)]),
        initialCorruptCheck: true,
      });
    const stores = await Promise.all(names.map(start));
    try {
      await Promise.all(stores.map(({ member }) => member.ready));
      const revision = await stores[0]!.put('a', 'right');
      await eventually(() => stores.every((store) => store.revision === revision));

      await stores[2]!.close();
      stores[2] = await start('c');
      await eventually(() => stores[2]!.revision === revision);

      spoil(stores[2], revision);
      await stores[2].close();
      await assert.rejects(start('c'), {
        message: /^[0-9a-f]+ found data inconsistency with peers$/,
      });
    } finally {
      await Promise.all(stores.map((store) => store.close()));
      rmSync(folder, { recursive: true });
    }
  });
});
