// npm run test:long [-- --seeds N] [--minutes M]: what npm test has no time for. Three processes under
// fire, many seeds of profile `everything`, every mutant, long runs of the schedule property,
// random requests to a real etcd and to Kvorum, a learner in clusters of real etcd, histories carried
// between the two. Says what it runs.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

function option(name, otherwise) {
  const at = process.argv.indexOf(name);
  const value = at < 0 ? otherwise : Number(process.argv[at + 1]);
  if (value > 0) return value;
  console.error(`test:long: ${name} needs a number above 0`);
  process.exit(2);
}

const seeds = option('--seeds', 2000);
const minutes = option('--minutes', 5);
/** As many as were asked for, at most `most`. */
const atMost = (most) => String(Math.min(seeds, most));
const fireSeed = String(Date.now() % 1_000_000);
const differential = 'dist/test/differential/main.js';
const steps = [
  ['dist/test/fire/main.js', '--seed', fireSeed, '--minutes', String(minutes)],
  ['dist/src/sim/main.js', '--seeds', String(seeds), '--profile', 'everything'],
  ['dist/src/sim/main.js', '--seeds', atMost(50), '--profile', 'everything', '--replay'],
  ['dist/test/sim/mutants/main.js'],
  ['dist/test/transport/grpc/fuzz-main.js', '60'],
  ['dist/test/sim/check-property.js', atMost(200)],
  [differential, '--seed', fireSeed, '--steps', String(Math.min(seeds * 50, 100_000))],
  [differential, '--seed', fireSeed, '--hash-histories', atMost(1000)],
  ['dist/test/e2e/long/learner.js', String(2 * minutes)],
  ['dist/test/e2e/long/round-trips.js', atMost(20)],
];
let failed = 0;
for (const args of steps) {
  console.log(`\nnode ${args.join(' ')}`);
  const began = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  console.log(`${status === 0 ? 'passed' : 'FAILED'} in ${minutes} min`);
  if (status !== 0) failed++;
}
console.log(
  failed === 0 ? '\ntest:long: all passed' : `\ntest:long: ${failed} of ${steps.length} failed`,
);
process.exitCode = failed === 0 ? 0 : 1;
