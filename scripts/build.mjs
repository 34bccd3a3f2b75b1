// build.mjs [program|all]: compiles the program (src), or everything: src, tests, bench, and the
// generated codecs that the tests compare ours with. `npm ci` (prepare) builds the program.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newestSource, stampFile } from './sources.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const what = process.argv[2] ?? 'program';

if (!existsSync('node_modules/typescript')) {
  // Installed from the packed package: dist is inside it and there is nothing to compile.
  process.exit(0);
}

function run(label, command, args) {
  const result = spawnSync(command, args, { stdio: 'inherit' });
  if (result.status !== 0) {
    console.error(`build: ${label} failed`);
    process.exit(result.status ?? 1);
  }
}

const newest = newestSource(what);
// tsc leaves the output of deleted files behind, and a deleted test would go on running.
rmSync('dist', { recursive: true, force: true });
if (what === 'all') run('generating codecs', process.execPath, ['scripts/proto.mjs']);
// src/cli and src/sim refer to every other room.
const projects = what === 'all' ? [] : ['src/cli', 'src/sim'];
run('compiling', process.execPath, ['node_modules/typescript/bin/tsc', '-b', ...projects]);
writeFileSync(stampFile('program'), String(newest));
if (what === 'all') writeFileSync(stampFile('all'), String(newest));
