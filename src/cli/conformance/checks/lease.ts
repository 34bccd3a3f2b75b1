/** Lease: grants, keep-alives, revocation, and what keys and leases have to do with each other. */
import type { Check } from '../check.js';
import { pair, revisionOf } from '../probe.js';
import { outcomeOf } from '../probe.js';
import { randomLeaseId } from '../random-name.js';

const MIN_INT64 = -(2n ** 63n);

export const LEASE_CHECKS: readonly Check[] = [
  {
    name: 'lease/id-from-server',
    promise: 'with ID 0 the server chooses a positive ID, another one each time',
    run: async (probe) => {
      const first = await probe.grant(60, { id: 0n });
      const second = await probe.grant(60, { id: 0n });
      probe.that('ID', first.id > 0n, 'above 0', first.id);
      probe.that('second ID', second.id > 0n && second.id !== first.id, 'another one', second.id);
      probe.equal('TTL', first.ttl, 60);
    },
  },
  {
    name: 'lease/chosen-id',
    promise: 'a chosen ID is used, up to 2^63 - 1 and below 0, without rounding',
    run: async (probe) => {
      const random = randomLeaseId();
      const ids = [2n ** 63n - 1n - (random >> 8n), 2n ** 53n + 1n + (random >> 12n), -random];
      for (const id of ids) {
        const granted = await probe.grant(60, { id });
        probe.equal('ID', granted.id, id);
        await probe.put('a', '1', { lease: id });
        probe.equal('lease of the key', (await probe.get('a')).kvs[0]?.lease, id);
        probe.equal('ID of its time to live', (await probe.timeToLive(id)).id, id);
      }
    },
  },
  {
    name: 'lease/smallest-id',
    promise: 'the smallest int64 is an ID like any other',
    run: async (probe) => {
      const granted = await outcomeOf(probe.grant(60, { id: MIN_INT64 }));
      if (granted instanceof Error) probe.notApplicable('a lease with that ID is there already');
      const { grantedTtl } = await probe.timeToLive(MIN_INT64);
      probe.equal('grantedTTL', grantedTtl, 60);
    },
  },
  {
    name: 'lease/exists',
    promise: 'an ID in use is refused',
    run: async (probe) => {
      const { id } = await probe.grant();
      await probe.refused('LeaseGrant', probe.grant(60, { id }), 'leaseExist');
    },
  },
  {
    name: 'lease/id-again',
    promise: 'an ID can be granted again after its lease was revoked',
    run: async (probe) => {
      const { id } = await probe.grant();
      await probe.revoke(id);
      probe.equal('ID', (await probe.grant(60, { id })).id, id);
    },
  },
  {
    name: 'lease/smallest-ttl',
    promise: "a TTL of zero or below is raised to the server's smallest, which is returned",
    run: async (probe) => {
      for (const ttl of [0, -1]) {
        const granted = await probe.grant(ttl);
        probe.that('TTL', granted.ttl >= 1, '1 or more', granted.ttl);
        const { grantedTtl } = await probe.timeToLive(granted.id);
        probe.equal('grantedTTL', grantedTtl, granted.ttl);
      }
    },
  },
  {
    name: 'lease/largest-ttl',
    promise: 'a TTL of 9,000,000,000 s is granted, one more is refused',
    run: async (probe) => {
      probe.equal('TTL', (await probe.grant(9_000_000_000)).ttl, 9_000_000_000);
      await probe.refused('one more', probe.grant(9_000_000_001), 'leaseTTLTooLarge');
    },
  },
  {
    name: 'lease/time-to-live',
    promise: 'LeaseTimeToLive tells TTL, grantedTTL, and the keys if asked',
    run: async (probe) => {
      const { id } = await probe.grant(100);
      await probe.put('b', '', { lease: id });
      await probe.put('a', '', { lease: id });
      const { ttl, grantedTtl, keys } = await probe.timeToLive(id);
      probe.that('TTL', ttl > 90 && ttl <= 100, '91 to 100', ttl);
      probe.equal('grantedTTL and keys', { grantedTtl, keys }, { grantedTtl: 100, keys: [] });
      const asked = await probe.timeToLive(id, true);
      probe.equal('keys, sorted', asked.keys.toSorted(), [probe.key('a'), probe.key('b')]);
    },
  },
  {
    name: 'lease/unknown-time-to-live',
    promise: 'the time to live of an unknown lease is -1, not an error',
    run: async (probe) => {
      const id = randomLeaseId();
      const { ttl, grantedTtl, keys } = await probe.timeToLive(id, true);
      probe.equal(
        'answer',
        { ttl, grantedTtl, keys },
        {
          ttl: -1,
          grantedTtl: 0,
          keys: [],
        },
      );
    },
  },
  {
    name: 'lease/list',
    promise: 'LeaseLeases lists a lease while it is there',
    run: async (probe) => {
      const { id } = await probe.grant();
      const list = () =>
        probe.call('LeaseLeases', {}, () => probe.client.lease.leases(probe.timed()));
      const before = (await list()).leases.some((lease) => lease.id === id);
      probe.equal('listed', before, true);
      await probe.revoke(id);
      const after = (await list()).leases.some((lease) => lease.id === id);
      probe.equal('listed after its revocation', after, false);
    },
  },
  {
    name: 'lease/revoke',
    promise: 'a revocation deletes the keys of the lease, at one revision, and no others',
    run: async (probe) => {
      const { id } = await probe.grant();
      for (const name of ['c', 'a', 'b']) await probe.put(name, '', { lease: id });
      await probe.put('d');
      const watch = await probe.watches();
      await watch.createForAll();
      await probe.revoke(id);
      const { events } = await watch.next('the deletions');
      probe.equal(
        'events, in key order',
        events.map(({ type, kv }) => `${type} ${kv.key}`),
        ['a', 'b', 'c'].map((name) => `delete ${probe.key(name)}`),
      );
      const revisions = new Set(events.map(({ kv }) => kv.modRevision));
      probe.equal('revisions', revisions.size, 1);
      probe.equal('keys left', (await probe.list()).count, 1);
    },
  },
  {
    name: 'lease/revoke-without-keys',
    promise: 'revoking a lease without keys moves no revision',
    alone: true,
    run: (probe) =>
      probe.undisturbed(async () => {
        const { id } = await probe.grant();
        const before = revisionOf(await probe.put('a'));
        await probe.revoke(id);
        probe.equal('revision', revisionOf(await probe.get('a')), before);
      }),
  },
  {
    name: 'lease/revoke-unknown',
    promise: 'revoking what is not there, or not any more, is refused',
    run: async (probe) => {
      await probe.refused('LeaseRevoke', probe.revoke(randomLeaseId()), 'leaseNotFound');
      const { id } = await probe.grant();
      await probe.revoke(id);
      await probe.refused('the second LeaseRevoke', probe.revoke(id), 'leaseNotFound');
    },
  },
  {
    name: 'lease/plain-put-detaches',
    promise: 'a put without a lease takes the key from its lease',
    run: async (probe) => {
      const { id } = await probe.grant();
      await probe.put('a', '1', { lease: id });
      await probe.put('a', '2');
      probe.equal('keys of the lease', (await probe.timeToLive(id, true)).keys, []);
      await probe.revoke(id);
      probe.equal('value after the revocation', (await probe.get('a')).kvs[0]?.value, '2');
    },
  },
  {
    name: 'lease/move',
    promise: 'a put with another lease moves the key there',
    run: async (probe) => {
      const first = (await probe.grant()).id;
      const second = (await probe.grant()).id;
      await probe.put('a', '1', { lease: first });
      await probe.put('a', '2', { lease: second });
      await probe.revoke(first);
      probe.equal('count after the first is revoked', (await probe.get('a')).count, 1);
      await probe.revoke(second);
      probe.equal('count after the second is revoked', (await probe.get('a')).count, 0);
    },
  },
  {
    name: 'lease/delete-detaches',
    promise: 'a deleted key leaves its lease, and is not deleted again with it',
    run: async (probe) => {
      const { id } = await probe.grant();
      await probe.put('a', '1', { lease: id });
      await probe.delete('a');
      const revision = revisionOf(await probe.put('a', '2'));
      await probe.revoke(id);
      const { kvs } = await probe.get('a');
      probe.equal('the pair', kvs, [pair(probe.key('a'), '2', [revision, revision, 1])]);
    },
  },
  {
    name: 'lease/nothing-left',
    promise: 'no key is left with a lease that is gone, however puts and the revocation race',
    run: async (probe) => {
      for (let round = 0; round < 20; round++) {
        probe.startOver();
        const { id } = await probe.grant();
        const puts = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
          outcomeOf(probe.put(name, '', { lease: id })),
        );
        const revoked = probe.revoke(id);
        await Promise.all([...puts, revoked]);
        const { kvs } = await probe.list();
        probe.equal('keys', kvs, []);
      }
    },
  },
  {
    name: 'lease/keep-alive',
    promise: 'a keep-alive is answered with the ID and the granted TTL',
    run: async (probe) => {
      const { id } = await probe.grant(60);
      const stream = await probe.keepAlives();
      const answer = await stream.renew(id);
      probe.equal('ID and TTL', [answer.id, answer.ttl], [id, 60]);
      const revision = answer.header?.revision ?? 0;
      probe.that('header.revision', revision > 0, 'above 0', revision);
    },
  },
  {
    name: 'lease/keep-alive-of-the-dead',
    promise: 'a keep-alive of a lease that is not there is answered with TTL 0; the stream goes on',
    run: async (probe) => {
      const { id } = await probe.grant(60);
      const stream = await probe.keepAlives();
      const unknown = randomLeaseId();
      const dead = await stream.renew(unknown);
      probe.equal('ID and TTL', [dead.id, dead.ttl], [unknown, 0]);
      probe.equal('TTL of a living one after that', (await stream.renew(id)).ttl, 60);
    },
  },
  {
    name: 'lease/keep-alive-order',
    promise: 'keep-alives of many leases on one stream are answered in their order',
    run: async (probe) => {
      const ids = [];
      for (let i = 0; i < 20; i++) ids.push((await probe.grant(60 + i)).id);
      const stream = await probe.keepAlives();
      for (const id of ids) stream.send(id);
      const answers = [];
      while (answers.length < ids.length) answers.push((await stream.next()).id);
      probe.equal('IDs', answers, ids);
    },
  },
  {
    name: 'lease/keep-alive-ends',
    promise: 'the stream ends when the client says that no more will come',
    run: async (probe) => {
      const { id } = await probe.grant(60);
      const stream = await probe.keepAlives();
      await stream.renew(id);
      probe.equal('stream ended', await stream.end(), true);
    },
  },
  {
    name: 'lease/expires',
    promise: 'the keys of a lease that nobody renews vanish, not before its TTL is over',
    waits: true,
    timeoutMs: 20_000,
    run: async (probe) => {
      const granted = performance.now();
      const { id, ttl } = await probe.grant(2);
      await probe.put('a', '', { lease: id });
      const watch = await probe.watches();
      await watch.createFor('a');
      const [event] = await watch.events(1, 0n, ttl * 1000 + 8000);
      const seconds = (performance.now() - granted) / 1000;
      probe.equal('type of the event', event?.type, 'delete');
      probe.that('time until then', seconds >= ttl, `${ttl} s or more`, seconds);
      probe.equal('time to live afterwards', (await probe.timeToLive(id)).ttl, -1);
      const stream = await probe.keepAlives();
      probe.equal('TTL of a keep-alive afterwards', (await stream.renew(id)).ttl, 0);
    },
  },
  {
    name: 'lease/keep-alive-prolongs',
    promise: 'keep-alives hold a lease beyond its TTL',
    waits: true,
    timeoutMs: 20_000,
    run: async (probe) => {
      const { id, ttl } = await probe.grant(3);
      await probe.put('a', '', { lease: id });
      const stream = await probe.keepAlives();
      for (let i = 0; i < 6; i++) {
        await probe.pause((ttl * 1000) / 3);
        probe.equal('TTL of the keep-alive', (await stream.renew(id)).ttl, ttl);
      }
      probe.equal('count after twice the TTL', (await probe.get('a')).count, 1);
    },
  },
  {
    name: 'lease/moved-key-stays',
    promise: 'a key that was moved to another lease does not vanish with the first',
    waits: true,
    timeoutMs: 20_000,
    run: async (probe) => {
      const { id, ttl } = await probe.grant(2);
      const { id: second } = await probe.grant(60);
      await probe.put('a', '', { lease: id });
      await probe.put('b', '', { lease: id });
      await probe.put('a', '', { lease: second });
      const watch = await probe.watches();
      await watch.createForAll();
      const [event] = await watch.events(1, 0n, ttl * 1000 + 8000);
      probe.equal('key that vanishes', event?.kv.key, probe.key('b'));
      probe.equal('count of the other', (await probe.get('a')).count, 1);
    },
  },
  {
    name: 'lease/counts-down',
    promise: 'TTL counts down, and a keep-alive sets it back',
    waits: true,
    run: async (probe) => {
      const { id } = await probe.grant(30);
      await probe.pause(2500);
      const { ttl } = await probe.timeToLive(id);
      probe.that('TTL after 2.5 s', ttl <= 27 && ttl > 20, '21 to 27', ttl);
      await (await probe.keepAlives()).renew(id);
      const renewed = (await probe.timeToLive(id)).ttl;
      probe.that('TTL after a keep-alive', renewed >= 28, '28 or more', renewed);
    },
  },
];
