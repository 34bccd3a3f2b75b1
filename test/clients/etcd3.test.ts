/** The npm package etcd3: keys, transactions, watches, leases, locks, elections, namespaces, its STM. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  Etcd3,
  EtcdLeaseInvalidError,
  EtcdLockFailedError,
  type IKeyValue,
  type Namespace,
} from 'etcd3';
import { startServer, type TestServer } from './server.js';

let server: TestServer;
let client: Etcd3;
let suites = 0;

before(async () => {
  server = await startServer();
  client = new Etcd3({ hosts: `http://${server.endpoint}` });
});

after(async () => {
  client.close();
  await server.close();
});

/** Keys that no other test has. */
function ownKeys(): Namespace {
  suites++;
  return client.namespace(`etcd3/${process.pid}/${suites}/`);
}

/** Waits for what an event emitter of the client tells. */
async function eventually(holds: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (holds()) return;
    await pause(10);
  }
  assert.fail(`not within 5 s: ${what}`);
}

describe('keys', () => {
  test('are put and got as text, numbers, JSON and bytes', async () => {
    const keys = ownKeys();
    await keys.put('text').value('grün');
    await keys.put('number').value(7);
    await keys.put('json').value(JSON.stringify({ a: [1] }));
    await keys.put('bytes').value(Buffer.from([0, 255, 128]));
    assert.equal(await keys.get('text').string(), 'grün');
    assert.equal(await keys.get('number').number(), 7);
    assert.deepEqual(await keys.get('json').json(), { a: [1] });
    assert.deepEqual(await keys.get('bytes').buffer(), Buffer.from([0, 255, 128]));
    assert.equal(await keys.get('missing').string(), null);
    assert.equal(await keys.get('text').exists(), true);
  });

  test('are listed, counted, sorted and cut', async () => {
    const keys = ownKeys();
    for (const [name, value] of Object.entries({ b: '2', a: '3', c: '1' })) {
      await keys.put(`list/${name}`).value(value);
    }
    const list = () => keys.getAll().prefix('list/');
    assert.deepEqual(await list().strings(), { 'list/a': '3', 'list/b': '2', 'list/c': '1' });
    assert.deepEqual(await list().keys(), ['list/a', 'list/b', 'list/c']);
    assert.equal(await list().count(), 3);
    assert.deepEqual(await list().sort('Value', 'Ascend').keys(), ['list/c', 'list/b', 'list/a']);
    assert.deepEqual(await list().sort('Mod', 'Descend').limit(1).keys(), ['list/c']);
  });

  test('are read as they were, and deleted', async () => {
    const keys = ownKeys();
    const { header } = await keys.put('a').value('1');
    const previous = await keys.put('a').value('2').getPrevious();
    assert.equal(previous?.value?.toString(), '1');
    assert.equal(await keys.get('a').revision(header.revision).string(), '1');
    await keys.put('b').value('1');
    const deleted = await keys.delete().all();
    assert.equal(deleted.deleted, '2');
    assert.equal(await keys.getAll().count(), 0);
  });
});

describe('transactions', () => {
  test('compare, then act', async () => {
    const keys = ownKeys();
    const create = () =>
      keys
        .if('a', 'Create', '==', 0)
        .then(keys.put('a').value('first'))
        .else(keys.get('a'))
        .commit();
    assert.equal((await create()).succeeded, true);
    const second = await create();
    assert.equal(second.succeeded, false);
    assert.equal(second.responses[0]?.response_range.kvs[0]?.value.toString(), 'first');
  });

  test('compare values and versions, several at once', async () => {
    const keys = ownKeys();
    await keys.put('a').value('1');
    const outcome = await keys
      .if('a', 'Value', '==', '1')
      .and('a', 'Version', '<', 2)
      .then(keys.put('a').value('2'), keys.put('b').value('1'))
      .commit();
    assert.equal(outcome.succeeded, true);
    assert.deepEqual(await keys.getAll().strings(), { a: '2', b: '1' });
  });

  test('of its STM retry until they fit', async () => {
    const keys = ownKeys();
    await keys.put('n').value(0);
    const increments = Array.from({ length: 5 }, () =>
      keys.stm({ retries: 50 }).transact(async (tx) => {
        await tx.put('n').value(((await tx.get('n').number()) ?? 0) + 1);
      }),
    );
    await Promise.all(increments);
    assert.equal(await keys.get('n').number(), 5);
  });
});

describe('watches', () => {
  test('tell puts and deletions with what was before', async () => {
    const keys = ownKeys();
    await keys.put('w/a').value('1');
    const watcher = await keys.watch().prefix('w/').withPreviousKV().create();
    const seen: string[] = [];
    const tell = (kind: string) => (kv: IKeyValue, before?: IKeyValue) =>
      void seen.push(`${kind} ${kv.key} ${kv.value} after ${before?.value}`);
    watcher.on('put', tell('put')).on('delete', tell('delete'));
    await keys.put('w/a').value('2');
    await keys.put('other').value('x');
    await keys.delete().key('w/a');
    await eventually(() => seen.length === 2, 'two events');
    assert.deepEqual(seen, ['put w/a 2 after 1', 'delete w/a  after 2']);
    await watcher.cancel();
    await keys.put('w/a').value('3');
    assert.equal(seen.length, 2);
  });

  test('begin at a past revision, and leave out what they are told to', async () => {
    const keys = ownKeys();
    const { header } = await keys.put('a').value('1');
    await keys.delete().key('a');
    await keys.put('a').value('2');
    const past = keys.watch().key('a').startRevision(header.revision).only('put');
    const watcher = await past.create();
    const seen: string[] = [];
    watcher.on('put', (kv) => void seen.push(kv.value.toString()));
    await eventually(() => seen.length === 2, 'two events');
    assert.deepEqual(seen, ['1', '2']);
    await watcher.cancel();
  });

  test('share one stream', async () => {
    const keys = ownKeys();
    const seen: string[] = [];
    const watchers = await Promise.all(
      ['a', 'b', 'c'].map((name) => keys.watch().key(name).create()),
    );
    for (const watcher of watchers) {
      watcher.on('put', (kv) => void seen.push(kv.key.toString().slice(-1)));
    }
    for (const name of ['c', 'a', 'b']) await keys.put(name).value('1');
    await eventually(() => seen.length === 3, 'three events');
    assert.deepEqual(seen, ['c', 'a', 'b']);
    await Promise.all(watchers.map((watcher) => watcher.cancel()));
  });
});

describe('leases', () => {
  test('hold keys until they are revoked', async () => {
    const keys = ownKeys();
    const lease = keys.lease(30);
    await lease.put('a').value('1');
    const renewed = await lease.keepaliveOnce();
    assert.equal(renewed.TTL, '30');
    assert.equal(await keys.get('a').string(), '1');
    await lease.revoke();
    assert.equal(await keys.get('a').string(), null);
  });

  test('tell when they are lost', async () => {
    const keys = ownKeys();
    const lease = keys.lease(1);
    const id = await lease.grant();
    const lost = once(lease, 'lost');
    await client.leaseClient.leaseRevoke({ ID: id });
    const [error] = await lost;
    assert.ok(error instanceof EtcdLeaseInvalidError, String(error));
  });

  test('that do not exist are refused', async () => {
    const keys = ownKeys();
    await assert.rejects(keys.put('a').value('1').lease('12345').exec(), EtcdLeaseInvalidError);
  });
});

describe('locks and elections', () => {
  test('a lock is held by one at a time', async () => {
    const keys = ownKeys();
    const lock = keys.lock('lock');
    await lock.acquire();
    await assert.rejects(keys.lock('lock').acquire(), EtcdLockFailedError);
    await lock.release();
    assert.equal(await keys.lock('lock').do(() => 'done'), 'done');
  });

  test('an election has one leader, and the next takes over', async () => {
    const keys = ownKeys();
    const election = keys.election('office', 5);
    const observer = await election.observe();
    const first = election.campaign('one');
    await first.wait();
    const second = keys.election('office', 5).campaign('two');
    assert.equal(await election.leader(), 'one');
    await first.proclaim('still one');
    await eventually(() => observer.leader() === 'still one', 'the proclamation');
    await first.resign();
    await second.wait();
    assert.equal(await election.leader(), 'two');
    await eventually(() => observer.leader() === 'two', 'the second leader');
    await observer.cancel();
    await second.resign();
  });
});

test('a namespace hides its prefix', async () => {
  const keys = ownKeys();
  await keys.namespace('inner/').put('a').value('1');
  assert.deepEqual(await keys.getAll().keys(), ['inner/a']);
  assert.deepEqual(await keys.namespace('inner/').getAll().keys(), ['a']);
});
