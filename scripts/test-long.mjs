// npm run test:long [-- --seeds N]: what npm test has no time for. Every mutant, many seeds of profile
// `everything`, long runs of the schedule property. Says what it runs.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const at = process.argv.indexOf('--seeds');
const seeds = at < 0 ? '2000' : process.argv[at + 1];
const steps = [
  ['dist/src/sim/main.js', '--seeds', seeds, '--profile', 'everything'],
  ['dist/src/sim/main.js', '--seeds', '50', '--profile', 'everything', '--replay'],
  ['dist/test/sim/mutants/main.js'],
  ['dist/test/sim/check-property.js', '200'],
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
