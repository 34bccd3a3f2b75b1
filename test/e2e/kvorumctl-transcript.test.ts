/**
 * kvorumctl against real etcd, compared with what the real etcdctl 3.6.16 showed: the same command
 * lines, byte for byte but for what test/e2e/support/transcript-rules.ts lists.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { etcdCommand, etcdInstallations, skipWithoutEtcd } from './support/binaries.js';
import { Member } from './support/member.js';
import {
  compareTranscripts,
  describeDifferences,
  inProcess,
  recordedTranscript,
  runTranscript,
} from './support/transcript.js';

describe('kvorumctl shows what etcdctl 3.6.16 shows', { skip: skipWithoutEtcd() }, () => {
  for (const etcd of etcdInstallations) {
    test(`on etcd ${etcd.version}`, async () => {
      const member = await Member.start({ server: etcdCommand(etcd) });
      try {
        const outcomes = await runTranscript({ play: inProcess, endpoint: member.endpoint });
        const found = compareTranscripts(recordedTranscript(), outcomes, {
          serverVersion: etcd.version,
        });
        assert.equal(found.length, 0, describeDifferences(found));
      } finally {
        await member.stop();
      }
    });
  }
});
