/**
 * A slice of what `node dist/test/differential/main.js --watch-steps N` does at length, against the first
 * etcd found; and that the comparison sees what differs.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etcdInstallations, skipWithoutEtcd } from '../e2e/support/binaries.js';
import { compareTapes } from './support/watch-compare.js';
import { watchSearch } from './support/watch-search.js';
import type { Plain } from './support/wire.js';

const skip = skipWithoutEtcd();
const [etcd] = etcdInstallations;

test(
  'random watches among writes and compactions: every answer is etcd’s',
  { skip, timeout: 120_000 },
  async () => {
    const program = { path: etcd!.server, version: etcd!.version };
    const { finding, tally } = await watchSearch({ etcd: program, steps: 100, seed: 1, lanes: 3 });
    assert.equal(finding, undefined);
    assert.ok(tally.answers > 0);
  },
);

const header = (revision: string) => ({
  cluster_id: '1',
  member_id: '2',
  revision,
  raft_term: '3',
});
const put = (revision: string) => ({ kv: { key: 'a', mod_revision: revision } });
const remove = (revision: string) => ({ type: 1, kv: { key: 'a', mod_revision: revision } });
const events = (at: string, ...list: Plain[]) => ({ header: header(at), events: list });
const created = { header: header('4'), created: true };

function differs(etcdSays: Plain[], kvorumSays: Plain[], version = '3.6.16'): boolean {
  const answered = (messages: Plain[]) => ({ tapes: [{ messages }], compactions: new Set(['6']) });
  return compareTapes(answered(etcdSays), answered(kvorumSays), version) !== undefined;
}

test('the comparison sees a missing, a repeated and a changed answer, and another order', () => {
  const whole = [created, events('5', put('5')), events('6', put('6'))];
  assert.equal(differs(whole, whole), false);
  assert.ok(differs(whole, whole.slice(0, 2)));
  assert.ok(differs(whole.slice(0, 2), whole));
  assert.ok(differs(whole, [...whole, whole[2]!]));
  assert.ok(differs(whole, [whole[0]!, whole[2]!, whole[1]!]));
  assert.ok(differs(whole, [created, events('5', put('5')), events('7', put('6'))]));
  assert.ok(differs(whole, [created, events('6', put('5'), put('6'))]));
  assert.ok(differs(whole, [{ ...created, watch_id: '1' }, whole[1]!, whole[2]!]));
});

test('where history is cut into responses is left open, and what old versions of etcd lacked', () => {
  const cut = [events('9', put('5')), events('9', put('6'))];
  assert.equal(differs([events('9', put('5'), put('6'))], cut), false);
  const withDelete = [events('9', put('5'), remove('6'), put('7'))];
  assert.ok(differs([events('9', put('5'), put('7'))], withDelete));
  assert.equal(differs([events('9', put('5'), put('7'))], withDelete, '3.4.23'), false);
  const progress = [{ header: header('9'), watch_id: '-1' }];
  assert.ok(differs(progress, []));
  assert.equal(differs(progress, [], '3.4.23'), false);
});
