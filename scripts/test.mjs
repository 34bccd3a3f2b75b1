// npm test [-- NAME ...]: the unit and property tests in one process, then the end-to-end tests in
// a process a file. With names, only the files whose path contains one of them.
// KVORUM_REQUIRE_ETCD=1 turns a missing etcd binary from a skip into a failure.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

function testFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => `${folder}/${name}`.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.js'))
    .filter((path) => names.length === 0 || names.some((name) => path.includes(name)))
    .sort();
}

const all = testFiles('dist/test');
const slow = all.filter((path) => path.startsWith('dist/test/e2e/'));
const quick = all.filter((path) => !slow.includes(path));
if (all.length === 0) {
  console.error(
    names.length > 0 ? `no test file matches ${names.join(', ')}` : 'no test files found',
  );
  process.exit(1);
}

let status = 0;
function run(files, args) {
  if (files.length === 0) return;
  const result = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (result.status !== 0) status = 1;
}
run(quick, ['--test-reporter=spec', 'scripts/run-in-one-process.mjs', ...quick]);
// A test that ran out of time may have left something open: that must not hold the run.
run(slow, ['--test', '--test-force-exit', '--test-concurrency=2', '--test-reporter=spec', ...slow]);
process.exit(status);
