/** A Kvorum learner in a cluster of three real etcds, and what must be the same on both sides. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EtcdInstallation, etcdCommand, kvorumCommand, program } from './binaries.js';
import { run } from './child.js';
import { Client } from './client.js';
import { Cluster } from './cluster.js';
import { Member } from './member.js';
import { bucketContent } from './snapshot-content.js';
import { tempDir } from './temp-dir.js';

const settleTimeoutMs = 30_000;
/** Buckets that must be the same, byte for byte, in snapshots of both sides. */
const SAME_BUCKETS = ['lease', 'alarm', 'members_removed', 'authUsers', 'authRoles'];

/** The members watch each other's hashes as closely as they can. */
function checkingFlags({ version }: EtcdInstallation): Record<string, string> {
  if (version.startsWith('3.4.')) {
    return {
      'experimental-initial-corrupt-check': 'true',
      'experimental-corrupt-check-time': '2s',
    };
  }
  if (version.startsWith('3.5.')) {
    return {
      'experimental-initial-corrupt-check': 'true',
      'experimental-corrupt-check-time': '2s',
      'experimental-compact-hash-check-enabled': 'true',
      'experimental-compact-hash-check-time': '2s',
    };
  }
  return {
    'feature-gates': 'InitialCorruptCheck=true,CompactHashCheck=true',
    'corrupt-check-time': '2s',
    'compact-hash-check-time': '2s',
  };
}

/** The log is soon too short for a newcomer, where the version lets it be. */
function shortLogFlags({ version }: EtcdInstallation): Record<string, string> {
  const count = { 'snapshot-count': '20' };
  if (version.startsWith('3.4.')) return count;
  const experimental = version.startsWith('3.5.') ? 'experimental-' : '';
  return { ...count, [`${experimental}snapshot-catchup-entries`]: '5' };
}

interface KeyspaceHash {
  hash: number;
  compactRevision: number;
}

export class HostedLearner {
  readonly hosts: Cluster;
  readonly learner: Member;
  readonly client: Client;
  readonly etcd: EtcdInstallation;
  /** Revisions whose hashes were found equal, each counted once. */
  revisionsCompared = 0;
  #comparedUpTo = 0;

  private constructor(etcd: EtcdInstallation, hosts: Cluster, learner: Member) {
    this.etcd = etcd;
    this.hosts = hosts;
    this.learner = learner;
    this.client = new Client(learner.endpoint);
  }

  /** Starts the hosts; the learner is not there yet. */
  static async create(
    etcd: EtcdInstallation,
    { shortLog }: { shortLog: boolean },
  ): Promise<HostedLearner> {
    const flags = { ...checkingFlags(etcd), ...(shortLog && shortLogFlags(etcd)) };
    const hosts = await Cluster.start(3, { server: etcdCommand(etcd), flags });
    const learner = await Member.create({ server: kvorumCommand, name: 'learner' });
    return new HostedLearner(etcd, hosts, learner);
  }

  /** `member add --learner`, then the learner with what that prints. */
  async join(): Promise<void> {
    const args = [
      'member',
      'add',
      this.learner.name,
      '--learner',
      `--peer-urls=${this.learner.peerUrl}`,
    ];
    const printed = await this.#etcdctl(args);
    const initialCluster = /ETCD_INITIAL_CLUSTER="([^"]*)"/.exec(printed)?.[1];
    await this.learner.start({ ...this.#joining(), 'initial-cluster': initialCluster });
  }

  /** Starts a learner that was stopped. */
  async restart(): Promise<void> {
    await this.learner.start(this.#joining());
  }

  /**
   * With no load: waits until all are equally far, then compares the hash at every kept revision that was
   * not compared before, the membership, and at the end whole buckets.
   */
  async checkEqual(): Promise<void> {
    await this.#settle();
    const leader = this.hosts.clients[await this.hosts.leader()]!;
    const { revision } = await leader.status();
    const { compactRevision } = await leader.hashKV(revision);
    const first = Math.max(compactRevision, this.#comparedUpTo + 1, 1);
    for (let at = first; at <= revision; at++)
      await this.#checkHash(leader, at, at === compactRevision);
    this.#comparedUpTo = revision;
    await this.#checkBuckets();
    await this.#checkUnharmed(leader);
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.hosts.stop();
    if (this.learner.process && !this.learner.process.exit) await this.learner.stop();
  }

  async etcdctl(...args: string[]): Promise<string> {
    return this.#etcdctl(args);
  }

  /** As the other members of the cluster ask; a real etcd names itself no Kvorum. */
  askHash(revision: number, asKvorum: boolean): Promise<{ status: number; body: string }> {
    const body = JSON.stringify({ revision });
    const headers = { 'Content-Length': body.length, ...(asKvorum && { 'X-Kvorum-Peer': '1' }) };
    return new Promise((resolve, reject) => {
      const url = `${this.learner.peerUrl}/members/hashkv`;
      const call = request(url, { method: 'GET', headers }, (response) => {
        const status = response.statusCode ?? 0;
        text(response).then((answer) => resolve({ status, body: answer }), reject);
      });
      call.on('error', reject);
      call.end(body);
    });
  }

  #joining(): Record<string, string> {
    return { 'initial-cluster-state': 'existing' };
  }

  async #checkHash(leader: Client, revision: number, isCompacted: boolean): Promise<void> {
    const theirs = await leader.hashKV(revision);
    const ours = await this.#ownHash(revision);
    // At the compacted revision a member may answer with the hash that it took while compacting.
    if (isCompacted && ours.compactRevision !== theirs.compactRevision) return;
    const { hash, compactRevision } = theirs;
    if (ours.hash !== hash || ours.compactRevision !== compactRevision) {
      assert.fail(`hash at revision ${revision}: ${await this.#differences(revision)}`);
    }
    this.revisionsCompared++;
  }

  /** What all say, and the records that only the leader or only the learner has. */
  async #differences(revision: number): Promise<string> {
    const hashes = await Promise.allSettled([
      ...this.hosts.clients.map((client) => client.hashKV(revision)),
      this.#ownHash(revision),
    ]);
    const leader = this.hosts.members[await this.hosts.leader()]!;
    const theirs = await bucketContent(await this.#saved(leader), 'key');
    const ours = await bucketContent(await this.#saved(this.learner), 'key');
    const only = (a: string[], b: string[]) => a.filter((line) => !b.includes(line)).slice(0, 10);
    return JSON.stringify(
      { hashes, leader: only(theirs, ours), learner: only(ours, theirs) },
      null,
      1,
    );
  }

  async #ownHash(revision: number): Promise<KeyspaceHash> {
    const { status, body } = await this.askHash(revision, true);
    assert.equal(status, 200, `hash at ${revision}: ${body}`);
    const answer = JSON.parse(body) as { hash: number; compact_revision: number };
    return { hash: answer.hash, compactRevision: answer.compact_revision };
  }

  /** All apply the same entry last. */
  async #settle(): Promise<void> {
    const deadline = performance.now() + settleTimeoutMs;
    for (;;) {
      const applied = await Promise.all(this.#all().map((client) => appliedIndex(client)));
      if (applied[0] !== undefined && applied.every((index) => index === applied[0])) {
        await sleep(100);
        if ((await appliedIndex(this.client)) === applied[0]) return;
      }
      if (performance.now() > deadline) {
        throw new Error(
          `not equally far: ${applied.join(', ')}\n${this.learner.process?.describe()}`,
        );
      }
      await sleep(50);
    }
  }

  #all(): Client[] {
    return [...this.hosts.clients, this.client];
  }

  /** Leases go on running out: the two files may be of different moments, and are then made anew. */
  async #checkBuckets(): Promise<void> {
    const deadline = performance.now() + settleTimeoutMs;
    const leader = this.hosts.members[await this.hosts.leader()]!;
    for (;;) {
      const [theirs, ours] = await Promise.all([this.#saved(leader), this.#saved(this.learner)]);
      try {
        await this.#compareBuckets(ours, theirs);
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
    }
  }

  async #compareBuckets(ours: string, theirs: string): Promise<void> {
    for (const bucket of SAME_BUCKETS) {
      assert.deepEqual(
        await bucketContent(ours, bucket),
        await bucketContent(theirs, bucket),
        bucket,
      );
    }
    // 3.4 does not bring its records up to date.
    const keysOnly = this.etcd.version.startsWith('3.4.');
    const members = async (path: string) =>
      (await bucketContent(path, 'members')).map((line) => (keysOnly ? line.split(':')[0] : line));
    assert.deepEqual(await members(ours), await members(theirs), 'members');
  }

  async #saved(member: Member): Promise<string> {
    const path = join(tempDir(), 'snapshot');
    const [command, ...words] = program('kvorumctl');
    const args = [...words, `--endpoints=${member.endpoint}`, 'snapshot', 'save', path];
    const child = await run(command, args);
    assert.equal(child.exit?.code, 0, child.describe());
    return path;
  }

  /** No host has ended or complains of the data. */
  async #checkUnharmed(leader: Client): Promise<void> {
    for (const { process } of this.hosts.members) assert.equal(process?.exit, undefined);
    const { alarms } = await leader.call('Maintenance/Alarm', { action: 0 });
    assert.deepEqual(alarms, []);
  }

  /** Membership changes are refused until all members have been in touch for a while. */
  async #etcdctl(args: readonly string[]): Promise<string> {
    const words = [`--endpoints=${this.hosts.endpoints}`, ...args];
    for (let attempt = 0; ; attempt++) {
      const child = await run(this.etcd.ctl, words, { env: { ETCDCTL_API: '3' } });
      if (child.exit?.code === 0) return child.stdout.toString();
      const soon = child.stderr.includes('unhealthy cluster') && attempt < 20;
      if (!soon) throw new Error(child.describe());
      await sleep(500);
    }
  }
}

async function appliedIndex(client: Client): Promise<string | undefined> {
  try {
    return (await client.call('Maintenance/Status', {}, 2000)).raftAppliedIndex as string;
  } catch {
    return undefined;
  }
}
