// Compiles everything: codecs from proto/, then all TypeScript projects. Run by `npm ci` (prepare).
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newestSource, stampFile } from './sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

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

const newest = newestSource();
// tsc leaves the output of deleted files behind, and a deleted test would go on running.
rmSync('dist', { recursive: true, force: true });
run('generating codecs', process.execPath, ['scripts/proto.mjs']);
run('compiling', process.execPath, ['node_modules/typescript/bin/tsc', '-b']);
writeFileSync(stampFile, String(newest));
