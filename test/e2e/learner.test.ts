/**
 * A Kvorum learner in a cluster of real etcds: it joins by log or by snapshot, follows every kind of entry,
 * has the same hash at every revision, and never harms its hosts.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { etcdInstallations, skipWithoutEtcd } from './support/binaries.js';
import { HostedLearner } from './support/hosted-learner.js';
import { runHostedLearner } from './support/hosted-learner-run.js';
import { seed } from './support/random.js';

const newer = etcdInstallations.filter(({ version }) => !version.startsWith('3.4.'));
const skip = skipWithoutEtcd() || (newer.length === 0 && 'no etcd 3.5 or later');
if (skip) test('a learner in a cluster of etcds', { skip }, () => {});

for (const [i, etcd] of newer.entries()) {
  // Each version joins in the other way: the long run has both with all.
  const shortLog = i % 2 === 0;
  const way = shortLog ? 'by snapshot' : 'by log';
  describe(`etcd ${etcd.version}`, () => {
    test(`a learner joins ${way} and has the same hashes (seed ${seed})`, async (t) => {
      const report = await runHostedLearner(etcd, { seed, shortLog, seconds: 4, roundSeconds: 2 });
      t.diagnostic(report);
    });
  });
}

if (newer[0]) {
  const etcd = newer[0];
  test('an entry that a learner cannot apply ends it, and its hosts go on', async () => {
    const hosted = await HostedLearner.create(etcd, { shortLog: false });
    try {
      await hosted.join();
      assert.deepEqual(await hosted.askHash(1, false), {
        status: 400,
        body: 'mvcc: required revision is a future revision\n',
      });
      await hosted.etcdctl('role', 'add', 'reader');
      const line = /"level":"fatal".*entry \d+ .*raft log.*auth_role_add/;
      for (const again of [false, true]) {
        if (again) hosted.learner.spawn({ 'initial-cluster-state': 'existing' });
        const child = hosted.learner.process!;
        await child.until(() => child.exit !== undefined, 20_000, 'end of the learner');
        assert.equal(child.exit?.code, 1, child.describe());
        assert.equal(
          child.stderr.split('\n').filter((text) => line.test(text)).length,
          1,
          child.describe(),
        );
      }
      await hosted.hosts.clients[0]!.put('after', '1');
    } finally {
      await hosted.stop();
    }
  });
}
