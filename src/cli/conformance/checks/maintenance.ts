/** Maintenance and Cluster: what operators and clients ask a member about itself. Nothing here changes it. */
import { createHash } from 'node:crypto';
import { AlarmAction, AlarmType, type HashKvResponse } from '../../../api/index.js';
import type { Check } from '../check.js';
import { ODDITIES } from '../oddities.js';
import { revisionOf, type Probe } from '../probe.js';

/** A larger keyspace is not read for the sake of a check. */
const LARGEST_SNAPSHOT_BYTES = 32 * 1024 * 1024;

function status(probe: Probe) {
  return probe.call('Status', {}, () => probe.client.maintenance.status(probe.timed()));
}

function members(probe: Probe, linearizable: boolean) {
  const request = { linearizable };
  return probe.call('MemberList', request, () =>
    probe.client.cluster.memberList(request, probe.timed()),
  );
}

function hashKv(probe: Probe, revision: number): Promise<HashKvResponse> {
  return probe.call('HashKV', { revision }, () =>
    probe.client.maintenance.hashKv({ revision }, probe.timed()),
  );
}

export const MAINTENANCE_CHECKS: readonly Check[] = [
  {
    name: 'maintenance/version',
    promise: 'Status names a version of three plain numbers, which clients parse',
    run: async (probe) => {
      const { version } = await status(probe);
      const plain = /^\d+\.\d+\.\d+$/.test(version);
      probe.that('version', plain, 'x.y.z', version);
    },
  },
  {
    name: 'maintenance/status',
    promise: 'Status knows leader, term, indexes and size',
    run: async (probe) => {
      const { leader, raftTerm, raftIndex, raftAppliedIndex, dbSize, header } = await status(probe);
      probe.that('leader', leader !== 0n, 'not 0', leader);
      probe.equal('raftTerm', raftTerm, header?.raftTerm);
      probe.that(
        'raftAppliedIndex',
        raftAppliedIndex > 0 && raftAppliedIndex <= raftIndex,
        `1 to raftIndex, which is ${raftIndex}`,
        raftAppliedIndex,
      );
      probe.that('dbSize', dbSize > 0, 'above 0', dbSize);
    },
  },
  {
    name: 'maintenance/indexes-rise',
    promise: 'a write moves raftIndex and raftAppliedIndex of Status',
    run: async (probe) => {
      const before = await status(probe);
      await probe.put('a');
      const after = await status(probe);
      probe.that(
        'raftAppliedIndex',
        after.raftAppliedIndex > before.raftAppliedIndex,
        `above ${before.raftAppliedIndex}`,
        after.raftAppliedIndex,
      );
    },
  },
  {
    name: 'maintenance/member-list',
    promise: 'MemberList has the answering member and the leader, with URLs for clients',
    run: async (probe) => {
      const { leader } = await status(probe);
      for (const linearizable of [true, false]) {
        const answer = await members(probe, linearizable);
        const ids = answer.members.map(({ id }) => id);
        probe.equal('different ids', new Set(ids).size, ids.length);
        probe.equal('the leader is among them', ids.includes(leader), true);
        const own = answer.members.find(({ id }) => id === answer.header?.memberId);
        const reachable = (own?.clientUrls.length ?? 0) > 0;
        probe.that('clientURLs of the member', reachable, 'one or more', own);
      }
    },
  },
  {
    name: 'maintenance/alarms',
    promise: 'Alarm GET lists alarms under a whole header',
    run: async (probe) => {
      const request = { action: AlarmAction.get, memberId: 0n, alarm: AlarmType.none };
      const { header } = await probe.call('Alarm', request, () =>
        probe.client.maintenance.alarm(request, probe.timed()),
      );
      const missing = { oddity: ODDITIES.alarmWithoutHeader, got: undefined };
      probe.that('header', (header?.clusterId ?? 0n) !== 0n, 'with cluster_id', header, missing);
    },
  },
  {
    name: 'maintenance/hash-kv',
    promise: 'HashKV of one revision is the same however many writes follow',
    run: async (probe) => {
      const revision = revisionOf(await probe.put('a', '1'));
      const first = await hashKv(probe, revision);
      await probe.put('a', '2');
      await probe.delete('a');
      const second = await hashKv(probe, revision);
      probe.equal(
        'hash and compact_revision',
        [second.hash, second.compactRevision],
        [first.hash, first.compactRevision],
      );
      const other = await hashKv(probe, revision + 1);
      probe.that('hash of the next revision', other.hash !== first.hash, 'another one', other.hash);
    },
  },
  {
    name: 'maintenance/hash-revision',
    promise: 'HashKV says which revision it has hashed',
    run: async (probe) => {
      const revision = revisionOf(await probe.put('a', '1'));
      const { hashRevision } = await hashKv(probe, revision);
      probe.equal('hash_revision', hashRevision, revision, {
        oddity: ODDITIES.noHashRevision,
        got: 0,
      });
    },
  },
  {
    name: 'maintenance/hash-kv-future',
    promise: 'HashKV of a future revision is refused',
    run: async (probe) => {
      const revision = revisionOf(await probe.put('a', '1'));
      await probe.refused('HashKV', hashKv(probe, revision + 1_000_000_000), 'futureRev');
    },
  },
  {
    name: 'maintenance/snapshot',
    promise: 'Snapshot sends the file in parts, then the SHA-256 of them all',
    timeoutMs: 30_000,
    run: async (probe) => {
      const { dbSize } = await status(probe);
      if (dbSize > LARGEST_SNAPSHOT_BYTES) {
        probe.notApplicable(`the keyspace is too large to read it all: ${dbSize} bytes`);
      }
      const hash = createHash('sha256');
      let last: Uint8Array | undefined;
      let bytes = 0;
      await probe.call('Snapshot', {}, async () => {
        for await (const { blob } of probe.client.maintenance.snapshot(probe.timed())) {
          if (last !== undefined) hash.update(last);
          bytes += last?.length ?? 0;
          last = blob;
        }
      });
      probe.equal('the last part', Buffer.from(last ?? []).toString('hex'), hash.digest('hex'));
      probe.that('bytes before it', bytes > 0, 'above 0', bytes);
    },
  },
];
