import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AlarmAction,
  AlarmType,
  type InternalOp,
  type RangeRequest,
  type RequestOp,
} from '../../src/api/index.js';
import { internalRequest } from '../../src/codec/index.js';
import { open } from '../../src/embed/index.js';
import { EntryType } from '../../src/raft/index.js';
import { Applier } from '../../src/server/applier.js';
import { asOthersApply, decodeRequest, namesRevisions } from '../../src/server/log-entries.js';
import { servePeer } from '../../src/server/peer-endpoints.js';
import { eventually } from './local-cluster.js';

function range(revision: number): RequestOp {
  const request = { key: 'k', rangeEnd: '', limit: 0, revision } as RangeRequest;
  return { kind: 'range', request: { ...noFilter, ...request } };
}

const noFilter = {
  sortOrder: 0,
  sortTarget: 0,
  serializable: false,
  keysOnly: false,
  countOnly: false,
  minModRevision: 0,
  maxModRevision: 0,
  minCreateRevision: 0,
  maxCreateRevision: 0,
};
const put: RequestOp = {
  kind: 'put',
  request: {
    key: 'k',
    value: 'v',
    lease: 0n,
    prevKv: false,
    ignoreValue: false,
    ignoreLease: false,
  },
};

function txn(...success: RequestOp[]): Extract<InternalOp, { kind: 'txn' }> {
  return { kind: 'txn', request: { compare: [], success, failure: [] } };
}

test('a transaction of a real etcd loses the ranges that only the member asked has checked', () => {
  assert.deepEqual(asOthersApply(txn(put, range(1000))), txn(put));
  const harmless = txn(put, range(0));
  assert.equal(asOthersApply(harmless), harmless);
  const nested = txn({ kind: 'txn', request: txn(range(1000)).request });
  assert.equal(asOthersApply(nested), nested);
});

test('only transactions name revisions, and only in the outermost branches', () => {
  assert.equal(namesRevisions(txn(put, range(-1))), true);
  assert.equal(namesRevisions(txn(put, range(0))), false);
  assert.equal(namesRevisions(put as InternalOp), false);
});

test('what Kvorum proposes fails as a whole where a range names a future revision', async () => {
  const store = await open({ memory: true });
  await assert.rejects(store.member.propose(txn(put, range(1000))), { name: 'futureRev' });
  assert.equal(store.revision, 1);
  await store.close();
});

for (const [version, refused] of [
  ['3.4.0', false],
  ['3.5.0', true],
] as const) {
  test(`in a cluster of ${version} a nested put is ${refused ? 'refused' : 'applied'} when it is full`, async () => {
    const store = await open({ memory: true });
    const { member } = store;
    await eventually(() => member.membership.clusterVersion !== undefined);
    member.membership.setClusterVersion(version);
    const request = { action: AlarmAction.activate, memberId: 0n, alarm: AlarmType.noSpace };
    await member.propose({ kind: 'alarm', request });
    const nested = txn({ kind: 'txn', request: txn(put).request });
    if (refused) await assert.rejects(member.propose(nested), { name: 'noSpace' });
    else await member.propose(nested);
    await assert.rejects(member.propose(txn(put)), { name: 'noSpace' });
    assert.equal(store.revision, refused ? 1 : 2);
    await store.close();
  });
}

test('an entry that cannot be read is named', () => {
  const entry = { type: EntryType.normal, term: 3, index: 8, data: new Uint8Array([1, 2, 3]) };
  assert.throws(
    () => decodeRequest(entry),
    /^InvariantError: entry 8 of term 3 .* cannot be applied/,
  );
});

test('the mark of a checked transaction travels in its header', () => {
  const request = { id: 7n, username: '', authRevision: 0, rangesChecked: true, op: txn(range(5)) };
  assert.deepEqual(internalRequest.decode(internalRequest.encode(request)), request);
});

test('a real etcd that asks for a hash is told of a future revision, which its checks pass over', async () => {
  const store = await open({ memory: true });
  const request = { method: 'GET', path: '/members/hashkv', body: Buffer.from('{}') } as const;
  assert.equal((await servePeer(store.member, request))?.status, 200);
  const answer = await servePeer(store.member, { ...request, isForeign: true });
  assert.equal(answer?.status, 400);
  assert.equal(
    Buffer.from(answer.body).toString(),
    'mvcc: required revision is a future revision\n',
  );
  await store.close();
});

test('a cluster version that is newer than this member ends it', () => {
  const applier = new Applier({} as ConstructorParameters<typeof Applier>[0]);
  assert.throws(() => applier.apply({ kind: 'clusterVersionSet', version: '3.7.0' }));
});
