/** That the suite sees what differs: each field, each error, and nothing that may differ. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from './support/raw-client.js';
import { Session } from './support/session.js';
import type { Step } from './support/step.js';
import { Tally } from './support/tally.js';

/** A session with two servers that answer what they are told to. */
function sessionOf(etcd: Answer, kvorum: Answer, version = '3.6.16'): Session {
  const side = (name: string, answer: Answer) => ({ name, client: { call: async () => answer } });
  const pair = { etcd: side('etcd', etcd), kvorum: side('kvorum', kvorum), version };
  return new Session(pair as never, new Tally());
}

async function differs(
  method: string,
  [etcd, kvorum]: readonly [Answer, Answer],
  { request = {}, version }: { request?: Step['request']; version?: string } = {},
): Promise<boolean> {
  const session = sessionOf(etcd, kvorum, version);
  return (await session.send({ method, request })) !== undefined;
}

const header = { cluster_id: '1', member_id: '2', revision: '3', raft_term: '2' };
const range = (more: object): Answer => ({ message: { header, ...more } });
const refusal = (code: string, text: string): Answer => ({ error: { code, text } });

test('a field that one answer has and the other has not, differs', async () => {
  assert.ok(await differs('KV/Range', [range({ count: '1' }), range({})]));
  assert.ok(
    await differs('KV/Range', [range({ kvs: [{ key: 'a' }] }), range({ kvs: [{ key: 'b' }] })]),
  );
});

test('every field of the header but the term is compared', async () => {
  for (const field of ['cluster_id', 'member_id', 'revision']) {
    const other = { message: { header: { ...header, [field]: '9' } } };
    assert.ok(await differs('KV/Put', [range({}), other]), field);
  }
  const later = { message: { header: { ...header, raft_term: '7' } } };
  assert.equal(await differs('KV/Put', [range({}), later]), false);
});

test('code and text of a refusal are compared, and refusals with answers', async () => {
  const asked = refusal('NOT_FOUND', 'x');
  assert.equal(await differs('KV/Put', [asked, refusal('NOT_FOUND', 'x')]), false);
  assert.ok(await differs('KV/Put', [asked, refusal('NOT_FOUND', 'X')]));
  assert.ok(await differs('KV/Put', [asked, refusal('INTERNAL', 'x')]));
  assert.ok(await differs('KV/Put', [range({}), asked]));
});

test('seconds left of a lease may be two apart, and no more than granted', async () => {
  const left = (TTL: string) => range({ ID: '7', TTL, grantedTTL: '60' });
  const asked = 'Lease/LeaseTimeToLive';
  assert.equal(await differs(asked, [left('60'), left('58')]), false);
  assert.ok(await differs(asked, [left('60'), left('57')]));
  assert.ok(await differs(asked, [left('60'), left('61')]));
  assert.ok(await differs(asked, [left('0'), left('-1')]));
});

test('keys of a lease are compared in any order, leases in theirs', async () => {
  const keys = (...names: string[]) => range({ ID: '7', keys: names });
  assert.equal(await differs('Lease/LeaseTimeToLive', [keys('a', 'b'), keys('b', 'a')]), false);
  assert.ok(await differs('Lease/LeaseTimeToLive', [keys('a', 'b'), keys('a')]));
  const leases = (...ids: string[]) => range({ leases: ids.map((ID) => ({ ID })) });
  assert.ok(await differs('Lease/LeaseLeases', [leases('1', '2'), leases('2', '1')]));
});

test('equal pairs of a long sorted list are compared in any order, unequal ones are not', async () => {
  const pair = (key: string, version: string) => ({ key, version });
  const many = Array.from({ length: 12 }, (_, i) => pair(`k${i}`, '1'));
  const list = (...kvs: object[]) => range({ kvs: [...many, ...kvs], count: '14' });
  const request = { sort_target: 1, sort_order: 1 };
  const [a, b, c] = [pair('a', '2'), pair('b', '2'), pair('b', '3')];
  assert.equal(await differs('KV/Range', [list(a, b), list(b, a)], { request }), false);
  assert.ok(await differs('KV/Range', [list(a, c), list(c, a)], { request }));
  assert.ok(await differs('KV/Range', [list(a, b), list(b, a)]), 'by key');
});

test('a difference between versions is one only where etcd is that old', async () => {
  const hash = (more: object) => range({ hash: 5, compact_revision: '-1', ...more });
  const both = [hash({}), hash({ hash_revision: '3' })] as const;
  const asked = 'Maintenance/HashKV';
  assert.equal(await differs(asked, both, { version: '3.5.33' }), false);
  assert.ok(await differs(asked, both, { version: '3.6.16' }));
  assert.ok(await differs(asked, [hash({}), hash({ hash: 6 })], { version: '3.5.33' }));
});
