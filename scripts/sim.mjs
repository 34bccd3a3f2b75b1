// npm run sim: the simulator, or with --mutants the faults that it must find (they are part of the tests,
// which are built for them).
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const isHunt = words.includes('--mutants');
const run = (script, args) =>
  spawnSync(process.execPath, [root + script, ...args], { stdio: 'inherit' }).status ?? 1;
const built = run('scripts/ensure-built.mjs', [isHunt ? 'all' : 'program']);
const main = isHunt ? 'dist/test/sim/mutants/main.js' : 'dist/src/sim/main.js';
process.exitCode = built === 0 ? run(main, words) : built;
