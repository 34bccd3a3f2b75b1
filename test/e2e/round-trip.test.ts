/** Two random histories, carried between etcd and Kvorum and back; test:long carries many more. */
import { test } from 'node:test';
import { etcdInstallations, skipWithoutEtcd } from './support/binaries.js';
import { seed } from './support/random.js';
import { etcdSide, kvorumSide, runRoundTrip } from './support/round-trip.js';

const etcd = etcdInstallations.findLast(({ snapshotTool }) => snapshotTool !== undefined);
const skip = skipWithoutEtcd() || (!etcd && 'no etcdutl');
const seconds = 0.7;

test(`etcd -> Kvorum -> etcd (seed ${seed})`, { skip }, async (t) => {
  const there = etcdSide(etcd!);
  const revisions = await runRoundTrip({ seed, seconds, there, back: kvorumSide, auth: true });
  t.diagnostic(`etcd ${etcd!.version}: ${revisions} revisions equal, twice`);
});

test(`Kvorum -> etcd -> Kvorum (seed ${seed})`, { skip }, async (t) => {
  const back = etcdSide(etcd!);
  const revisions = await runRoundTrip({ seed, seconds, there: kvorumSide, back, auth: false });
  t.diagnostic(`etcd ${etcd!.version}: ${revisions} revisions equal, twice`);
});
