/** What only shows with two members or more: give their addresses in --endpoints. */
import type { Check } from '../check.js';
import { revisionOf, type Probe } from '../probe.js';

const endpoints = 2;

export const MEMBER_CHECKS: readonly Check[] = [
  {
    name: 'members/one-cluster',
    promise: 'the members agree on cluster_id and have ids of their own',
    endpoints,
    run: async (probe) => {
      const answers = [];
      for (const client of probe.clients) answers.push(await probe.range(keyOf(probe), client));
      const clusters = new Set(answers.map(({ header }) => header?.clusterId));
      probe.equal('different cluster_ids', clusters.size, 1);
      const members = new Set(answers.map(({ header }) => header?.memberId));
      probe.equal('different member_ids', members.size, probe.clients.length);
    },
  },
  {
    name: 'members/read-elsewhere',
    promise: 'a linearizable read on any member sees a write acknowledged on another',
    endpoints,
    run: async (probe) => {
      for (let i = 0; i < 20; i++) {
        probe.startOver();
        const value = String(i);
        await probe.put('a', value);
        for (const client of probe.clients) {
          const { kvs } = await probe.range(keyOf(probe), client);
          probe.equal('value', kvs[0]?.value, value);
        }
      }
    },
  },
  {
    name: 'members/watch-elsewhere',
    promise: 'a watch on one member gets the events of writes on another',
    endpoints,
    run: async (probe) => {
      for (const client of probe.clients.slice(1)) {
        const watch = await probe.watches({}, client);
        await watch.createFor('a');
        const revision = revisionOf(await probe.put('a'));
        const [event] = await watch.events(1);
        probe.equal('mod_revision', event?.kv.modRevision, revision);
        watch.close();
      }
    },
  },
  {
    name: 'members/same-hash',
    promise: 'HashKV of one revision is the same on every member',
    endpoints,
    run: async (probe) => {
      const revision = revisionOf(await probe.put('a', '1'));
      const hashes = [];
      for (const client of probe.clients) {
        await probe.range(keyOf(probe), client); // linearizable: the member has it now
        const { hash, compactRevision } = await probe.call('HashKV', { revision }, () =>
          client.maintenance.hashKv({ revision }, probe.timed()),
        );
        hashes.push({ hash, compactRevision });
      }
      for (const each of hashes) probe.equal('hash and compact_revision', each, hashes[0]);
    },
  },
  {
    name: 'members/keep-alive-elsewhere',
    promise: 'every member renews a lease and tells its time to live',
    endpoints,
    run: async (probe) => {
      const { id } = await probe.grant(60);
      await probe.put('a', '', { lease: id });
      for (const client of probe.clients) {
        const stream = await probe.keepAlives(client);
        probe.equal('TTL of the keep-alive', (await stream.renew(id)).ttl, 60);
        const { grantedTtl, keys } = await probe.timeToLive(id, true, client);
        probe.equal('grantedTTL and keys', [grantedTtl, keys], [60, [probe.key('a')]]);
      }
    },
  },
  {
    name: 'members/one-order',
    promise: 'watches on all members show one order of concurrent writes',
    endpoints,
    run: async (probe) => {
      const watches = [];
      for (const client of probe.clients) {
        const watch = await probe.watches({}, client);
        await watch.createForAll();
        watches.push(watch);
      }
      await Promise.all(Array.from({ length: 30 }, (_, i) => probe.put(`k${i % 5}`, String(i))));
      const orders = [];
      for (const watch of watches) {
        const events = await watch.events(30);
        orders.push(events.map(({ kv }) => `${kv.key}=${kv.value}@${kv.modRevision}`).join());
      }
      probe.equal('different orders', new Set(orders).size, 1);
    },
  },
];

function keyOf(probe: Probe) {
  return { key: probe.key('a') };
}
