// ensure-built.mjs [program|all], before start, test, check, bench and sim: installs what
// package-lock.json asks for if it is missing, and builds if a source is newer than the build. Says
// nothing when there is nothing to do.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newestSource, stampFile } from './sources.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const what = process.argv[2] ?? 'program';

function run(command, args) {
  const shell = process.platform === 'win32';
  const result = spawnSync(command, args, { stdio: ['inherit', 2, 2], shell });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

if (!existsSync('node_modules/.package-lock.json')) {
  console.error('kvorum: first run, installing dependencies (npm ci)');
  run('npm', ['ci', '--no-audit', '--loglevel=error', '--ignore-scripts']);
}
const stamp = stampFile(what);
const built = existsSync(stamp) ? Number(readFileSync(stamp, 'utf8')) : 0;
if (newestSource(what) > built) {
  console.error('kvorum: building');
  run(process.execPath, ['scripts/build.mjs', what]);
}
