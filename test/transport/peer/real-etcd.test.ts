import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Message, MessageType } from '../../../src/raft/index.js';
import { findEtcds, RealEtcd } from '../support/real-etcd.js';
import { until } from '../support/waiting.js';
import { makeMessage, TestMember } from './network-world.js';

/** The least that a leader needs of a learner: it takes all appends, and answers. */
class Learner {
  lastIndex = 0;
  readonly data = new Map<number, string>();
  private handled = 0;

  constructor(private readonly member: TestMember) {}

  handleNew(): void {
    const { received, network } = this.member;
    for (; this.handled < received.length; this.handled++) {
      const answer = this.answer(received[this.handled]!);
      if (answer !== undefined) network.send([answer]);
    }
  }

  private answer(message: Message): Message | undefined {
    const ends = { from: this.member.id, to: message.from, term: message.term };
    if (message.type === MessageType.heartbeat) {
      return makeMessage({ ...ends, type: MessageType.heartbeatResponse });
    }
    if (message.type !== MessageType.append) return undefined;
    const response = { ...ends, type: MessageType.appendResponse };
    if (message.index > this.lastIndex) {
      const { index } = message;
      return makeMessage({ ...response, index, reject: true, rejectHint: this.lastIndex });
    }
    for (const { index, data } of message.entries) {
      this.data.set(index, Buffer.from(data).toString('latin1'));
    }
    const lastOfMessage = message.index + message.entries.length;
    this.lastIndex = Math.max(this.lastIndex, lastOfMessage);
    return makeMessage({ ...response, index: lastOfMessage });
  }
}

const etcds = findEtcds();
const skip = etcds.length === 0 && 'no etcd in PATH or KVORUM_ETCD_DIR';
if (skip && process.env['KVORUM_REQUIRE_ETCD'] === '1') throw new Error(skip);

for (const etcd of skip ? [{ path: '', version: '(none)' }] : etcds) {
  describe(`beside a real etcd ${etcd.version}`, { skip }, () => {
    it('strangers are refused, a learner gets the log, and hears that it was removed', async () => {
      const real = await RealEtcd.start(etcd);
      const member = await TestMember.start(0xabcn, undefined, { serverVersion: etcd.version });
      try {
        await converse(real, member);
      } finally {
        await member.network.stop();
        await real.stop();
      }
    });

    const tooOld = Number(etcd.version.split('.')[1]) < 6 && 'keeps too much of its log';
    it('a learner that is far behind gets the database', { skip: tooOld }, async () => {
      const flags = { 'snapshot-count': '10', 'snapshot-catchup-entries': '5' };
      const real = await RealEtcd.start(etcd, flags);
      const member = await TestMember.start(0xabcn, undefined, { serverVersion: etcd.version });
      try {
        await receiveDatabase(real, member);
      } finally {
        await member.network.stop();
        await real.stop();
      }
    });
  });
}

async function receiveDatabase(real: RealEtcd, member: TestMember): Promise<void> {
  for (let i = 0; i < 40; i++) await real.put(`key-${i}`, 'value');
  const request = { method: 'GET', path: '/members' } as const;
  const list = await member.network.requestUrls([real.peerUrl], request, 2_000);
  member.clusterId = BigInt('0x' + list.headers['x-etcd-cluster-id']!);
  const realId = BigInt(/"id":(\d+)/.exec(Buffer.from(list.body).toString())![1]!);

  let index = 0;
  let database = Buffer.alloc(0);
  member.onSnapshot = async (message, chunks) => {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    database = Buffer.concat(parts);
    index = message.snapshot!.metadata.index;
  };
  const added = await real.call('cluster/member/add', { peerURLs: [member.url], isLearner: true });
  Object.assign(member, { id: BigInt(added.member.ID) });
  member.network.setPeer(realId, [real.peerUrl]);
  const learner = new Learner(member);
  await until('the database', () => {
    learner.handleNew();
    return index > 0;
  });
  assert.ok(index > 40);
  assert.equal(database.length % 4096, 0);
  assert.equal(database.readUInt32LE(16), 0xed0cdaed, 'bbolt begins with its magic number');
  assert.ok(database.includes('key-39'));
}

async function converse(real: RealEtcd, member: TestMember): Promise<void> {
  const { network } = member;
  const request = { method: 'GET', path: '/members' } as const;
  const list = await network.requestUrls([real.peerUrl], request, 2_000);
  const realId = BigInt(/"id":(\d+)/.exec(Buffer.from(list.body).toString())![1]!);
  network.setPeer(realId, [real.peerUrl]);
  await until('another cluster', () => member.logged('cluster ID mismatch'));
  member.clusterId = BigInt('0x' + list.headers['x-etcd-cluster-id']!);
  await until('a stranger', () => member.logged('HTTP status 404: error sender not found'));
  assert.equal(member.toldRemoved, 0);
  network.removePeer(realId);

  const added = await real.call('cluster/member/add', { peerURLs: [member.url], isLearner: true });
  Object.assign(member, { id: BigInt(added.member.ID) });
  network.setPeer(realId, [real.peerUrl]);
  const learner = new Learner(member);
  const values = Array.from({ length: 30 }, (_, i) => `value-${i}.`);
  for (const value of values) await real.put('key', value);
  await until('the log', () => {
    learner.handleNew();
    return [...learner.data.values()].some((data) => data.includes(values.at(-1)!));
  });
  assert.ok(learner.data.size >= learner.lastIndex, 'there are holes in the log');
  const all = [...learner.data.values()];
  for (const value of values)
    assert.ok(
      all.some((data) => data.includes(value)),
      value,
    );
  assert.ok(network.activeForMs(realId)! > 0);
  const version = await network.request(realId, { method: 'GET', path: '/version' }, 2_000);
  assert.match(Buffer.from(version.body).toString(), /"etcdserver":"3\./);

  await real.call('cluster/member/remove', { ID: added.member.ID });
  await until('the news of the removal', () => member.toldRemoved === 1);
}
