/**
 * A Kvorum learner in clusters of real etcd, for minutes: `node learner.js [MINUTES] [VERSION ...]`. The first
 * version that is found, 3.5 before others, gets all the time twice, joined by snapshot and by log; the others
 * a fifth of it. With versions, only those that begin with one of them.
 */
import { etcdInstallations } from '../support/binaries.js';
import { runHostedLearner } from '../support/hosted-learner-run.js';
import { seed } from '../support/random.js';

const [minutes = '10', ...wanted] = process.argv.slice(2);
const found = etcdInstallations
  .filter(({ version }) => wanted.length === 0 || wanted.some((start) => version.startsWith(start)))
  .sort((a, b) => Number(b.version.startsWith('3.5.')) - Number(a.version.startsWith('3.5.')));
if (found.length === 0) console.log('skipped: no etcd in PATH or KVORUM_ETCD_DIR');
console.log(`KVORUM_E2E_SEED=${seed}`);
// What the helpers start does not keep a process alive.
setInterval(() => {}, 60_000);
for (const [i, etcd] of found.entries()) {
  for (const shortLog of [true, false]) {
    const seconds = Number(minutes) * (i === 0 ? 60 : 12);
    const way = shortLog ? 'by snapshot' : 'by log';
    const report = await runHostedLearner(etcd, { seed, shortLog, seconds, roundSeconds: 8 });
    console.log(`etcd ${etcd.version}, joined ${way}, ${seconds} s of load: ${report}`);
  }
}
process.exit();
