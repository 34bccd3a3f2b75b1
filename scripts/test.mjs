// npm test [-- NAME ...]: the unit and property tests in two processes, then the end-to-end tests in
// a process a file. With names, only the files whose path contains one of them.
// KVORUM_REQUIRE_ETCD=1 turns a missing etcd binary from a skip into a failure.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
const slow = all.filter((path) => /^dist\/test\/(e2e|fire)\//.test(path));
const quick = all.filter((path) => !slow.includes(path));
if (all.length === 0) {
  console.error(
    names.length > 0 ? `no test file matches ${names.join(', ')}` : 'no test files found',
  );
  process.exit(1);
}

let status = 0;
/** Runs `files`; `output` is 'inherit', or 'pipe' to have it returned. */
async function run(files, args, output) {
  if (files.length === 0) return '';
  const child = spawn(process.execPath, [...args, ...files], {
    stdio: ['inherit', output, 'inherit'],
  });
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) status = 1;
  return text;
}

// A test that failed may have left something open: that must not hold the run.
const inOneProcess = [
  '--test-force-exit',
  '--test-reporter=spec',
  'scripts/run-in-one-process.mjs',
];
const half = (which) => quick.filter((_, place) => place % 2 === which);
const halves = [run(half(0), inOneProcess, 'inherit'), run(half(1), inOneProcess, 'pipe')];
process.stdout.write((await Promise.all(halves))[1]);
const inTheirOwn = ['--test', '--test-force-exit', '--test-concurrency=2', '--test-reporter=spec'];
await run(slow, inTheirOwn, 'inherit');
process.exit(status);
