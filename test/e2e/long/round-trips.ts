/**
 * `node round-trips.js [COUNT]`: so many random histories carried from etcd to Kvorum and back, and as many
 * the other way round, in turn with every etcd that is found.
 */
import { etcdInstallations } from '../support/binaries.js';
import { seed } from '../support/random.js';
import { etcdSide, kvorumSide, runRoundTrip } from '../support/round-trip.js';

const count = Number(process.argv[2] ?? 20);
const found = etcdInstallations.filter(({ snapshotTool }) => snapshotTool !== undefined);
if (found.length === 0) console.log('skipped: no etcd in PATH or KVORUM_ETCD_DIR');
console.log(`KVORUM_E2E_SEED=${seed}`);
// What the helpers start does not keep a process alive.
setInterval(() => {}, 60_000);
let revisions = 0;
for (let i = 0; found.length > 0 && i < count; i++) {
  const etcd = found[i % found.length]!;
  const real = etcdSide(etcd);
  const common = { seed: seed + i, seconds: 1 };
  revisions += await runRoundTrip({ ...common, there: real, back: kvorumSide, auth: true });
  revisions += await runRoundTrip({ ...common, there: kvorumSide, back: real, auth: false });
  console.log(`${i + 1} of ${count}, etcd ${etcd.version}: equal (${revisions} revisions so far)`);
}
process.exit();
